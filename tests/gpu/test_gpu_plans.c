/* The promises of the GPUs' planner, on made-up devices; no device is touched.
 *
 *     test_gpu_plans            the promises
 *     test_gpu_plans options    one line a kernel, file and options, as the lint compiles them
 *     test_gpu_plans nvrtc      a sample of kernels through NVRTC, for each architecture */
#include <stdlib.h>
#include <string.h>

#include "core/gpu/plan/space.h"
#include "core/wavelet/dwt.h"
#include "core/filter/filter.h"
#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "tests/core/backends.h"
#include "tests/gpu/gpu_jobs.h"
#include "tests/gpu/gpu_kernels.h"
#include "tests/gpu/gpu_walk.h"
#include "tests/test.h"

enum { FOLLOWED = 1 << 16 }; /* bytes up to which every element of a plan's arrays is followed */

static int n_plans, n_followed, n_chains, n_planes, n_across, n_joined;
static double bytes_per_point_most;

/* The kernel is compiled for what the pass's fields tell the host. */
static void check_options(const struct gf_gpu_pass *pass, const char *text) {
    const struct gf_gpu_tile *t = &pass->tile;
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {{"LOAD", pass->load},    {"STORE", pass->store},    {"INDICES", pass->indices},
                  {"LENGTH", t->length},   {"POINTS", t->points},     {"LINES", t->lines},
                  {"THREADS", t->threads}, {"STAGES", t->stages},     {"HELD", t->held},
                  {"RESIDENT", t->bound},  {"FAR", pass->far},        {"ALGORITHM", t->algorithm},
                  {"ROWS_IN", t->rows_in}, {"ROWS_OUT", t->rows_out}, {"WHOLE", t->whole}};
    const bool coalesced = t->coalesced_in || t->coalesced_out;
    CHECK_MSG(!(t->coalesced_in && t->rows_in) && !(t->coalesced_out && t->rows_out) &&
                  (!coalesced ||
                   (t->whole && t->lines > 1 &&
                    (t->points + (t->points - 1) / t->pad_every) * t->lines * 8 <= t->local_bytes)),
              "%s: rows in a tile of %lld bytes: %s", text, (long long)t->local_bytes,
              pass->kernel.options);
    if (strstr(pass->kernel.options, "-DCOALESCED_") || coalesced)
        CHECK_MSG(walk_option(pass, "COALESCED_IN") == t->coalesced_in &&
                      walk_option(pass, "COALESCED_OUT") == t->coalesced_out,
                  "%s: the options and the fields differ: %s", text, pass->kernel.options);
    bool agree = pass->kind != GF_GPU_PASS_FILTER_AXIS || walk_option(pass, "SIDES") == t->sides;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        agree = agree && walk_option(pass, fields[i].name) == fields[i].value;
    for (int i = 0; i < t->stages; i++) {
        char name[16];
        snprintf(name, sizeof name, "RADIX%d", i);
        agree = agree && walk_option(pass, name) == t->radix[i];
    }
    for (int i = 0; i < t->member_stages; i++) {
        char name[24];
        snprintf(name, sizeof name, "MEMBER%d", i);
        agree = agree && walk_option(pass, "MEMBERS") == t->members &&
                walk_option(pass, "MEMBER_STAGES") == t->member_stages &&
                walk_option(pass, name) == t->member_radix[i];
    }
    CHECK_MSG(agree, "%s: the options and the fields differ: %s", text, pass->kernel.options);
}

