/* gpufft bench: compares the backends on the same samples in the same run. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/log.h"
#include "core/base/bandwidth.h"

/* Takes the CPU's name from /proc/cpuinfo and the instruction set from the CPU backend. */
static void describe_machine(struct gf_bench_host *h) {
    char line[256], reason[GF_REASON] = "";
    FILE *f = fopen("/proc/cpuinfo", "re");
    snprintf(h->cpu, sizeof h->cpu, "unknown CPU");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !name)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(h->cpu, sizeof h->cpu, "%.60s", name + 1 + strspn(name + 1, " "));
        break;
    }
    if (f)
        fclose(f);
    h->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const struct gf_backend *b = gf_backend_next(gf_backends, false, NULL);
    b->probe(b, reason);
    snprintf(h->isa, sizeof h->isa, "%.*s", (int)strcspn(reason, ","), reason);
}

/* Counts the fastest of a case's rows, one an entrant, if two or more were timed. */
static void note_fastest(struct gf_bench *b, const struct gf_bench_row *rows, int n) {
    int timed = 0, first = -1;
    for (int i = 0; i < n; i++)
        if (rows[i].status == GF_BENCH_OK) {
            timed++;
            first = first < 0 || rows[i].time.median < rows[first].time.median ? i : first;
        }
    if (timed > 1)
        b->wins[first]++;
    b->contests += timed > 1;
}

static int run_case(void *user, const struct gf_bench_case *c) {
    struct gf_bench *b = user;
    struct gf_bench_row rows[GF_MAX_ENTRANTS];
    int n = gf_bench_case_run(b, c, rows);
    gf_bench_print_case(b->s, c);
    for (int i = 0; i < n; i++) {
        gf_bench_print_row(b, c, &rows[i]);
        b->rows += rows[i].status == GF_BENCH_OK;
        b->bad += rows[i].status == GF_BENCH_WRONG || rows[i].status == GF_BENCH_FAILED;
        free(rows[i].listed);
    }
    note_fastest(b, rows, n);
    gf_log_flush_stdout();
    return 0;
}

/* Returns the numbers of levels to measure, as bits. */
static unsigned levels_of(const struct gf_bench_settings *o, enum gf_bench_kind kind) {
    return kind != GF_BENCH_DWT ? 1u << 1 : o->levels ? o->levels : 1u << 1 | 1u << 3;
}

int gf_bench_each_case(const struct gf_settings *s, const struct gf_extents *size,
                       gf_bench_case_fn *run, void *user) {
    const struct gf_bench_settings *o = &s->bench;
    const unsigned real = 1u << (o->direction == GF_FORWARD ? GF_BENCH_R2C : GF_BENCH_C2R);
    const unsigned kinds = o->kinds ? o->kinds : 1u << GF_BENCH_C2C | real;
    const unsigned precisions = o->precisions ? o->precisions : 1u << GF_SINGLE;
    struct gf_bench_case like = {.job = {.ndim = size->n, .axes = size->axes}};
    memcpy(like.job.shape, size->extent, sizeof like.job.shape);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < GF_BENCH_N_KINDS; k++) {
            like.kind = (enum gf_bench_kind)k;
            if (!(precisions >> p & 1) || !(kinds >> k & 1) ||
                (gf_bench_is_picture(like.kind) && like.job.ndim != 2))
                continue;
            for (int l = 1; levels_of(o, like.kind) >> l; l++) {
                struct gf_bench_case c = like;
                if (!(levels_of(o, like.kind) >> l & 1))
                    continue;
                c.job.direction = (enum gf_direction)o->direction;
                c.job.precision = (enum gf_precision)p;
                c.job.wavelet.levels = l;
                int rc = gf_bench_case_make(&c);
                if (!rc)
                    rc = run(user, &c);
                gf_bench_case_free(&c);
                if (rc)
                    return rc;
            }
        }
    return 0;
}

static void leave(struct gf_bench *b) {
    for (int i = 0; i < b->n; i++) {
        if (b->entrant[i].context)
            b->entrant[i].backend->close(b->entrant[i].context);
        b->entrant[i].context = NULL;
    }
}

static int begin(struct gf_bench *b) {
    struct gf_bench_host *h = &b->host;
    int rc = 0;
    memset(b->trend, 0, sizeof b->trend);
    for (int i = 0; i < b->n && !rc; i++)
        rc = gf_bench_open_entrant(&b->entrant[i], b->s, h->threads);
    if (rc)
        return rc;
    if (gf_bandwidth_copy(h->threads, &h->copy))
        gf_log_note("bench: %s", gf_message());
    return 0;
}

