/* gpufft bench: the backends compared on the same samples in the same run. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/backend_options.h"
#include "cli/command.h"
#include "cli/log.h"
#include "core/base/bandwidth.h"
#include "core/session/backends.h"
#include "core/base/status.h"

/* Beside the list of backends: yardsticks. */
static const struct gf_bench_entrant yardsticks[] = {
    {.name = "fftw-measure", .backend = &gf_backend_fftw, .fftw_plan = "measure"},
    {.name = "mkl", .backend = &gf_backend_mkl},
    {.name = "vkfft", .backend = &gf_backend_vkfft},
    {.name = NULL},
};

/* All that may be named, usable or not. */
static int candidates(struct gf_bench_entrant list[GF_MAX_ENTRANTS]) {
    int n = 0;
    for (int i = 0; gf_backends[i] && n < GF_MAX_ENTRANTS; i++)
        list[n++] =
            (struct gf_bench_entrant){.name = gf_backends[i]->name, .backend = gf_backends[i]};
    for (int i = 0; yardsticks[i].name && n < GF_MAX_ENTRANTS; i++)
        list[n++] = yardsticks[i];
    return n;
}

static int choose(const char *what, const char *word, const struct gf_bench_entrant *list, int n,
                  int *out) {
    const char *names[GF_MAX_ENTRANTS + 1] = {NULL};
    for (int i = 0; i < n; i++)
        names[i] = list[i].name;
    return gf_opt_choose(what, word, names, out);
}

/* Of whose library a yardstick's figures are. */
static void note_version(const struct gf_bench_entrant *e) {
    char reason[GF_REASON] = "";
    for (int i = 0; gf_backends[i]; i++)
        if (gf_backends[i] == e->backend) /* `gpufft devices` tells */
            return;
    if (!e->backend->probe(reason))
        gf_log_note("bench: %s: %s", e->name, reason);
}

static int opens(struct gf_bench_entrant *e, const struct gf_settings *s, int threads) {
    struct gf_backend_options options = gf_backend_options_of(s);
    options.threads = threads;
    options.fftw_plan = e->fftw_plan;
    options.library = s->bench.mkl;
    int rc = e->backend->open(&options, &e->context);
    if (!rc)
        note_version(e);
    e->resident = !rc && e->backend->on_device;
    if (e->resident && !(e->device.copy > 0) &&
        e->backend->on_device->measure(e->context, &e->device))
        gf_log_note("bench: %s: %s", e->name, gf_message()); /* rows do without, then */
    return rc;
}

/* A device that is the CPU adds nothing to the backends in host memory. */
static bool worth_it(const struct gf_bench_entrant *e, const struct gf_settings *s) {
    struct gf_gpu_props props;
    const char *device = gf_backend_options_of(s).device;
    if (!e->backend->list || s->device || gf_backend_device(e->backend, device, &props) ||
        !props.is_cpu)
        return true;
    gf_log_verbose("bench: %s left out, %s is the CPU; --backend names it", e->name, props.name);
    return false;
}

/* --mkl names its library. The probe does not know that path; opening it will tell. */
static bool has_path(const struct gf_bench_entrant *e, const struct gf_settings *s) {
    return e->backend->library && s->bench.mkl;
}

/* Those that --backend names, or all that are usable; the rest of a list that names one which is
 * not there does not matter. */
