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

void gf_plan_shares_print(const struct gf_plan *plan) {
    char a[GF_SIZE_TEXT];
    int64_t sent = 0;
    bool direct = true;
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
