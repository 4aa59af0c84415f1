/* plan: the shares of several devices, and what they exchange. */
#include "cli/commands/plan_shares.h"

#include <stdio.h>

#include "cli/batch/report.h"
#include "core/base/memory.h"

/* "pages 0 to 255", "no page" */
static void print_span(const char *one, struct gf_span s) {
    if (s.count)
        printf("%ss %lld to %lld", one, (long long)s.first, (long long)(s.first + s.count - 1));
    else
        printf("no %s", one);
}

static void print_times(const struct gf_plan_times *t) {
    const struct gf_device_rates *r = &t->rates;
    printf("  time      one device %.3g ms, %d devices %.3g ms, which are opened first\n"
           "            by a bus of %.3g GB/s there and %.3g back%s, a link of %.3g GB/s%s\n",
           t->one * 1e3, t->devices, t->several * 1e3, r->bus[0] * 1e-9, r->bus[1] * 1e-9,
           t->bus_assumed ? " (assumed)" : "", r->link * 1e-9, t->link_assumed ? " (assumed)" : "");
}

void gf_plan_shares_print(const struct gf_plan *plan) {
    char a[GF_SIZE_TEXT];
    int64_t sent = 0;
    bool direct = true;
    if (plan->times.devices)
        print_times(&plan->times);
    for (int i = 0; i < plan->n_shares; i++) {
        const struct gf_plan_share *s = &plan->share[i];
        printf("  device %s  ", s->device);
        print_span("page", s->pages);
        printf(", ");
        print_span("bin", s->bins);
        printf(" of a page; %s of its memory", gf_memory_text(s->bytes, a));
        printf(", sends %s\n", gf_memory_text(s->sent, a));
        sent += s->sent;
        direct = direct && s->direct;
    }
    if (sent)
        printf("  exchange  %s, %s\n", gf_memory_text(sent, a),
               direct ? "from device to device" : "through the host's memory");
}

json_t *gf_plan_times_json(const struct gf_plan_times *t) {
    json_t *o = json_object();
    json_object_set_new(o, "count", json_integer(t->devices));
    json_object_set_new(o, "one_ms", json_real(t->one * 1e3));
    json_object_set_new(o, "several_ms", json_real(t->several * 1e3));
    json_object_set_new(o, "up_gb_s", json_real(t->rates.bus[0] * 1e-9));
    json_object_set_new(o, "down_gb_s", json_real(t->rates.bus[1] * 1e-9));
    json_object_set_new(o, "bus_assumed", json_boolean(t->bus_assumed));
    json_object_set_new(o, "link_gb_s", json_real(t->rates.link * 1e-9));
    json_object_set_new(o, "link_assumed", json_boolean(t->link_assumed));
    return o;
}

static json_t *json_span(struct gf_span s) {
    return json_pack("[I,I]", (json_int_t)s.first, (json_int_t)s.count);
}

json_t *gf_plan_shares_json(const struct gf_plan *plan) {
    json_t *list = json_array();
    for (int i = 0; i < plan->n_shares; i++) {
        const struct gf_plan_share *s = &plan->share[i];
        json_t *o = json_object();
        json_object_set_new(o, "device", gf_json_text(s->device));
        json_object_set_new(o, "pages", json_span(s->pages));
        json_object_set_new(o, "bins", json_span(s->bins));
        json_object_set_new(o, "bytes_device", json_integer(s->bytes));
        json_object_set_new(o, "bytes_sent", json_integer(s->sent));
        json_object_set_new(o, "direct", json_boolean(s->direct));
        json_array_append_new(list, o);
    }
    return list;
}
