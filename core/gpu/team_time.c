/* Predicts the times of one device and of several. */
#include "core/gpu/team.h"

#include <math.h>

/* PCIe 4 x16, which machines with two devices have at least. */
static const struct gf_device_rates assumed = {
    .copy = 1e12, .bus = {25e9, 25e9}, .locked = {50e9, 50e9}, .open = 0.4};

static double known(double rate, double otherwise) {
    return rate > 0 ? rate : otherwise;
}

/* Bytes a second between host arrays and several devices. If page-locked memory is copied much
 * faster, the limit is the host's threads that fill and empty buffers, and all devices share it. */
static double bus_of(const struct gf_device_rates *r, int back, int devices) {
    const bool by_host = r->bus[back] < 0.8 * r->locked[back];
    return by_host ? r->bus[back] : devices * r->bus[back];
}

/* Seconds of walk i, assuming that all walks' passes take equally long. */
static double walk_seconds(const struct gf_gpu_load *l, int i, int walks, int devices,
                           const struct gf_device_rates *r) {
    const bool first = i == 0, last = i + 1 == walks, alone = devices == 1;
    const double n = devices, between = alone ? l->exchange : 0;
    const double up = (first ? l->in : between) / bus_of(r, 0, devices);
    const double down = (last ? l->out : between) / bus_of(r, 1, devices);
    const double sent = last ? 0 : l->exchange / n * (n - 1) / n / r->link;
    return fmax(fmax(up, down), fmax(sent, l->passes / walks / n / r->copy));
}

static double all_walks(const struct gf_gpu_load *l, int devices, const struct gf_device_rates *r) {
    double seconds = 0;
    for (int i = 0; i < l->walks; i++)
        seconds += walk_seconds(l, i, l->walks, devices, r);
    return seconds;
}

static struct gf_device_rates complete(const struct gf_device_rates *known_ones) {
    struct gf_device_rates r = *known_ones;
    const bool bus = r.bus[0] > 0 && r.bus[1] > 0;
    r.copy = known(r.copy, assumed.copy);
    for (int i = 0; i < 2 && !bus; i++) {
        r.bus[i] = assumed.bus[i];
        r.locked[i] = assumed.locked[i];
    }
    r.link = known(r.link, fmin(r.bus[0], r.bus[1]));
    r.open = known(r.open, assumed.open);
    return r;
}

struct gf_plan_times gf_gpu_team_predict(const struct gf_gpu_load *load, int devices, int closed,
                                         const struct gf_device_rates *first,
                                         const struct gf_device_rates *slowest) {
    const struct gf_device_rates one = complete(first), each = complete(slowest);
    struct gf_plan_times t = {.devices = devices, .rates = each};
    t.bus_assumed = !(slowest->bus[0] > 0 && slowest->bus[1] > 0);
    t.link_assumed = !(slowest->link > 0);
    t.one = load->fits ? load->in / one.bus[0] + load->passes / one.copy + load->out / one.bus[1]
                       : all_walks(load, 1, &one);
    t.several = all_walks(load, devices, &each) + closed * each.open;
    return t;
}
