/* Jobs that ranks share are, bit for bit, those of one process; lines up to rounding. The ranks are threads
 * here; tests/cli/mpi.test has processes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/host/neighbour.h"
#include "core/base/value/status.h"
#include "core/filter/filter.h"
#include "core/schedule/plan.h"
#include "tests/core/backends.h"
#include "tests/core/slab_rig.h"
#include "tests/core/thread_ranks.h"
#include "tests/test.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

/* ---- who keeps what ---- */

/* The ranks' bytes are all of the exchange, in their order, and every part is one rank's. */
static void check_owners(const struct gf_slab_plan *p, int ranks) {
    int64_t slabs = 0, blocks = 0;
    CHECK_EQ(gf_slab_owned_from(p, ranks, 0), 0);
    CHECK_EQ(gf_slab_owned_from(p, ranks, ranks), p->exchange_bytes);
    for (int i = 0; i < ranks; i++) {
        CHECK(gf_slab_owned_from(p, ranks, i) <= gf_slab_owned_from(p, ranks, i + 1));
        CHECK_EQ(gf_span_share(p->n_slabs, ranks, i).first, slabs);
        CHECK_EQ(gf_span_share(p->n_blocks, ranks, i).first, blocks);
        slabs += gf_span_share(p->n_slabs, ranks, i).count;
        blocks += gf_span_share(p->n_blocks, ranks, i).count;
    }
    CHECK_EQ(slabs, p->n_slabs);
    CHECK_EQ(blocks, p->n_blocks);
}

/* The busiest rank sends the pieces of its slabs that are in other ranks' blocks. */
static void check_sent(const struct gf_slab_plan *p, int ranks) {
    int64_t most = 0;
    for (int i = 0; i < ranks; i++) {
        const struct gf_span slabs = gf_span_share(p->n_slabs, ranks, i);
        const struct gf_span own = gf_span_share(p->n_blocks, ranks, i);
        int64_t sent = 0;
        for (int64_t s = slabs.first; s < slabs.first + slabs.count; s++)
            for (int64_t k = 0; k < p->n_blocks; k++)
                if (k < own.first || k >= own.first + own.count)
                    sent += gf_slab_piece_bytes(p, s, k);
        most = sent > most ? sent : most;
    }
    CHECK_MSG(llabs(most - p->sent_bytes) <= 1, "%lld bytes sent, not %lld", (long long)most,
              (long long)p->sent_bytes);
}

static void test_owners(void) {
    for (int n = 0; n < 60; n++)
        for (int ranks = 1; ranks < 9; ranks++) {
            struct gf_job job = backends_job(n % 2 ? GF_INVERSE : GF_FORWARD, GF_C64, GF_SINGLE,
                                             2 + n % 3 / 2, 2 + n, 2 + n * 7 % 61, 4 + n * 5 % 50);
            struct gf_slab_plan p;
            if (gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 1 << 30, ranks, &p)) {
                CHECK_MSG(false, "%s", gf_message());
                continue;
            }
            check_owners(&p, ranks);
            if (job.direction == GF_FORWARD)
                check_sent(&p, ranks);
            /* Most have something to do where there is enough for all. */
            const bool pages = !p.picture && p.rows >= 32;
            CHECK_MSG(!pages || p.pages < ranks || 2 * p.n_slabs > ranks, "%lld slabs, %d ranks",
                      (long long)p.n_slabs, ranks);
            CHECK(p.memory_bytes >= p.exchange_bytes / ranks);
        }
}

/* ---- jobs ---- */

struct shared {
    struct slab_rig rig;
    const struct gf_job *job;
    int64_t memory;
    int status[THREAD_RANKS_MOST];
};

static void run_shared(void *user, struct gf_ranks *ranks) {
    struct shared *s = user;
    s->status[ranks->rank] = slab_rig_share(&s->rig, s->job, s->memory, ranks);
}