static void check_pass(const struct gf_gpu_plan *p, const struct gf_gpu_pass *pass,
                       const char *text) {
    const struct gf_gpu_props *d = &p->props;
    size_t length = strlen(pass->kernel.options);
    CHECK_MSG(pass->kernel.local_bytes >= 0 && pass->kernel.local_bytes <= d->local_bytes,
              "%s on %s: a tile of %lld bytes", text, d->name, (long long)pass->kernel.local_bytes);
    CHECK_MSG(pass->group >= 1 && pass->group <= d->max_group && pass->groups >= 1 &&
                  pass->groups <= INT32_MAX,
              "%s on %s: %lld groups of %d", text, d->name, (long long)pass->groups, pass->group);
    CHECK_MSG(length + 1 < sizeof pass->kernel.options, "%s on %s: options cut short: %s", text,
              d->name, pass->kernel.options);
    CHECK_MSG(pass->summary.bytes_read >= 0 && pass->summary.bytes_written >= 0 &&
                  strlen(pass->summary.what) + 1 < sizeof pass->summary.what,
              "%s on %s: %s", text, d->name, pass->summary.what);
    if (pass->kind != GF_GPU_PASS_AXIS && pass->kind != GF_GPU_PASS_FILTER_AXIS)
        return;
    check_options(pass, text);
    const struct gf_gpu_tile *t = &pass->tile;
    int64_t points = t->points, product = 1, threads = t->threads, lines = t->lines, n = t->length;
    for (int i = 0; i < t->stages; i++)
        product *= t->radix[i];
    int64_t members = t->members;
    CHECK_MSG(product * members == points && threads == pass->group && threads % lines == 0 &&
                  members <= threads / lines,
              "%s on %s: %s", text, d->name, pass->kernel.options);
    for (int i = 0; i < t->member_stages; i++)
        members /= t->member_radix[i];
    CHECK_MSG(members == 1, "%s on %s: %s", text, d->name, pass->kernel.options);
    CHECK_MSG(t->algorithm == GF_GPU_BLUESTEIN ? points >= 2 * n - 1
              : t->algorithm == GF_GPU_RADER   ? points == n - t->members
                                               : points == n,
              "%s on %s: %s", text, d->name, pass->kernel.options);
    if (t->algorithm == GF_GPU_RADER)
        CHECK_MSG(pass->args.pass.order + 4 * n <= p->tables.order_count,
                  "%s on %s: an order of %lld in %lld", text, d->name, (long long)points,
                  (long long)p->tables.order_count);
    int64_t held = t->held, most = 0;
    for (int i = 0; i < t->stages + t->member_stages; i++) {
        const bool member = i >= t->stages;
        int64_t r = member ? t->member_radix[i - t->stages] : t->radix[i];
        int64_t per_line = threads / lines, all = member ? n : points;
        int64_t turns = (all / r + per_line - 1) / per_line;
        most = turns * r > most ? turns * r : most;
    }
    CHECK_MSG(held == most, "%s on %s: %lld points held, not %lld", text, d->name, (long long)held,
              (long long)most);
}

/* The launch's tiles have all lines of both passes, and room for what is between them. */
static void check_planes(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                         const struct gf_gpu_pass *launch, const char *text) {
    const int64_t planes = walk_option(launch, "PLANES"), strips = launch->args.chain.strips;
    const int64_t points = walk_option(launch, "LENGTH") * walk_option(launch, "LINES");
    const int64_t element = p->job.precision ? 16 : 8;
    CHECK_MSG(launch->groups * planes >= strips && (launch->groups - 1) * planes < strips,
              "%s: %lld groups of %lld planes", text, (long long)launch->groups, (long long)planes);
    for (int i = 0; i < 2; i++) {
        int64_t lines = 1, tile = walk_option(launch, i ? "NEXT_LINES" : "LINES");
        for (int k = 0; k < first[i].indices; k++)
            lines *= first[i].args.pass.index[k].count;
        CHECK_MSG(tile % planes == 0 && strips * (tile / planes) == lines &&
                      walk_option(launch, i ? "NEXT_LENGTH" : "LENGTH") == first[i].tile.length,
                  "%s: tiles of %lld lines in pass %d", text, (long long)tile, i + 1);
    }
    CHECK_MSG(launch->kernel.local_bytes >=
                  points * element / (walk_option(launch, "WHOLE") ? 1 : 2),
              "%s: a tile of %lld bytes", text, (long long)launch->kernel.local_bytes);
    CHECK_MSG(launch->buffer[0] == first->buffer[0] && launch->buffer[1] == first[1].buffer[1] &&
                  launch->buffer[1] != GF_GPU_IN,
              "%s: planes in buffers %d and %d", text, (int)launch->buffer[0],
              (int)launch->buffer[1]);
    n_planes++;
}