static int run_all(struct gf_bench *b, const struct gf_shapes *sizes) {
    int rc = begin(b);
    if (!rc) {
        gf_bench_print_host(b);
        if (!b->s->bench.csv || !b->headed)
            gf_bench_print_head(b->s);
        gf_log_flush_stdout();
        b->headed = true;
    }
    for (int i = 0; i < sizes->n && !rc; i++)
        rc = gf_bench_each_case(b->s, &sizes->shape[i], run_case, b);
    leave(b);
    return rc;
}

/* Measures the operands' sizes with each number of threads. */
static int measure(struct gf_bench *b, char *const *operands, int n) {
    const struct gf_settings *s = b->s;
    struct gf_shapes sizes = {0};
    int rc = gf_bench_sizes(s, operands, n, &sizes);
    if (!rc)
        rc = gf_bench_enter(b);
    if (!rc)
        rc = gf_bench_find_relative(b);
    if (!rc)
        describe_machine(&b->host);
    for (int i = 0; i < (s->bench.threads.n ? s->bench.threads.n : 1) && !rc; i++) {
        b->host.threads = s->bench.threads.n ? s->bench.threads.count[i] : gf_settings_threads(s);
        rc = run_all(b, &sizes);
    }
    gf_shapes_free(&sizes);
    return rc;
}

static int run_alone(const struct gf_settings *s, char *const *operands, int n) {
    struct gf_bench b = {.s = s};
    int rc = measure(&b, operands, n);
    if (rc)
        return rc;
    gf_bench_print_fastest(&b);
    if (b.bad)
        gf_log_error("bench: %d wrong or failed", b.bad);
    else if (!b.rows)
        gf_log_error("bench: nothing could be measured");
    return b.bad || !b.rows;
}

static int run(struct gf_settings *s, char **operands, int n) {
    const struct gf_launcher launcher = gf_environment_launcher();
    int rc = gf_bench_check(s);
    if (!rc && !gf_bench_exchanges(s) && launcher.size > 1)
        rc = gf_fail(GF_EUSAGE, "only --kind=exchange is for the %d processes of %s", launcher.size,
                     launcher.name);
    return rc ? rc : (gf_bench_exchanges(s) ? gf_bench_exchange : run_alone)(s, operands, n);
}

static const struct gf_opt_group *const groups[] = {
    &gf_opts_bench_what, &gf_opts_bench,  &gf_opts_peer, &gf_opts_link,
    &gf_opts_memory,     &gf_opts_common, NULL};

const struct gf_command gf_command_bench = {
    .name = "bench",
    .operands = "[SHAPE|RANGE]...",
    .summary = "the backends compared in one table",
    .launched = true,
    .joins = true,
    .groups = groups,
    .text = true,
    .examples = "  gpufft bench\n"
                "  gpufft bench 2^4..2^20 64^2..1024^2 --kind=c2c\n"
                "  gpufft bench 1000..1000000 --step=primes --backend=openmp,fftw\n"
                "  gpufft bench 4096x4096 256x256x256 --kind=r2c --precision=single,double\n"
                "  gpufft bench 65536x256 --axes=x --kind=c2c,r2c\n"
                "  gpufft bench 1048576 --backend=openmp,fftw-measure --threads=1,2 --csv\n"
                "  gpufft bench --all --mkl=/opt/intel/mkl/lib/libmkl_rt.so.2\n"
                "  gpufft bench 2^4..2^24 --kind=c2c --json | gpufft-bench-report --plot=n.svg\n"
                "  mpirun -n 2 gpufft bench 256^3 --kind=exchange --link=12.5\n",
    .notes = "least, 90%: the shortest time, and the time that nine runs in ten stay within.\n"
             "GFLOP/s: by 5 N log2 N operations, half of that for real samples. GB/s, copy:\n"
             "what the planned passes read and write, and its share of the copy bandwidth.\n"
             "floors: the time over that of one read and one write at copy bandwidth (for a\n"
             "picture, half a spectrum is written and read as well). ratio: above 1 is faster\n"
             "than the one compared with. error: relative (L2); single against a run in\n"
             "double, double against sums in long double at 8 places; for a picture, the\n"
             "share of pixels off by one level; ! is more than gpufft promises. A wrong result\n"
             "is not timed, and the exit status is 1. plan, build: the time for planning and\n"
             "compiling kernels, not included elsewhere. noisy: the median exceeds twice the\n"
             "least, also when measured three more times. off its trend: likewise, below a\n"
             "quarter of the GFLOP/s of the size before. Rows of FFTW, MKL and IPP end with\n"
             "the code that ran; generic path: code for every CPU, where this one has AVX2.\n"
             "Backends on a device are timed there, by its clock, with input and output in its\n"
             "memory; copy is then its own bandwidth. \"2 devices\" ends the row of a transform\n"
             "that these share, timed by the host's clock until all of them are done.\n",
    .run = run,
};
