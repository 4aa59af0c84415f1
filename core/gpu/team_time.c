/* Predicts the times of one device and of several. */
#include "core/gpu/team_time.h"

#include <math.h>

/* PCIe 4 with 16 lanes, which two devices of a machine at least have. */
static const struct gf_device_rates assumed = {.copy = 1e12, .bus = {25e9, 25e9}, .open = 0.4};

static double known(double rate, double otherwise) {
    return rate > 0 ? rate : otherwise;
}

/* Walk i of so many, its passes taking an equal part; `devices` share it. */
static double walk_seconds(const struct gf_gpu_load *l, int i, int walks, int devices,
                           const struct gf_device_rates *r) {
    const bool first = i == 0, last = i + 1 == walks, alone = devices == 1;
    const double n = devices, between = alone ? l->exchange : 0;
    const double up = (first ? l->in : between) / n / r->bus[0];
    const double down = (last ? l->out : between) / n / r->bus[1];
    const double sent = last ? 0 : l->exchange / n * (n - 1) / n / r->link;
    return fmax(fmax(up, down), fmax(sent, l->passes / walks / n / r->copy));
}

static double all_walks(const struct gf_gpu_load *l, int devices, const struct gf_device_rates *r) {
    double seconds = 0;
    for (int i = 0; i < l->walks; i++)
        seconds += walk_seconds(l, i, l->walks, devices, r);
    return seconds;
}

struct gf_plan_times gf_gpu_team_predict(const struct gf_gpu_load *load, int devices, int closed,
                                         const struct gf_device_rates *rates) {
    struct gf_plan_times t = {.devices = devices};
    struct gf_device_rates *r = &t.rates;
    t.bus_assumed = !(rates->bus[0] > 0 && rates->bus[1] > 0);
    t.link_assumed = !(rates->link > 0);
    r->copy = known(rates->copy, assumed.copy);
    for (int i = 0; i < 2; i++)
        r->bus[i] = t.bus_assumed ? assumed.bus[i] : rates->bus[i];
    r->link = known(rates->link, fmin(r->bus[0], r->bus[1]));
    r->open = known(rates->open, assumed.open);
    t.one = load->fits ? load->in / r->bus[0] + load->passes / r->copy + load->out / r->bus[1]
                       : all_walks(load, 1, r);
    t.several = all_walks(load, devices, r) + closed * r->open;
    return t;
}