/* A chain's launch has both passes' tiles, and its strips are whole. */
static void check_chain(const struct gf_gpu_plan *p, const struct gf_gpu_pass *first,
                        const char *text) {
    const struct gf_gpu_pass *second = first + 1, *chain = &p->chain[first->chain - 1];
    const struct chain_args *a = &chain->args.chain;
    const int64_t points[2] = {walk_option(chain, "LENGTH") * walk_option(chain, "LINES"),
                               walk_option(chain, "NEXT_LENGTH") *
                                   walk_option(chain, "NEXT_LINES")};
    CHECK_MSG(strlen(chain->kernel.options) + 1 < sizeof chain->kernel.options,
              "%s: options cut short: %s", text, chain->kernel.options);
    CHECK_MSG(chain->kernel.local_bytes > 0 && chain->kernel.local_bytes <= p->props.local_bytes,
              "%s: a tile of %lld bytes", text, (long long)chain->kernel.local_bytes);
    if (walk_option(chain, "PLANES") > 0) {
        check_planes(p, first, chain, text);
        return;
    }
    CHECK_MSG(chain->group == walk_option(chain, "THREADS") &&
                  chain->groups == (a->strips + a->lag) * (a->inner[0] + a->inner[1]) &&
                  a->lag >= 1 && a->slots > a->lag && a->slots <= a->strips,
              "%s: %lld groups", text, (long long)chain->groups);
    for (int i = 0; i < 2; i++) {
        const struct gf_gpu_pass *pass = i ? second : first;
        CHECK_MSG((double)(a->strips * a->inner[i]) * (double)points[i] >=
                      (double)(pass->groups * pass->tile.lines * pass->tile.length) / 2,
                  "%s: %lld tiles of pass %d", text, (long long)(a->strips * a->inner[i]), i + 1);
    }
    CHECK_MSG(p->bytes[chain->buffer[1]] >= a->slots * a->slot * (p->job.precision ? 16 : 8) &&
                  p->bytes[GF_GPU_CHAIN] >= 4 * (2 + 2 * a->strips),
              "%s: a ring of %lld", text, (long long)(a->slots * a->slot));
    const bool ring = chain->buffer[1] != chain->buffer[0] && chain->buffer[1] != chain->buffer[2];
    const bool rows = second->store == STORE_COMPLEX || chain->buffer[0] != chain->buffer[2];
    CHECK_MSG(a->slot ? ring && rows : chain->buffer[1] == chain->buffer[2],
              "%s: a chain over its own input", text);
    n_chains++;
}

