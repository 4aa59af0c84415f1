/* Wavelets plane by plane, in one stream and in parts, beside the same at once: bit for bit.
 *
 *     test_dwt_stream [gpu] [BACKEND...]
 *
 * `gpu`: on a device that is not the CPU. */
#include <string.h>

#include "cli/environment.h"
#include "core/split/wavelet.h"
#include "core/wavelet/dwt.h"
#include "core/wavelet/stream.h"
#include "tests/core/backends.h"
#include "tests/core/dwt_run.h"

static const char *device; /* NULL: the first */
static enum wavelet wavelet;

/* A box into an array that represents the file. */
static void into_array(const struct gf_array *c, const struct gf_dwt_box *box) {
    for (int64_t i = 0; i < box->height; i++)
        memcpy((char *)c->data + box->z * c->stride[0] + (box->y + i) * c->stride[1] +
                   box->x * c->stride[2],
               (const char *)box->data + i * box->stride, (size_t)(box->width * c->stride[2]));
}

static int take_boxes(void *user, const struct gf_dwt_box *box, int n) {
    for (int i = 0; i < n; i++)
        into_array(user, &box[i]);
    return 0;
}

/* A context for streams: of a device one with so little memory that they take several chunks.
 * NULL in host memory. */
static void *stream_context(int64_t bytes) {
    struct gf_backend_options options = {
        .environment = gf_environment(), .threads = 1, .device = device, .device_memory = bytes};
    void *context = NULL;
    if (backend->devices)
        CHECK_EQ(backend->open(backend, &options, &context), 0);
    return context;
}

/* Plane by plane gives the same bits as the whole at once, for any number of planes. */
static void test_stream(void) {
    static const unsigned axes[] = {7, 1, 5, 3};
    for (int b = GF_PERIODIC; b <= GF_ZERO; b++)
        for (int64_t n = 2; n <= 40; n += backend->devices ? 3 : 1) {
            int64_t shape[3] = {n, 9 + n % 4, 20 - n % 3};
            unsigned on = axes[n % 4];
            int most = gf_dwt_max_levels(
                3, shape, on,
                &(struct gf_wavelet){.name = wavelet, .boundary = (enum gf_boundary)b});
            struct gf_job job = make_job(GF_FORWARD, 3, shape, on, n % 5 ? most : 1,
                                         (enum gf_boundary)b, n % 2 ? GF_U8 : GF_F32, GF_F32);
            job.wavelet.name = wavelet;
            job.channels = 1 + n % 2;
            if (n % 7 == 0) {
                job.wavelet.threshold = GF_SOFT;
                job.wavelet.amount = 0.2;
            }
            struct gf_array in = {0}, whole = {0}, parts = {0};
            struct gf_dwt_stream *stream;
            int64_t full[GF_MAX_RANK];
            gf_job_in_shape(&job, full);
            CHECK_EQ(gf_array_alloc(&in, job.in_dtype, 4, full), 0);
            backends_fill(&in, &seed);
            gf_job_out_shape(&job, 0, full);
            CHECK_EQ(gf_array_alloc(&parts, GF_F32, 4, full), 0);
            memset(parts.data, 0, (size_t)gf_array_count(&parts) * sizeof(float));
            struct gf_dwt_taker taker = {.emit = take_boxes, .user = &parts};
            void *context = stream_context((200 + n % 5 * 60) << 10);
            const int64_t memory = n % 3 ? INT64_MAX : 1; /* too little: the fewest planes */
            int rc =
                backend->streamer->open(context, &job, 1 + (int)(n % 2), memory, &taker, &stream);
            CHECK_MSG(!rc, "%s", gf_message());
            for (int64_t z = 0; z < n && !rc; z++) {
                struct gf_array plane = gf_array_index(&in, 0, z);
                rc = backend->streamer->push(stream, &plane);
            }
            CHECK_MSG(!rc, "%s", gf_message());
            if (run(&job, &in, &whole, NULL))
                CHECK_MSG(
                    !memcmp(parts.data, whole.data, (size_t)gf_array_count(&parts) * sizeof(float)),
                    "%d planes, boundary %d, axes %u", (int)n, b, on);
            struct gf_dwt_stream_info info;
            backend->streamer->info(stream, &info);
            CHECK(backend->devices ||
                  info.peak <= 2.5 * gf_dwt_taps(&job.wavelet) * job.wavelet.levels);
            backend->streamer->close(stream);
            if (context)
                backend->close(context);
            gf_array_free(&in);
            gf_array_free(&whole);
            gf_array_free(&parts);
        }
}

/* A part's boxes, to their places in the array. */
struct place {
    const struct gf_dwt_part *part;
    struct gf_array *to;
};

