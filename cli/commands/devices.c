/* gpufft devices: every backend with its devices, and for an absent one the reason and the remedy.
 * No context is opened for it. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/batch/report.h"
#include "core/session/backends.h"
#include "core/base/memory.h"

/* The column that descriptions begin at. */
enum { INDENT = 18 };

static void print_limits(const struct gf_gpu_props *p) {
    char local[GF_SIZE_TEXT], alloc[GF_SIZE_TEXT];
    printf("%*sgroups of up to %d items (%lldx%lldx%lld), %d in step, %s local memory,\n"
           "%*slargest buffer %s",
           INDENT + 2, "", p->max_group, (long long)p->max_items[0], (long long)p->max_items[1],
           (long long)p->max_items[2], p->warp, gf_memory_text(p->local_bytes, local), INDENT + 2,
           "", gf_memory_text(p->max_alloc, alloc));
    if (p->clock_mhz)
        printf(", up to %d MHz", p->clock_mhz);
    printf("\n");
    if (gf_log_is_verbose())
        printf("%*sextensions: %s\n", INDENT + 2, "", p->extensions);
}

static void print_device(int number, const struct gf_gpu_props *p) {
    char size[GF_SIZE_TEXT], units[48] = "";
    if (p->units)
        snprintf(units, sizeof units, "%d compute unit%s, ", p->units, p->units == 1 ? "" : "s");
    printf("%*sdevice %d: %s\n", INDENT, "", number, p->name);
    printf("%*s%s, driver %s, %s, %s%sfp64%s\n", INDENT + 2, "", p->platform, p->driver,
           gf_memory_text(p->memory, size), units, p->fp64 ? "" : "no ",
           p->is_cpu ? ", the CPU itself" : "");
    print_limits(p);
}

static json_t *device_json(int number, const struct gf_gpu_props *p) {
    json_t *o = json_object();
    json_object_set_new(o, "number", json_integer(number));
    json_object_set_new(o, "name", gf_json_text(p->name));
    json_object_set_new(o, "platform", gf_json_text(p->platform));
    json_object_set_new(o, "driver", gf_json_text(p->driver));
    json_object_set_new(o, "compiler", gf_json_text(p->compiler));
    json_object_set_new(o, "memory", json_integer(p->memory));
    json_object_set_new(o, "largest_buffer", json_integer(p->max_alloc));
    json_object_set_new(o, "compute_units", json_integer(p->units));
    json_object_set_new(o, "most_group_items", json_integer(p->max_group));
    json_t *items = json_array(), *extensions = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(items, json_integer(p->max_items[i]));
    json_object_set_new(o, "most_items", items);
    json_object_set_new(o, "items_in_step", json_integer(p->warp));
    json_object_set_new(o, "local_memory", json_integer(p->local_bytes));
    json_object_set_new(o, "unit_local_memory", json_integer(p->unit_local_bytes));
    json_object_set_new(o, "clock_mhz", json_integer(p->clock_mhz));
    for (const char *at = p->extensions; *at; at += strspn(at, " ")) {
        int n = (int)strcspn(at, " ");
        json_array_append_new(extensions, json_stringn(at, (size_t)n));
        at += n;
    }
    json_object_set_new(o, "extensions", extensions);
    json_object_set_new(o, "fp64", json_boolean(p->fp64));
    json_object_set_new(o, "processor", json_boolean(p->is_cpu));
    return o;
}

static void print_backend(const struct gf_backend *b, bool present, const char *reason,
                          const struct gf_gpu_props *props, int n) {
    printf("%-8s %-8s %s\n", b->name, present ? "present" : "absent", b->what);
    printf("%*s%s\n", INDENT, "", reason);
    for (int i = 0; i < n; i++)
        print_device(i, &props[i]);
}

static void json_backend(const struct gf_backend *b, bool present, const char *reason,
                         const struct gf_gpu_props *props, int n) {
    json_t *o = json_object();
    json_object_set_new(o, "backend", json_string(b->name));
    json_object_set_new(o, "what", gf_json_text(b->what));
    json_object_set_new(o, "present", json_boolean(present));
    json_object_set_new(o, "automatic", json_boolean(b->automatic));
    json_object_set_new(o, present ? "description" : "reason", gf_json_text(reason));
    if (b->list) {
        json_t *list = json_array();
        for (int i = 0; i < n; i++)
            json_array_append_new(list, device_json(i, &props[i]));
        json_object_set_new(o, "devices", list);
    }
    gf_json_print(o);
}

/* What is built stays, and saves the next run its time. */
static void print_cache(bool json) {
    char text[GF_REASON] = "";
    gf_backend_cache_text(text);
    if (!json) {
        printf("%-17s %s\n", "kernel cache", text);
        return;
    }
    json_t *o = json_object();
    json_object_set_new(o, "kernel_cache", gf_json_text(text));
    gf_json_print(o);
}

static int run(struct gf_settings *s, char **operands, int n) {
    (void)operands;
    if (n) {
        gf_log_error("devices: takes no operands");
        return 2;
    }
    for (int i = 0; gf_backends[i]; i++) {
        const struct gf_backend *b = gf_backends[i];
        struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
        char reason[GF_REASON] = "";
        bool present = gf_backend_probe(b, reason) == 0;
        int found = gf_backend_devices(b, props);
        (s->json ? json_backend : print_backend)(b, present, reason, props, found);
    }
    print_cache(s->json);
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
