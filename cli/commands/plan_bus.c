/* plan: what arrays that pass through a device in parts carry over its bus. */
#include <math.h>
#include <stdio.h>

#include "cli/commands/plan_bus.h"
#include "core/base/memory.h"

/* What passes between host and device, and the least that takes: in each walk both ways at once. */
struct bus {
    int64_t up, down;
    double speed[2], floor; /* bytes a second; seconds; 0 where they are not known */
};

static struct bus bus_of(struct gf_runner *r) {
    const struct gf_plan *plan = r->plan;
    struct bus b = {.up = 0};
    gf_runner_bus_speed(r, b.speed);
    for (int i = 0; i < plan->n_passes; i++) {
        const double up = (double)plan->pass[i].bytes_read;
        const double down = (double)plan->pass[i].bytes_written;
        b.up += plan->pass[i].bytes_read;
        b.down += plan->pass[i].bytes_written;
        if (b.speed[0] > 0 && b.speed[1] > 0)
            b.floor += fmax(up / b.speed[0], down / b.speed[1]);
    }
    if (plan->n_shares) /* each on a bus of its own */
        b.floor /= plan->n_shares;
    return b;
}

void gf_plan_bus_print(struct gf_runner *r) {
    const struct bus bus = bus_of(r);
    char a[GF_SIZE_TEXT], b[GF_SIZE_TEXT];
    printf("  bus       %s to the device, %s back", gf_memory_text(bus.up, a),
           gf_memory_text(bus.down, b));
    if (bus.floor > 0)
        printf("; at least %.3g ms at %.0f GB/s there and %.0f GB/s back\n", bus.floor * 1e3,
               bus.speed[0] * 1e-9, bus.speed[1] * 1e-9);
    else
        printf("; its speed is unknown\n");
}

json_t *gf_plan_bus_json(struct gf_runner *r) {
    const struct bus bus = bus_of(r);
    json_t *o = json_object();
    json_object_set_new(o, "bytes_up", json_integer(bus.up));
    json_object_set_new(o, "bytes_down", json_integer(bus.down));
    if (bus.floor > 0) {
        json_object_set_new(o, "up_gb_s", json_real(bus.speed[0] * 1e-9));
        json_object_set_new(o, "down_gb_s", json_real(bus.speed[1] * 1e-9));
        json_object_set_new(o, "least_ms", json_real(bus.floor * 1e3));
    }
    return o;
}