static int into_place(void *user, const struct gf_dwt_box *box, int n) {
    const struct place *p = user;
    for (int i = 0; i < n; i++) {
        struct gf_dwt_box b = box[i];
        if (gf_dwt_part_place(p->part, &b))
            into_array(p->to, &b);
    }
    return 0;
}

static void run_part(const struct gf_dwt_part *part, const struct gf_array *in,
                     struct gf_array *out) {
    struct place place = {part, out};
    const struct gf_dwt_taker taker = {.emit = into_place, .user = &place};
    struct gf_dwt_stream *stream;
    void *context = stream_context(1 << 20);
    int rc = backend->streamer->open(context, &part->job, 1, INT64_MAX, &taker, &stream);
    for (int64_t k = 0; k < part->job.shape[0] && !rc; k++) {
        struct gf_array plane = gf_array_index(in, 0, gf_dwt_part_plane(part, k));
        rc = backend->streamer->push(stream, &plane);
    }
    CHECK_MSG(!rc, "%s", gf_message());
    backend->streamer->close(stream);
    if (context)
        backend->close(context);
}

/* Shares are side by side, and what a part reads beside its own is little. */
static void check_parts(const struct gf_job *job, int n) {
    int64_t next = 0;
    for (int i = 0; i < n; i++) {
        struct gf_dwt_part part;
        gf_dwt_part(job, n, i, &part);
        CHECK_EQ(part.own[0].first, next);
        CHECK(n < 2 || gf_dwt_part_beside(&part) <= part.own[0].count / 4);
        next += part.own[0].count;
    }
    struct gf_dwt_part first;
    gf_dwt_part(job, n, 0, &first);
    CHECK_EQ(next + first.own[1].count, job->shape[0]);
}

/* Part by part gives the same bits as the whole, whatever the boundary, the levels and their extents. */
static void test_parts(void) {
    static const unsigned axes[] = {7, 1, 5, 3};
    int shared = 0;
    for (int b = GF_PERIODIC; b <= GF_ZERO; b++)
        for (int64_t n = 63; n <= 271; n += backend->devices ? 69 : 13) {
            const int levels = n < 128 ? 1 : n < 256 ? 2 : 3;
            int64_t shape[3] = {n, 5 + n % 4, 10 - n % 3}, full[GF_MAX_RANK];
            struct gf_job job = make_job(GF_FORWARD, 3, shape, axes[n % 4], levels,
                                         (enum gf_boundary)b, n % 2 ? GF_U8 : GF_F32, GF_F32);
            job.wavelet.name = wavelet;
            const int parts = gf_dwt_parts(&job, 2 + (int)(n % 4));
            struct gf_array in = {0}, whole = {0}, out = {0};
            shared += parts > 1;
            check_parts(&job, parts);
            gf_job_in_shape(&job, full);
            CHECK_EQ(gf_array_alloc(&in, job.in_dtype, 4, full), 0);
            backends_fill(&in, &seed);
            gf_job_out_shape(&job, 0, full);
            CHECK_EQ(gf_array_alloc(&out, GF_F32, 4, full), 0);
            memset(out.data, 0, (size_t)gf_array_bytes(&out));
            for (int i = 0; i < parts; i++) {
                struct gf_dwt_part part;
                gf_dwt_part(&job, parts, i, &part);
                run_part(&part, &in, &out);
            }
            if (run(&job, &in, &whole, NULL))
                CHECK_MSG(!memcmp(out.data, whole.data, (size_t)gf_array_bytes(&out)),
                          "%d planes in %d parts, %d levels, boundary %d", (int)n, parts, levels,
                          b);
            gf_array_free(&in);
            gf_array_free(&whole);
            gf_array_free(&out);
        }
    CHECK(shared > 4 || wavelet != WAVELET_D4);
}

/* ---- inverses ---- */

struct arrays {
    const struct gf_array *in;
    struct gf_array *out;
    char *written; /* how often each plane was */
};

static int read_rows(void *user, const struct gf_slab_rows *rows, void *to) {
    const struct gf_array *a = ((struct arrays *)user)->in;
    memcpy(to, (char *)a->data + rows->page * a->stride[0] + rows->row * a->stride[1],
           (size_t)(rows->count * a->stride[1]));
    return 0;
}

static int write_rows(void *user, int i, const struct gf_slab_rows *rows, const void *data) {
    const struct arrays *x = user;
    const struct gf_array *a = &x->out[i];
    memcpy((char *)a->data + rows->page * a->stride[0] + rows->row * a->stride[1], data,
           (size_t)(rows->count * a->stride[1]));
    x->written[rows->page]++;
    return 0;
}

static int run_chunk(void *user, const struct gf_job *job, const struct gf_array *in,
                     struct gf_array *out, struct gf_report *report) {
    (void)user;
    return run(job, in, out, report) ? 0 : GF_EBACKEND;
}