/* Every promise about a job's plan. */
static void check_plan(const struct gf_job *job, const struct gf_gpu_props *d,
                       const struct gf_gpu_plan *p, const char *text) {
    char wrong[256];
    CHECK_MSG(p->n_passes >= 1 && p->n_passes <= GF_MAX_PASSES, "%s on %s: %d passes", text,
              d->name, p->n_passes);
    double moved = 0, kept = 0, points = 1;
    for (int i = 0; i < p->n_passes; i++) {
        check_pass(p, &p->pass[i], text);
        if (p->pass[i].chain)
            check_chain(p, &p->pass[i], text);
        moved += (double)(p->pass[i].summary.bytes_read + p->pass[i].summary.bytes_written);
    }
    for (int i = 0; i < job->ndim; i++)
        points *= (double)job->shape[i];
    points *= (double)job->channels;
    for (int i = 0; i < GF_GPU_N_BUFFERS; i++) {
        CHECK_MSG(p->bytes[i] >= 0 && p->bytes[i] < (int64_t)1 << 48, "%s on %s: %lld bytes", text,
                  d->name, (long long)p->bytes[i]);
        kept += i <= GF_GPU_B ? (double)p->bytes[i] : 0;
    }
    double word = job->precision == GF_DOUBLE ? 2 : 1;
    /* Two buffers of a convolution's complex words, up to four times the points and a bit, where
     * lines are short 256 at least. */
    double shortest = 1e30;
    for (int i = 0; i < job->ndim; i++)
        if (job->shape[i] > 1 && (double)job->shape[i] < shortest)
            shortest = (double)job->shape[i];
    double padded = shortest < 256 ? 8 + 512 / shortest : 8;
    CHECK_MSG(kept <= points * word * (16 + 16 * padded) + 1024, "%s on %s: %.3g bytes for %.3g",
              text, d->name, kept, points);
    CHECK_MSG(moved > 0 && moved <= points * word * 16 * 2 * padded * (p->n_passes + job->n_out),
              "%s on %s: %.3g bytes moved for %.3g points", text, d->name, moved, points);
    if (moved / points / word > bytes_per_point_most)
        bytes_per_point_most = moved / points / word;
    int64_t broken = walk_plan(p, FOLLOWED, wrong, sizeof wrong);
    CHECK_MSG(!broken, "%s on %s: %lld broken: %s", text, d->name, (long long)broken, wrong);
}

/* Plans the job for the device and checks every promise; false when there is no plan. */
static bool check_job(const struct gf_job *job, const struct gf_gpu_props *d) {
    struct gf_gpu_plan *p;
    char text[160];
    backends_text(job, text);
    int rc = gf_gpu_plan_make(job, d, &p);
    bool wide = job->precision == GF_DOUBLE || job->in_dtype == GF_F64 || job->in_dtype == GF_C128;
    for (int i = 0; i < job->n_out; i++)
        wide |= job->out[i].dtype == GF_F64 || job->out[i].dtype == GF_C128;
    if (wide && !d->fp64) {
        CHECK_MSG(rc == GF_EUNABLE && !p && strstr(gf_message(), d->name), "%s on %s: %d", text,
                  d->name, rc);
        if (!rc)
            gf_gpu_plan_free(p);
        return false;
    }
    CHECK_MSG(!rc, "%s on %s: %s", text, d->name, gf_message());
    if (rc)
        return false;
    check_plan(job, d, p, text);
    n_plans++;
    n_followed += p->bytes[GF_GPU_IN] <= FOLLOWED;
    gf_gpu_plan_free(p);
    if (!gf_gpu_plan_make_way(job, d, "across", &p)) {
        check_plan(job, d, p, text);
        n_across++;
        gf_gpu_plan_free(p);
    }
    static const char *const joined[] = {"left4x1", "left1x4", "left2x2", "left4x2"};
    if (job->ndim == 3 && !gf_gpu_plan_make_way(job, d, joined[n_plans % 4], &p)) {
        check_plan(job, d, p, text);
        n_joined++;
        gf_gpu_plan_free(p);
    }
    return true;
}

/* Real ones to half a spectrum. */
static struct gf_job variant(struct gf_job job, int which) {
    job = backends_variant(job, which);
    job.out[0].half = which == 0;
    return job;
}

/* Every length along one axis. The device and the transform change with the length. */
static void check_lengths(void) {
    for (int64_t n = 1; n <= 4100; n++)
        for (int p = GF_SINGLE; p <= GF_DOUBLE && (n <= 128 || case_takes(n, 11)); p++) {
            struct gf_job job = backends_job(GF_FORWARD, GF_C64, (enum gf_precision)p, 1, n, 1, 1);
            job = variant(job, (int)(n % 5));
            int i = (int)((n + n / 5 + p) % GPU_DEVICES);
            check_job(&job, &gpu_devices[p && !gpu_devices[i].fp64 ? 0 : i]);
            if (n > 600 && n % 7)
                continue;
            job = backends_job(GF_FORWARD, GF_C64, (enum gf_precision)p, 2, 3, n, 1);
            if (n % 3 == 0) {
                job.shape[0] = n;
                job.shape[1] = 3;
            }
            job = variant(job, (int)((n + 2) % 5));
            i = (int)((n + n / 7 + p) % GPU_DEVICES);
            check_job(&job, &gpu_devices[p && !gpu_devices[i].fp64 ? 0 : i]);
        }
}