/* Relative to the largest sample. */
static double largest_difference(const struct gf_array *a, const struct gf_array *b) {
    const bool is_double = a->dtype == GF_C128 || a->dtype == GF_F64;
    const int64_t n = gf_array_bytes(a) / (is_double ? 8 : 4);
    double most = 0, largest = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = is_double ? ((double *)a->data)[i] : (double)((float *)a->data)[i];
        const double y = is_double ? ((double *)b->data)[i] : (double)((float *)b->data)[i];
        most = fmax(most, fabs(x - y));
        largest = fmax(largest, fabs(x));
    }
    return largest > 0 ? most / largest : most;
}

static void compare(struct shared *s, int ranks, bool rounded) {
    const struct gf_report *report = s->rig.report;
    char text[160];
    backends_text(s->job, text);
    for (int i = 0; i < s->job->n_out; i++)
        memset(s->rig.out[i].data, 0xa5, (size_t)gf_array_bytes(&s->rig.out[i]));
    thread_ranks_run(ranks, run_shared, s);
    for (int i = 0; i < ranks; i++)
        CHECK_MSG(!s->status[i], "%s, rank %d of %d: %d, %s", text, i, ranks, s->status[i],
                  gf_message());
    for (int i = 0; i < s->job->n_out && !s->status[0]; i++) {
        if (rounded)
            CHECK_MSG(largest_difference(&s->rig.whole[i], &s->rig.out[i]) < 1e-6,
                      "output %d, %d ranks: %s", i, ranks, text);
        else
            CHECK_MSG(slab_rig_same(&s->rig, s->job, i), "output %d differs, %d ranks: %s", i,
                      ranks, text);
        CHECK(rounded ||
              (report[0].low[i] == report[1].low[i] && report[0].high[i] == report[1].high[i]));
        CHECK_EQ(report[0].clipped[i], report[1].clipped[i]);
    }
    CHECK_MSG(fabs(report[0].imag_ratio - report[1].imag_ratio) <=
                  1e-3 * report[0].imag_ratio + 1e-7,
              "%s: %g after %g", text, report[0].imag_ratio, report[1].imag_ratio);
}

/* By one rank and several, more than there are parts too; with memory for large parts and for small ones. */
static void check_job(void *context, const struct gf_job *job, bool rounded) {
    static const int ranks[] = {1, 2, 3, 5, 8};
    struct shared s = {.rig = {.context = context}, .job = job};
    char text[160];
    int rc = slab_rig_run(&s.rig, job);
    CHECK_MSG(!rc || rc == GF_EINVAL, "%s: %s", backends_text(job, text), gf_message());
    for (int i = 0; i < 5; i++) {
        s.memory = i % 2 ? 1 << 30 : 3 << 20;
        compare(&s, ranks[i], rounded);
    }
    slab_rig_free(&s.rig);
}

static struct gf_job inverse(int ndim, const int64_t n[3], enum gf_precision precision, int kind) {
    struct gf_job job = backends_job(GF_INVERSE, precision == GF_DOUBLE ? GF_C128 : GF_C64,
                                     precision, ndim, n[0], n[1], n[2]);
    job.real = kind < 3;
    job.in_half = kind == 1;
    job.in_shift = kind == 2;
    if (job.real)
        job.out[0] = (struct gf_output){.kind = GF_REAL,
                                        .dtype = kind == 2                ? GF_U8
                                                 : precision == GF_DOUBLE ? GF_F64
                                                                          : GF_F32};
    return job;
}