static int enter(struct gf_bench *b) {
    struct gf_bench_entrant list[GF_MAX_ENTRANTS];
    const char *at = b->s->bench.backends;
    char word[32], reason[GF_REASON] = "";
    int n = candidates(list), i, rc = 0;
    for (i = 0; !at && i < n; i++)
        if (has_path(&list[i], b->s) ||
            (!list[i].backend->probe(reason) && worth_it(&list[i], b->s)))
            b->entrant[b->n++] = list[i];
    while (at && !rc && gf_bench_next_word(&at, word, sizeof word)) {
        bool again = false;
        rc = choose("--backend", word, list, n, &i);
        for (int j = 0; j < b->n && !rc; j++)
            again = again || b->entrant[j].name == list[i].name;
        if (!rc && !again)
            b->entrant[b->n++] = list[i];
    }
    for (i = 0; at && i < b->n && !rc; i++) {
        if (!has_path(&b->entrant[i], b->s) && b->entrant[i].backend->probe(reason))
            rc = gf_fail(GF_EABSENT, "backend '%s' is not usable here: %s", b->entrant[i].name,
                         reason);
    }
    if (!rc && !b->n)
        rc = gf_fail(GF_EABSENT, "no backend is usable here");
    return rc;
}

static int find_relative(struct gf_bench *b) {
    const char *name = b->s->bench.relative;
    b->relative = -1;
    if (name)
        return choose("--relative", name, b->entrant, b->n, &b->relative);
    for (int i = 0; i < b->n; i++)
        if (!strcmp(b->entrant[i].name, "fftw-measure") ||
            (b->relative < 0 && !strcmp(b->entrant[i].name, "fftw")))
            b->relative = i;
    return 0;
}

/* The CPU's name for itself, and its backend's name for the instruction set. */
static void describe_machine(struct gf_bench *b) {
    char line[256], reason[GF_REASON] = "";
    FILE *f = fopen("/proc/cpuinfo", "re");
    snprintf(b->cpu, sizeof b->cpu, "unknown CPU");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !name)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(b->cpu, sizeof b->cpu, "%.60s", name + 1 + strspn(name + 1, " "));
        break;
    }
    if (f)
        fclose(f);
    gf_backend_next(gf_backends, false, NULL)->probe(reason);
    snprintf(b->isa, sizeof b->isa, "%.*s", (int)strcspn(reason, ","), reason);
}

static void run_case(struct gf_bench *b, const struct gf_bench_case *c) {
    struct gf_bench_row rows[GF_MAX_ENTRANTS];
    int n = gf_bench_case_run(b, c, rows);
    gf_bench_print_rows(b, c, rows, n);
    for (int i = 0; i < n; i++) {
        b->rows += rows[i].status == GF_BENCH_OK;
        b->bad += rows[i].status == GF_BENCH_WRONG || rows[i].status == GF_BENCH_FAILED;
    }
}

/* All kinds and precisions of one size; GF_E… for one that no job can have. */
static int run_size(struct gf_bench *b, const struct gf_bench_size *size) {
    const struct gf_bench_settings *o = &b->s->bench;
    const struct gf_shape *shape = &size->shape;
    bool forward = o->direction == GF_FORWARD;
    unsigned kinds =
        o->kinds ? o->kinds : 1u << GF_BENCH_C2C | 1u << (forward ? GF_BENCH_R2C : GF_BENCH_C2R);
    int rc = 0;
    unsigned precisions = o->precisions ? o->precisions : 1u << GF_SINGLE;
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < GF_BENCH_N_KINDS; k++) {
            if (!(precisions >> p & 1) || !(kinds >> k & 1))
                continue;
            if (gf_bench_is_picture((enum gf_bench_kind)k) && shape->ndim != 2)
                continue;
            unsigned levels = k != GF_BENCH_DWT ? 1u << 1
                              : o->levels       ? o->levels
                                                : 1u << 1 | 1u << 3;
            for (int l = 1; levels >> l; l++) {
                struct gf_bench_case c;
                if (!(levels >> l & 1))
                    continue;
                rc = gf_bench_case_make(shape, size->axes, (enum gf_bench_kind)k,
                                        (enum gf_direction)o->direction, (enum gf_precision)p, l,
                                        &c);
                if (rc)
                    return rc;
                run_case(b, &c);
                gf_bench_case_free(&c);
            }
        }
    return 0;
}