/* Lengths beyond a tile. Of a long prime the tables take a second or more: one device each. */
static void check_long(void) {
    static const int64_t n[] = {1 << 13, 10007,    16384,    16411,   20000,   65536,
                                65537,   99991,    1 << 20,  1594323, 3000000, 4826809,
                                5308416, 16777216, 19487171, 1 << 26, 1000003};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (int d = 0; d < GPU_DEVICES; d++) {
            enum gf_precision p =
                i % 2 && gpu_devices[d].fp64 && n[i] < 1 << 22 ? GF_DOUBLE : GF_SINGLE;
            struct gf_job job = backends_job(GF_FORWARD, GF_C64, p, 1, n[i], 1, 1);
            if (n[i] > 20000 && n[i] % 2 && gf_is_prime(n[i]) ? d != (int)i % GPU_DEVICES
                                                              : !case_takes((int)i + d, 2))
                continue;
            job = variant(job, (int)(i + (size_t)d) % 5);
            check_job(&job, &gpu_devices[d]);
            if (n[i] > 1 << 20)
                continue;
            job = backends_job(GF_FORWARD, GF_C64, p, 2, d % 2 ? n[i] : 2, d % 2 ? 2 : n[i], 1);
            job = variant(job, (int)(i / 2 + (size_t)d) % 5);
            check_job(&job, &gpu_devices[d]);
        }
}

/* One random job in so many is taken: no divisor of the devices, which take turns. */
enum { SAMPLE = 5 };

static void check_filters(int count, const int64_t *most) {
    uint64_t seed = 6180339;
    for (int i = 0; i < count;) {
        struct gf_job job = gpu_random_job(&seed, most);
        if (!gpu_random_filter_job(&seed, &job))
            continue;
        if (case_takes(i++, SAMPLE) && !gf_job_validate(&job))
            check_job(&job, &gpu_devices[i % GPU_DEVICES]);
        gpu_drop_filter(&job);
    }
}

static void check_random(int count, const int64_t *most) {
    uint64_t seed = 20240229;
    for (int i = 0; i < count; i++) {
        struct gf_job job = gpu_random_job(&seed, most);
        if (case_takes(i, SAMPLE) && !gf_job_validate(&job))
            check_job(&job, &gpu_devices[i % GPU_DEVICES]);
    }
}

static void check_wavelets(int count, const int64_t *most) {
    uint64_t seed = 20040229;
    for (int i = 0; i < count; i++) {
        struct gf_job job = gpu_random_wavelet(&seed, most);
        CHECK_MSG(!gf_job_validate(&job), "%s", gf_message());
        check_job(&job, &gpu_devices[i % GPU_DEVICES]);
    }
}