/* Forward and inverse, real and complex, half and whole, with every display range, of one shape. */
static void test_shape(void *context, int ndim, int64_t nz, int64_t ny, int64_t nx) {
    static const enum gf_kind kinds[] = {GF_COMPLEX, GF_MAGNITUDE, GF_PHASE, GF_IMAG};
    const int64_t n[3] = {nz, ny, nx};
    for (int kind = 0; kind < 4; kind++)
        for (int half = 0; half < 2; half++) {
            const enum gf_precision p = kind == 1 ? GF_DOUBLE : GF_SINGLE;
            struct gf_job job =
                backends_job(GF_FORWARD, kind == 2 ? GF_U8 : GF_F32, p, ndim, nz, ny, nx);
            job.channels = kind == 3 ? 2 : 1;
            job.norm = (enum gf_norm)(kind % 3);
            job.out[0].kind = kinds[kind];
            job.out[0].half = half;
            job.out[0].shift = kind % 2;
            if (kind)
                job.out[0].dtype = p == GF_DOUBLE ? GF_F64 : GF_F32;
            check_job(context, &job, false);
            job = inverse(ndim, n, p, kind);
            check_job(context, &job, false);
            job = backends_job(GF_FORWARD, half ? GF_U8 : GF_F32, p, ndim, nz, ny, nx);
            job.out[0] = (struct gf_output){.kind = kind ? GF_MAGNITUDE : GF_REAL,
                                            .dtype = GF_U8,
                                            .map = GF_MAP_DISPLAY,
                                            .shift = true,
                                            .range = kind % 2 ? GF_RANGE_AUTO : GF_RANGE_FULL};
            job.n_out = 1 + kind / 2;
            job.out[1] = (struct gf_output){.kind = GF_COMPLEX, .dtype = GF_C64};
            if (p == GF_DOUBLE)
                job.out[1].dtype = GF_C128;
            check_job(context, &job, false);
        }
    struct gf_job job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, ndim, nz, ny, nx);
    check_job(context, &job, false);
    job.out[0].shift = true;
    check_job(context, &job, false);
}

/* Inverses of shifted spectra: half ones, whose columns are not shifted, whole ones, and ones along other axes
 * than x. */
static void test_shifted(void *context) {
    const int64_t n[3] = {7, 6, 13};
    for (int kind = 1; kind < 4; kind++) {
        struct gf_job job = inverse(3, n, GF_SINGLE, kind);
        job.in_shift = true;
        check_job(context, &job, false);
        job.axes = 3;
        if (kind == 3)
            check_job(context, &job, false);
    }
}

/* A filter with factors of each kind, and an offset, from and to integers and floats; beyond the edges. */
static void test_filter(void *context, int ndim, int64_t nz, int64_t ny, int64_t nx) {
    struct gf_lowpass low = {.radius = {3, 4, 5}};
    struct gf_lowpass steep = {.profile = GF_BUTTERWORTH, .order = 20, .radius = {9, 9, 9}};
    struct gf_lowpass notch = {.centre = {1, -2, 3}, .radius = {1, 1, 1}};
    for (int kind = 0; kind < 3; kind++) {
        const enum gf_precision p = kind == 1 ? GF_DOUBLE : GF_SINGLE;
        const enum gf_dtype type = kind == 0 ? GF_U8 : kind == 1 ? GF_F64 : GF_U16;
        struct gf_job job = backends_job(GF_FORWARD, type, p, ndim, nz, ny, nx);
        struct gf_filter *f;
        CHECK(!gf_filter_new(&f));
        job.channels = kind == 2 ? 3 : 1;
        job.luma = kind == 2;
        CHECK(!gf_filter_add_highpass(f, &low));
        CHECK(!kind || !gf_filter_add_notch(f, &job, &notch));
        CHECK(kind != 2 || !gf_filter_add_lowpass(f, &steep)); /* has its values in a table */
        f->offset = 100;
        job.op = GF_FILTER;
        job.filter = f;
        job.filter_serial = f->serial;
        job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = type};
        check_job(context, &job, false);
        for (int i = 0; i < ndim; i++)
            job.counted[i] = job.shape[i] - i - 1;
        if (kind)
            check_job(context, &job, false);
        gf_filter_free(f);
    }
}

static void test_lines(void *context, int64_t n) {
    for (int real = 0; real < 2; real++) {
        struct gf_job job = backends_job(GF_FORWARD, real ? GF_F32 : GF_C64, GF_SINGLE, 1, n, 0, 0);
        check_job(context, &job, true);
        job.out[0].shift = true;
        check_job(context, &job, true);
        job = backends_job(GF_INVERSE, GF_C64, GF_SINGLE, 1, n, 0, 0);
        job.real = job.in_half = real;
        job.in_shift = !real;
        if (real)
            job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
        check_job(context, &job, true);
    }
}

/* ---- failures ---- */

