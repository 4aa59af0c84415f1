/* gpufft devices: lists backends and devices, and why a backend is absent and what to install.
 * Opens no context. */

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "cli/report.h"

static json_t *device_report(int number, const struct gf_gpu_props *p) {
    json_t *extensions = json_array();
    for (const char *at = p->extensions; *at; at += strspn(at, " ")) {
        int n = (int)strcspn(at, " ");
        json_array_append_new(extensions, json_stringn(at, (size_t)n));
        at += n;
    }
    return GF_REPORT(
        GF_KEY("number", number), GF_KEY("name", p->name), GF_KEY("platform", p->platform),
        GF_KEY("driver", p->driver), GF_KEY("compiler", p->compiler), GF_KEY("memory", p->memory),
        GF_KEY("largest_buffer", p->max_alloc), GF_KEY("compute_units", p->units),
        GF_KEY("most_group_items", p->max_group),
        GF_KEY("most_items", gf_json_shape(p->max_items, 3)), GF_KEY("items_in_step", p->warp),
        GF_KEY("local_memory", p->local_bytes), GF_KEY("unit_local_memory", p->unit_local_bytes),
        GF_KEY("clock_mhz", p->clock_mhz), GF_KEY("extensions", extensions),
        GF_KEY("fp64", p->fp64), GF_KEY("processor", p->is_cpu), GF_KEY(".extended", p->extensions),
        GF_KEY(".verbose", gf_log_is_verbose()));
}

static json_t *report(const struct gf_backend *b) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    char reason[GF_REASON] = "";
    const bool present = b->probe(b, gf_environment(), reason) == 0;
    const int n = gf_backend_devices(gf_environment(), b, props);
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, device_report(i, &props[i]));
    return GF_REPORT(GF_KEY("backend", b->name), GF_KEY("what", b->what),
                     GF_KEY("present", present), GF_BOOL("automatic", b->automatic != 0),
                     GF_KEY(present ? "description" : "reason", reason),
                     GF_KEY(b->list ? "devices" : ".devices", list));
}

static const char form[] =
    "{backend:-8s} {?present present |absent  } {what}\n"
    "                  {?present {description}|{reason}}\n"
    "{*devices                   device {number}: {name}\n"
    "                    {platform}, driver {driver}, {memory:B}, "
    "{?compute_units {compute_units#compute unit}, }{?fp64 |no }fp64{?processor , the CPU itself}\n"
    "                    groups of up to {most_group_items} items ({most_items}), "
    "{items_in_step} in step, {local_memory:B} local memory,\n"
    "                    largest buffer {largest_buffer:B}{?clock_mhz , up to {clock_mhz} MHz}\n"
    "{?verbose                     extensions: {extended}\n}}";

static int run(struct gf_settings *s, char **operands, int n) {
    (void)operands;
    if (n)
        return gf_fail(GF_EUSAGE, "takes no operands");
    for (int i = 0; gf_backends[i]; i++)
        gf_report_print(s->json, form, report(gf_backends[i]));
    char cache[GF_REASON] = ""; /* cached kernels save later runs the compilation */
    gf_backend_cache_text(gf_environment(), cache);
    gf_report_print(s->json, "kernel cache      {kernel_cache}\n",
                    GF_REPORT(GF_KEY("kernel_cache", cache)));
    return 0;
}

static const struct gf_opt_group *const groups[] = {&gf_opts_common, NULL};

const struct gf_command gf_command_devices = {
    .name = "devices",
    .operands = "",
    .summary = "every backend and device, or why one is absent",
    .groups = groups,
    .text = true,
    .examples = "  gpufft devices\n",
    .run = run,
};