/* So many parts, all but the first few pairs of whose planes are in memory at a time. */
static void run_inverse_parts(const struct gf_job *job, const struct gf_array *in,
                              struct gf_array *out, int parts, int64_t pairs) {
    char written[512] = {0};
    struct arrays x = {in, out, written};
    const struct gf_slab_io io = {
        .user = &x, .threads = 1, .read_rows = read_rows, .write = write_rows, .run = run_chunk};
    struct gf_slab_wavelet all, part;
    struct gf_report report;
    int64_t own = 0;
    CHECK_EQ(gf_slab_wavelet_make(job, 1 << 30, &all), 0);
    all.pairs = pairs;
    for (int i = parts; i-- > 0;) {
        gf_slab_wavelet_part(&all, parts, i, &part);
        CHECK_EQ(gf_slab_wavelet_run(&part, &io, &report), 0);
        CHECK(part.pairs <= part.own.count);
        CHECK(part.planes_read >= 2 * part.own.count &&
              part.planes_read < 3 * part.own.count + 4 * gf_dwt_taps(&job->wavelet));
        own += part.own.count;
    }
    CHECK_EQ(own, all.own.count);
    for (int64_t z = 0; z < job->shape[0]; z++)
        CHECK_EQ(written[z], 1);
}

/* Part by part gives the same bits as the whole, and every plane once. */
static void test_inverse_parts(void) {
    static const unsigned axes[] = {7, 1, 5, 3};
    int shared = 0;
    for (int b = GF_PERIODIC; b <= GF_ZERO; b++)
        for (int64_t n = 31; n <= 199; n += backend->devices ? 72 : 7) {
            const int levels = n < 60 ? 1 : n < 120 ? 2 : 3;
            const int64_t v = backend->devices ? 0 : n; /* kernels take time to compile */
            int64_t shape[3] = {n, 5 + v % 4, 10 - v % 3}, full[GF_MAX_RANK];
            struct gf_job job = make_job(GF_INVERSE, 3, shape, axes[v % 4], levels,
                                         (enum gf_boundary)b, GF_F32, v % 2 ? GF_I16 : GF_F32);
            job.wavelet.name = wavelet;
            const int parts = gf_dwt_parts(&job, 2 + (int)(n % 5));
            struct gf_array in = {0}, whole = {0}, out = {0};
            shared += parts > 1;
            gf_job_in_shape(&job, full);
            CHECK_EQ(gf_array_alloc(&in, GF_F32, 4, full), 0);
            backends_fill(&in, &seed);
            gf_job_out_shape(&job, 0, full);
            CHECK_EQ(gf_array_alloc(&out, job.out[0].dtype, 4, full), 0);
            run_inverse_parts(&job, &in, &out, parts, n % 3 ? 3 : 100);
            if (run(&job, &in, &whole, NULL))
                CHECK_MSG(!memcmp(out.data, whole.data, (size_t)gf_array_bytes(&out)),
                          "%d planes in %d parts, %d levels, boundary %d", (int)n, parts, levels,
                          b);
            gf_array_free(&in);
            gf_array_free(&whole);
            gf_array_free(&out);
        }
    CHECK(shared > 4);
}

static void test_backend(bool gpu) {
    char reason[GF_REASON], number[16];
    struct gf_backend_options options = {.environment = gf_environment(), .threads = 1};
    if (!backend->streamer || backend->probe(backend, gf_environment(), reason))
        return;
    device = gpu ? find_gpu(number) : gf_environment_device();
    if (gpu && !device) {
        printf("%s: skipped: no device but the CPU\n", backend->name);
        return;
    }
    options.device = device;
    for (int i = 0; i < 2; i++, options.threads = 2)
        NEED(!backend->open(backend, &options, &contexts[i]));
    for (int i = 0; i < N_WAVELETS; i++) {
        const int taps = gf_dwt_taps(&(struct gf_wavelet){.name = (enum wavelet)i});
        if (taps != 4 && backend->devices)
            continue;
        wavelet = (enum wavelet)i;
        RUN(case_name("%s, %d taps: the same bits plane by plane", backend->name, taps),
            test_stream());
        RUN(case_name("%s, %d taps: the same bits part by part", backend->name, taps),
            test_parts());
        RUN(case_name("%s, %d taps: inverts part by part to the same bits", backend->name, taps),
            test_inverse_parts());
    }
    for (int i = 0; i < 2; i++)
        backend->close(contexts[i]);
}

int main(int argc, char **argv) {
    gf_environment_read();
    const bool gpu = argc > 1 && !strcmp(argv[1], "gpu");
    for (int i = 0; gf_backends[i]; i++) {
        bool wanted = argc == 1 + gpu;
        backend = gf_backends[i];
        for (int k = 1; k < argc; k++)
            wanted = wanted || !strcmp(argv[k], backend->name);
        if (wanted)
            test_backend(gpu);
    }
    return TEST_END();
}