/* A rank that fails, whatever it does then, fails all of them, and none waits for it. */
static void test_failure(void *context) {
    for (int at = 1; at < 12; at++)
        for (int direction = 0; direction < 2; direction++) {
            const int64_t n[3] = {9, 40, 8};
            const struct gf_job job =
                direction ? inverse(3, n, GF_SINGLE, 1)
                          : backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, 9, 40, 8);
            struct shared s = {.rig = {.context = context}, .job = &job, .memory = 1 << 30};
            slab_rig_run(&s.rig, &job);
            s.rig.spoiled = at;
            thread_ranks_run(3, run_shared, &s);
            const bool reached = s.status[1] != 0;
            CHECK(at > 4 || reached);
            for (int i = 0; i < 3; i++)
                CHECK_EQ(s.status[i], reached ? GF_EIO : 0);
            slab_rig_free(&s.rig);
        }
    /* No memory for its share. */
    const struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, 9, 40, 8);
    struct shared s = {.rig = {.context = context}, .job = &job, .memory = 10000};
    slab_rig_run(&s.rig, &job);
    thread_ranks_run(3, run_shared, &s);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(s.status[i], GF_ENOMEM);
    slab_rig_free(&s.rig);
}

/* ---- display ranges ---- */

struct join {
    struct gf_slab_plan plan;
    int64_t wrong[THREAD_RANKS_MOST];
    int status[THREAD_RANKS_MOST];
};

/* Each rank has the lines and energies of its own pages, marked by the page; then it has all. */
static void join_pages(void *user, struct gf_ranks *ranks) {
    struct join *j = user;
    const struct gf_slab_plan *p = &j->plan;
    struct gf_ranges r;
    int rc = gf_ranges_open(&p->job, gf_slab_ranges(p), &r);
    const size_t page = (size_t)r.kept.stride[0];
    char *kept = r.kept.data;
    const struct gf_span own =
        gf_slab_pages_of(p, gf_span_share(p->n_slabs, ranks->size, ranks->rank));
    memset(kept, 0, page * (size_t)p->pages);
    for (int64_t z = own.first; z < own.first + own.count; z++) {
        memset(kept + (size_t)z * page, (int)z + 1, page);
        r.energy[z] = (struct gf_range_energy){(double)z + 1, (double)z + 2};
    }
    rc = rc ? rc : gf_ranges_sum(&r, ranks);
    for (int i = 0; i < ranks->size && !rc; i++)
        rc = gf_ranges_share(&r, ranks, i,
                             gf_slab_pages_of(p, gf_span_share(p->n_slabs, ranks->size, i)));
    int64_t wrong = 0;
    for (int64_t z = 0; z < p->pages; z++) {
        wrong += r.energy[z].sum != (double)z + 1 || r.energy[z].n != (double)z + 2;
        for (size_t i = 0; i < page; i++)
            wrong += kept[(size_t)z * page + i] != (char)(z + 1);
    }
    j->wrong[ranks->rank] = wrong;
    j->status[ranks->rank] = rc;
    gf_ranges_close(&r);
}

/* Each rank has the bins of its parts of a line, and zeros for the others'. */
static void join_bins(void *user, struct gf_ranks *ranks) {
    struct join *j = user;
    struct gf_ranges r;
    int rc = gf_ranges_open(&j->plan.job, gf_slab_ranges(&j->plan), &r);
    const int64_t n = 2 * r.sample.count;
    double *value = r.bins.value;
    for (int64_t i = ranks->rank; i < n; i += ranks->size)
        value[i] = (double)i + 1;
    *r.energy = (struct gf_range_energy){ranks->rank + 1, 2 * ranks->rank + 1};
    rc = rc ? rc : gf_ranges_sum(&r, ranks);
    int64_t wrong = r.energy->sum != ranks->size * (ranks->size + 1) / 2 ||
                    r.energy->n != ranks->size * ranks->size;
    for (int64_t i = 0; i < n; i++)
        wrong += value[i] != (double)i + 1;
    j->wrong[ranks->rank] = wrong;
    j->status[ranks->rank] = rc;
    gf_ranges_close(&r);
}