/* Arrays beyond 32 bits: bytes within a plane, an axis. */
static void check_far_wavelets(void) {
    static const struct {
        int ndim;
        int64_t shape[3];
        bool far;
    } cases[] = {
        {3, {1024, 1024, 1024}, false}, {3, {4, 32768, 32768}, true},
        {3, {3000, 3000, 3000}, false}, {2, {65536, 65536}, false},
        {2, {4, 1500000000}, true},     {2, {1200000000, 4}, true},
        {1, {1 << 28}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int d = 0; d < 2; d++) {
            struct gf_job job =
                backends_job((enum gf_direction)d, GF_F32, GF_SINGLE, cases[i].ndim,
                             cases[i].shape[0], cases[i].shape[1], cases[i].shape[2]);
            struct gf_gpu_plan *p;
            job.op = GF_DWT;
            job.wavelet.levels = 1;
            job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
            if (!check_job(&job, &gpu_devices[0]) || gf_gpu_plan_make(&job, &gpu_devices[0], &p))
                continue;
            CHECK_MSG((walk_option(&p->pass[0], "FAR") == 1) == cases[i].far, "case %zu: %s", i,
                      p->pass[0].kernel.options);
            gf_gpu_plan_free(p);
        }
    struct gf_job job = backends_job(GF_FORWARD, GF_F32, GF_SINGLE, 1, 3ll << 30, 1, 1);
    struct gf_gpu_plan *p;
    job.op = GF_DWT;
    job.wavelet.levels = 1;
    job.out[0] = (struct gf_output){.kind = GF_REAL, .dtype = GF_F32};
    CHECK_EQ(gf_gpu_plan_make(&job, &gpu_devices[0], &p), GF_EUNSUPP);
}

/* Elements of c2c beyond 32 bits. */
static void check_far(void) {
    static const struct {
        int64_t shape[3];
        bool far;
    } cases[] = {{{512, 512, 1024}, false},
                 {{1, 32768, 32768}, false},
                 {{1, 40000, 60000}, true},
                 {{1300, 1300, 1300}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *n = cases[i].shape;
        struct gf_job job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, 3, n[0], n[1], n[2]);
        struct gf_gpu_plan *p;
        if (!check_job(&job, &gpu_devices[0]) || gf_gpu_plan_make(&job, &gpu_devices[0], &p))
            continue;
        for (int pass = 0; pass < p->n_passes; pass++)
            CHECK_MSG((walk_option(&p->pass[pass], "FAR") == 1) == cases[i].far, "case %zu: %s", i,
                      p->pass[pass].kernel.options);
        gf_gpu_plan_free(p);
    }
}

/* Jobs of which two passes are one launch, and others. */
static void check_chains(void) {
    static const struct {
        int64_t shape[3];
        unsigned axes;
        int real; /* samples; 2: to whole spectra */
        int chains;
    } cases[] = {
        {{1, 8192, 8192}, 6, 0, 1},    {{1000, 256, 256}, 6, 0, 1},  {{1000, 512, 512}, 6, 0, 1},
        {{1000, 256, 256}, 6, 1, 1},   {{256, 256, 256}, 7, 0, 1},   {{512, 512, 512}, 7, 0, 1},
        {{256, 256, 256}, 7, 1, 1},    {{1, 4096, 4096}, 6, 0, 0},   {{1, 2003, 3001}, 6, 0, 0},
        {{1, 1, 1 << 24}, 4, 0, 0},    {{1, 16384, 16384}, 6, 0, 1}, {{1024, 1024, 1024}, 7, 0, 0},
        {{1300, 1300, 1300}, 7, 0, 0}, {{512, 512, 512}, 7, 1, 0},   {{256, 256, 256}, 7, 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t *n = cases[i].shape;
        struct gf_job job = backends_job(GF_FORWARD, cases[i].real ? GF_F32 : GF_C64, GF_SINGLE, 3,
                                         n[0], n[1], n[2]);
        struct gf_gpu_plan *p;
        job.axes = cases[i].axes;
        job.out[0].half = cases[i].real == 1;
        if (!check_job(&job, &gpu_devices[0]) || gf_gpu_plan_make(&job, &gpu_devices[0], &p))
            continue;
        CHECK_MSG(p->n_chains == cases[i].chains, "case %zu: %d chains", i, p->n_chains);
        gf_gpu_plan_free(p);
    }
}

/* Pictures to displays: the largest value of a channel is found in one launch, and columns are fetched
 * ahead where a unit has several tiles. */
static void check_pictures(void) {
    static const struct {
        int64_t height, width, channels;
        int passes;
        const char *first;
    } cases[] = {{4096, 4096, 1, 3, "fft_ahead"},
                 {4096, 4094, 1, 4, "fft_plain"},
                 {2048, 2048, 1, 3, "fft_plain"},
                 {2048, 2048, 3, 4, "fft_plain"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gf_job job = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 2, cases[i].height,
                                         cases[i].width, (int64_t)1);
        struct gf_gpu_plan *p;
        job.channels = cases[i].channels;
        job.out[0] = (struct gf_output){
            .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .shift = true};
        if (!check_job(&job, &gpu_devices[0]) || gf_gpu_plan_make(&job, &gpu_devices[0], &p))
            continue;
        CHECK_MSG(p->n_passes == cases[i].passes && p->pass[0].groups >= 1 &&
                      !strcmp(p->pass[0].kernel.entry, cases[i].first),
                  "case %zu: %d passes, %s", i, p->n_passes, p->pass[0].kernel.entry);
        gf_gpu_plan_free(p);
    }
}

/* An automatic range by itself, as around another library's transform: its lists have a buffer. */
static void check_sample(void) {
    struct gf_gpu_plan *p = calloc(1, sizeof *p);
    const int64_t extent[4] = {1, 512, 257, 1};
    const struct gf_gpu_space space = gf_gpu_planes(GF_GPU_B, extent, 8);
    CHECK(p);
    p->job = backends_job(GF_FORWARD, GF_U8, GF_SINGLE, 2, 512, 512, 1);
    p->job.out[0] = (struct gf_output){
        .kind = GF_MAGNITUDE, .dtype = GF_U8, .map = GF_MAP_DISPLAY, .range = GF_RANGE_AUTO};
    p->props = gpu_devices[0];
    gf_gpu_size_buffers(p);
    CHECK(gf_output_samples(&p->job, 0));
    CHECK_EQ(gf_gpu_add_range_sample(p, 0, &space), 0);
    CHECK(p->tables.order_count > 0 && p->bytes[GF_GPU_ORDER] >= 4 * p->tables.order_count);
    gf_gpu_plan_free(p);
}

static void check_named(void) {
    int n;
    const char *const *list = backends_named_jobs(&n);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < GPU_DEVICES; d++) {
            struct gf_job job;
            if (case_takes(i + d, 3) && backends_parse(list[i], &job))
                check_job(&job, &gpu_devices[d]);
        }
}

static void check_lines(void) {
    struct gf_job job;
    for (int i = 0; gpu_line_job(i, &job); i++)
        for (int d = 0; d < GPU_DEVICES; d++)
            check_job(&job, &gpu_devices[d]);
}

/* Groups read and write short rows as a whole, on GPUs alone; not long rows, and not those that are one
 * launch with the columns. */
static void check_rows(void) {
    static const struct {
        int64_t shape[3];
        unsigned axes;
        int device;
        bool coalesced;
    } cases[] = {{{1, 100000, 16}, 4, 0, true},  {{200, 300, 10}, 4, 0, true},
                 {{1, 100000, 16}, 4, 4, false}, {{1, 10000, 1024}, 4, 0, false},
                 {{300, 16, 300}, 2, 0, false},  {{10000, 16, 16}, 6, 0, false},
                 {{100, 2000, 16}, 6, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int half = 0; half < 2; half++) {
            const int64_t *n = cases[i].shape;
            struct gf_job job =
                backends_job(GF_FORWARD, half ? GF_F32 : GF_C64, GF_SINGLE, 3, n[0], n[1], n[2]);
            struct gf_gpu_plan *p;
            job.axes = cases[i].axes;
            job.out[0].half = half;
            if (half && cases[i].axes == 6) /* their rows are taken with their mirror images */
                continue;
            if (!check_job(&job, &gpu_devices[cases[i].device]) ||
                gf_gpu_plan_make(&job, &gpu_devices[cases[i].device], &p))
                continue;
            bool found = false;
            for (int k = 0; k < p->n_passes; k++)
                if (p->pass[k].chain)
                    k++; /* both are one launch, which has tiles of its own */
                else
                    found |= p->pass[k].tile.coalesced_in && p->pass[k].tile.coalesced_out;
            CHECK_MSG(found == cases[i].coalesced, "case %zu: %s", i, p->pass[0].kernel.options);
            gf_gpu_plan_free(p);
        }
}

/* Columns of 4096 points leave their last radix to the pass along the rows; those that fill a tile with
 * segments of 64 bytes do not. */
static void check_across(void) {
    for (int64_t n = 2048; n <= 4096; n *= 2) {
        struct gf_job job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, 2, n, n, 1);
        struct gf_gpu_plan *p;
        if (!check_job(&job, &gpu_devices[0]) || gf_gpu_plan_make(&job, &gpu_devices[0], &p))
            continue;
        const struct gf_gpu_pass *last = &p->pass[p->n_passes - 1];
        CHECK_EQ(p->n_passes, 2);
        CHECK_MSG((walk_option(last, "ACROSS") == 1) == (n == 4096), "columns of %lld: %s",
                  (long long)n, last->kernel.options);
        gf_gpu_plan_free(p);
    }
}

/* Volumes whose planes are too far apart for columns of 64 bytes leave radices of z and y to the rows;
 * those that chain their planes do not. */
static void check_joined(void) {
    for (int64_t n = 256; n <= 1024; n *= 2) {
        struct gf_job job = backends_job(GF_FORWARD, GF_C64, GF_SINGLE, 3, n, n, n);
        struct gf_gpu_plan *p;
        if (!check_job(&job, &gpu_devices[0]) || gf_gpu_plan_make(&job, &gpu_devices[0], &p))
            continue;
        const struct gf_gpu_pass *last = &p->pass[p->n_passes - 1];
        CHECK_EQ(p->n_passes, 3);
        CHECK_MSG((walk_option(last, "JOIN_Z") > 1) == (n == 1024), "volume of %lld: %s",
                  (long long)n, last->kernel.options);
        /* No more memory than in and out. */
        CHECK_EQ(p->bytes[GF_GPU_A], 0);
        CHECK_EQ(p->bytes[GF_GPU_B], 0);
        gf_gpu_plan_free(p);
    }
}

int main(int argc, char **argv) {
    static const int64_t little[4] = {1500, 60, 18, 9}, much[4] = {20000, 9000, 900, 90};
    gpu_make_devices();
    if (argc > 1 && !strcmp(argv[1], "options")) {
        gpu_kernels_list();
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "source"))
        return gpu_kernels_print(argv[2]);
    if (argc > 1 && !strcmp(argv[1], "nvrtc"))
        return gpu_kernels_compile(argc > 2 ? atoi(argv[2]) : 0);
    RUN("named jobs are planned", check_named());
    RUN("jobs of lines are planned", check_lines());
    RUN("every length up to 4100 is planned", check_lengths());
    RUN("lengths beyond a tile are planned", check_long());
    RUN("small random jobs are planned", check_random(2500, little));
    RUN("large random jobs are planned", check_random(150, much));
    RUN("small random filters are planned", check_filters(800, little));
    RUN("large random filters are planned", check_filters(60, much));
    RUN("small random wavelets are planned", check_wavelets(1500, little));
    RUN("large random wavelets are planned", check_wavelets(150, much));
    RUN("wavelets beyond 32 bits are planned", check_far_wavelets());
    RUN("transforms beyond 32 bits are planned", check_far());
    RUN("short rows are read and written by whole groups", check_rows());
    RUN("two passes of which one launch is made are chained", check_chains());
    RUN("columns leave their last radix to the rows where that pays", check_across());
    RUN("volumes leave radices of z and y to the rows where that pays", check_joined());
    RUN("pictures to displays have the expected passes", check_pictures());
    RUN("an automatic range by itself has a buffer for its lists", check_sample());
    printf(
        "%d plans, %d followed element by element, %d chains, %d with planes in a tile, %d with a "
        "radix across, %d with joined rows; at most %.0f bytes moved a point\n",
        n_plans, n_followed, n_chains, n_planes, n_across, n_joined, bytes_per_point_most);
    return TEST_END();
}