static void leave(struct gf_bench *b) {
    for (int i = 0; i < b->n; i++)
        if (b->entrant[i].context)
            b->entrant[i].backend->close(b->entrant[i].context);
    for (int i = 0; i < b->n; i++)
        b->entrant[i].context = NULL;
}

static int run_all(struct gf_bench *b, const struct gf_bench_sizes *sizes) {
    int rc = 0;
    for (int i = 0; i < b->n && !rc; i++) {
        rc = opens(&b->entrant[i], b->s, b->threads);
        if (rc)
            b->entrant[i].context = NULL;
    }
    if (rc)
        goto out;
    if (gf_bandwidth_copy(b->threads, &b->copy))
        gf_log_note("bench: %s", gf_message());
    gf_bench_print_machine(b);
    b->headed = true;
    for (int i = 0; i < sizes->n && !rc; i++)
        rc = run_size(b, &sizes->size[i]);
out:
    leave(b);
    return rc;
}

static int run(struct gf_settings *s, char **operands, int n) {
    struct gf_bench b = {.s = s};
    struct gf_bench_sizes sizes = {0};
    int rc = gf_bench_check(s);
    if (!rc)
        rc = gf_bench_sizes_make(s, operands, n, &sizes);
    if (!rc)
        rc = enter(&b);
    if (!rc)
        rc = find_relative(&b);
    if (!rc)
        describe_machine(&b);
    int counts = s->bench.threads.n ? s->bench.threads.n : 1;
    for (int i = 0; i < counts && !rc; i++) {
        b.threads = s->bench.threads.n ? s->bench.threads.count[i] : gf_settings_threads(s);
        rc = run_all(&b, &sizes);
    }
    gf_bench_sizes_free(&sizes);
    if (rc) {
        gf_log_error("bench: %s", gf_message());
        return gf_exit_code(rc);
    }
    if (b.bad)
        gf_log_error("bench: %d wrong or failed", b.bad);
    else if (!b.rows)
        gf_log_error("bench: nothing could be measured");
    return b.bad || !b.rows;
}

static const struct gf_opt_group *const groups[] = {&gf_opts_bench, &gf_opts_memory,
                                                    &gf_opts_common, NULL};

const struct gf_command gf_command_bench = {
    .name = "bench",
    .operands = "[SHAPE|RANGE]...",
    .summary = "the backends compared in one table",
    .groups = groups,
    .examples = "  gpufft bench\n"
                "  gpufft bench 2^4..2^20 64^2..1024^2 --kind=c2c\n"
                "  gpufft bench 1000..1000000 --step=primes --backend=openmp,fftw\n"
                "  gpufft bench 4096x4096 256x256x256 --kind=r2c --precision=single,double\n"
                "  gpufft bench 65536x256 --axes=x --kind=c2c,r2c\n"
                "  gpufft bench 1048576 --backend=openmp,fftw-measure --threads=1,2 --csv\n"
                "  gpufft bench --all --mkl=/opt/intel/mkl/lib/libmkl_rt.so.2\n",
    .notes = "least, 90%: the shortest time, and the time that nine runs in ten stay within.\n"
             "GFLOP/s: by 5 N log2 N operations, half of that for real samples. GB/s, copy:\n"
             "what the planned passes read and write, and its share of the copy bandwidth.\n"
             "floors: the time over that of one read and one write at copy bandwidth (for a\n"
             "picture, half a spectrum is written and read as well). ratio: above 1 is faster\n"
             "than the one compared with. error: relative (L2); single against a run in\n"
             "double, double against sums in long double at 8 places; for a picture, the\n"
             "share of pixels off by one level; ! is more than gpufft promises. A wrong result\n"
             "is not timed, and the exit status is 1. plan: the time that planning took, not\n"
             "counted.\n"
             "Backends on a device are timed there, by its clock, with input and output in its\n"
             "memory; copy is then its own bandwidth.\n",
    .run = run,
};