static void test_join(int ndim, int ranks) {
    struct gf_job job = ndim == 1 ? backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 1, 9000, 0, 0)
                                  : backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 3, 33, 20, 24);
    struct join j = {.wrong = {0}};
    job.out[0] = (struct gf_output){
        .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .range = GF_RANGE_AUTO};
    CHECK(!gf_slab_plan_make(&job, &(struct gf_slab_worker){0}, 1 << 20, ranks, &j.plan));
    thread_ranks_run(ranks, ndim == 1 ? join_bins : join_pages, &j);
    for (int i = 0; i < ranks; i++)
        CHECK_MSG(!j.status[i] && !j.wrong[i], "rank %d of %d: status %d, %lld are wrong", i, ranks,
                  j.status[i], (long long)j.wrong[i]);
}

/* ---- failures of one ---- */

struct opinion {
    int status[THREAD_RANKS_MOST], speaker[THREAD_RANKS_MOST];
    bool names[THREAD_RANKS_MOST];
    double most[THREAD_RANKS_MOST][2];
};

/* Ranks 2 and 3 fail, each with a status of its own. */
static void agree(void *user, struct gf_ranks *ranks) {
    struct opinion *o = user;
    const int me = ranks->rank;
    int rc = me < 2 ? 0 : gf_fail(me == 2 ? GF_EFORMAT : GF_EIO, "mine");
    o->status[me] = gf_ranks_agree(ranks, rc);
    o->speaker[me] = ranks->speaker;
    o->names[me] = !strcmp(gf_message(), me == 2 ? "mine" : "rank 2 failed");
    o->most[me][0] = me == 1 ? 5 : -me;
    o->most[me][1] = -1 - me;
    gf_ranks_most(ranks, o->most[me], 2);
}

static void test_agree(void) {
    struct opinion o;
    thread_ranks_run(4, agree, &o);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(o.status[i], GF_EFORMAT);
        CHECK_EQ(o.speaker[i], 2);
        CHECK(o.names[i]);
        CHECK(o.most[i][0] == 5 && o.most[i][1] == -1);
    }
}

/* ---- reports ---- */

struct joined {
    struct gf_report report[THREAD_RANKS_MOST];
    int status[THREAD_RANKS_MOST];
};

static void join_report(void *user, struct gf_ranks *ranks) {
    struct joined *j = user;
    j->status[ranks->rank] = gf_ranks_join_report(ranks, &j->report[ranks->rank]);
}

/* Counts and energies are the sums of all ranks', ranges the last rank's. */
static void test_report(int ranks) {
    struct joined j = {.status = {0}};
    for (int k = 0; k < ranks; k++) {
        struct gf_report *r = &j.report[k];
        r->kept = 30 + k;
        r->lost = 5 - k;
        for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
            r->clipped[i] = 100 * i + k;
            r->low[i] = k == ranks - 1 ? 10 + i : -k;
            r->high[i] = k == ranks - 1 ? 20 + i : -k;
        }
    }
    const double others = ranks * (ranks - 1) / 2.;
    struct gf_report want = {0};
    gf_report_energy(30 * ranks + others, 5 * ranks - others, &want);
    thread_ranks_run(ranks, join_report, &j);
    for (int k = 0; k < ranks; k++) {
        const struct gf_report *r = &j.report[k];
        CHECK_EQ(j.status[k], 0);
        CHECK(r->kept == want.kept && r->lost == want.lost && r->imag_ratio == want.imag_ratio);
        CHECK(r->imag_ratio > 0);
        for (int i = 0; i < GF_MAX_OUTPUTS; i++) {
            CHECK_EQ(r->clipped[i], 100 * i * ranks + (int64_t)others);
            CHECK(r->low[i] == 10 + i && r->high[i] == 20 + i);
        }
    }
}

static const int64_t shapes[][3] = {
    {8, 6, 32},                 /* packed half spectra */
    {12, 33, 64},               /* the same, with lines that are pairs along y */
    {7, 11, 13},   {67, 5, 24}, /* pairs of lines along z */
    {3, 24, 2200}, {2, 2, 2},   {5, 70, 34}, {33, 70, 64}, /* unpacked within planes */
    {96, 131, 0},  {67, 84, 0}, /* columns that no CPU packs in little pictures */
};
/* ---- processes of one machine ---- */

