/* Reads the facts of a device from what `gpufft devices --json` printed. */
#include "cli/commands/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/log.h"
#include "cli/report.h"

/* Reads a member's text, "" if absent. */
static void get_text(const json_t *o, const char *key, char *text, size_t size) {
    const char *value = json_string_value(json_object_get(o, key));
    snprintf(text, size, "%s", value ? value : "");
}

/* Reads a number, 0 unless it is a non-negative int. */
static int get_int(const json_t *o, const char *key) {
    json_int_t v = json_integer_value(json_object_get(o, key));
    return v < 0 || v > INT32_MAX ? 0 : (int)v;
}

static int64_t get_whole(const json_t *o, const char *key) {
    return json_integer_value(json_object_get(o, key));
}

static void get_device(const json_t *o, struct gf_assumed_device *device) {
    struct gf_gpu_props *p = &device->props;
    *device = (struct gf_assumed_device){
        .copy = json_number_value(json_object_get(o, "copy_gb_s")) * 1e9,
        .props = {.memory = get_whole(o, "memory"),
                  .max_alloc = get_whole(o, "largest_buffer"),
                  .local_bytes = get_whole(o, "local_memory"),
                  .unit_local_bytes = get_whole(o, "unit_local_memory"),
                  .max_group = get_int(o, "most_group_items"),
                  .units = get_int(o, "compute_units"),
                  .warp = get_int(o, "items_in_step"),
                  .clock_mhz = get_int(o, "clock_mhz"),
                  .fp64 = json_is_true(json_object_get(o, "fp64")),
                  .is_cpu = json_is_true(json_object_get(o, "processor"))}};
    get_text(o, "name", p->name, sizeof p->name);
    get_text(o, "platform", p->platform, sizeof p->platform);
    get_text(o, "driver", p->driver, sizeof p->driver);
    get_text(o, "compiler", p->compiler, sizeof p->compiler);
    const json_t *items = json_object_get(o, "most_items"),
                 *extensions = json_object_get(o, "extensions");
    for (size_t i = 0; i < 3; i++)
        p->max_items[i] = json_integer_value(json_array_get(items, i));
    /* CUDA's architecture is the first; only that is used. */
    const char *first = json_string_value(json_array_get(extensions, 0));
    p->extensions = gf_device_text(first ? first : "");
}

/* Takes the device of `backend` from a line: by number or part of its name, or for `device` NULL
 * the first. False if the line has none. */
static bool take_line(const char *line, const char *backend, const char *device,
                      struct gf_assumed_device *out) {
    json_t *o = json_loads(line, 0, NULL);
    const char *of = json_string_value(json_object_get(o, "backend"));
    const json_t *list = json_object_get(o, "devices");
    bool found = false;
    for (size_t i = 0; of && !strcmp(of, backend) && i < json_array_size(list) && !found; i++) {
        char number[24];
        get_device(json_array_get(list, i), out);
        snprintf(number, sizeof number, "%zu", i);
        found = !device || !strcmp(device, number) || strcasestr(out->props.name, device);
    }
    json_decref(o);
    return found;
}

static int read_file(const char *path, const char *backend, const char *device,
                     struct gf_assumed_device *out) {
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    if (!f)
        return gf_fail(GF_EIO, "--assume: '%s': %s", gf_log_name(path), strerror(errno));
    while (!found && getline(&line, &size, f) > 0)
        found = take_line(line, backend, device, out);
    free(line);
    fclose(f);
    if (!found)
        return gf_fail(GF_EFORMAT,
                       "--assume: '%s' has no such device of %s; gpufft devices --json prints them",
                       gf_log_name(path), backend);
    return gf_assume_check(out)
               ? gf_fail(GF_EFORMAT, "--assume: '%s': %s", gf_log_name(path), gf_message())
               : 0;
}

int gf_plan_assume(const struct gf_settings *s, struct gf_assumed_device *device) {
    const struct gf_backend *unused;
    struct gf_assumed_device none = {.copy = 0};
    int rc = gf_assume_backend(s->backend, &none, &unused);
    if (rc)
        return rc;
    if (!access(s->assume, F_OK) || strpbrk(s->assume, "./"))
        return read_file(s->assume, s->backend, s->device, device);
    rc = gf_assume_known(s->assume, s->backend, device);
    return rc ? gf_fail(GF_EUSAGE, "--assume: no file '%s', and %s", s->assume, gf_message()) : 0;
}