enum { NEIGHBOURS = 3 << 20 };

/* The other process: describes memory full of 'c', waits, and says whether all is 'p'. */
static void be_neighbour(int from, int to) {
    static struct gf_neighbour own;
    char *memory = malloc(NEIGHBOURS), same = 1, go;
    if (!memory)
        _exit(1);
    memset(memory, 'c', NEIGHBOURS);
    gf_neighbour_open(memory, &own);
    if (write(to, &own, sizeof own) != sizeof own || read(from, &go, 1) != 1)
        _exit(1);
    for (int i = 0; i < NEIGHBOURS; i++)
        same &= memory[i] == 'p';
    gf_neighbour_close();
    _exit(write(to, &same, 1) != 1);
}

static void test_neighbours(void) {
    int there[2], back[2];
    struct gf_neighbour n, own;
    char *data = malloc(NEIGHBOURS), same = 0, want[4] = "cccc";
    NEED(data && !pipe(there) && !pipe(back));
    const pid_t child = fork();
    if (!child)
        be_neighbour(there[0], back[1]);
    NEED(child > 0 && read(back[0], &n, sizeof n) == sizeof n);
    gf_neighbour_open(data, &own);
    CHECK(!gf_neighbour_reaches(&own));
    if (gf_neighbour_reaches(&n)) {
        struct gf_neighbour other = n;
        other.random++;
        CHECK(!gf_neighbour_reaches(&other));
        CHECK_EQ(gf_neighbour_copy(&n, NEIGHBOURS - 4, data, 4, false), 0);
        CHECK(!memcmp(data, want, 4));
        CHECK_EQ(gf_neighbour_copy(&n, -(int64_t)n.memory, data, 4, false), GF_EIO);
        memset(data, 'p', NEIGHBOURS);
        CHECK_EQ(gf_neighbour_copy(&n, 0, data, NEIGHBOURS, true), 0);
        CHECK(write(there[1], "", 1) == 1 && read(back[0], &same, 1) == 1 && same);
    } else {
        puts("mpi: skipped in part: copies between processes are not allowed here");
    }
    gf_neighbour_close();
    close(there[1]);
    waitpid(child, NULL, 0);
    free(data);
}

static const int64_t filtered[][3] = {
    {12, 33, 64}, {7, 11, 13}, {67, 5, 24}, {5, 70, 34}, {96, 131, 0}};

int main(void) {
    void *context = NULL;
    NEED(!backend->open(backend, &(struct gf_backend_options){.threads = 1}, &context));
    RUN("each rank owns its part, and all parts are owned", test_owners());
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *n = shapes[i];
        RUN(case_name("ranks transform %dx%dx%d as one process does", (int)n[0], (int)n[1],
                      (int)n[2]),
            test_shape(context, n[2] ? 3 : 2, n[0], n[1], n[2]));
    }
    for (size_t i = 0; i < sizeof filtered / sizeof *filtered; i++) {
        const int64_t *n = filtered[i];
        RUN(case_name("ranks filter %dx%dx%d as one process does", (int)n[0], (int)n[1], (int)n[2]),
            test_filter(context, n[2] ? 3 : 2, n[0], n[1], n[2]));
    }
    RUN("ranks transform shifted spectra as one process does", test_shifted(context));
    RUN("ranks transform a line of 4096 to rounding", test_lines(context, 1 << 12));
    RUN("ranks transform a line of 9000 to rounding", test_lines(context, 9000));
    RUN("a rank that fails fails all of them", test_failure(context));
    RUN("all ranks fail as the first that failed, which speaks", test_agree());
    RUN("every rank gets the sampled lines and energies of all pages", test_join(3, 3));
    RUN("every rank gets the sampled bins and the energy of a whole line", test_join(1, 3));
    RUN("a process copies to and from another one's memory", test_neighbours());
    RUN("a joined report has all ranks' counts and the last one's ranges", test_report(3));
    backend->close(context);
    return TEST_END();
}
