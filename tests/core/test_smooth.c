/* The smooth part of random pictures: it has the Laplacian that its definition gives it, and what is
 * filled in beyond the edges is made of it. */
#include <math.h>
#include <string.h>

#include "core/base/job/backend.h"
#include "core/base/value/status.h"
#include "core/filter/edges.h"
#include "core/filter/smooth.h"
#include "core/filter/smooth_pages.h"
#include "tests/core/backends.h"
#include "tests/test.h"

static const struct gf_backend *const backend = &gf_backend_openmp;

static double get(const struct gf_array *a, int64_t at) {
    return a->dtype == GF_F64 ? ((const double *)a->data)[at]
                              : (double)((const float *)a->data)[at];
}

static void alloc(struct gf_array *a, enum gf_dtype type, int rank, const int64_t *shape) {
    CHECK_MSG(!gf_array_alloc(a, type, rank, shape), "%s", gf_message());
}

/* `in` becomes the job's output. */
static void run(void *context, const struct gf_job *job, struct gf_array *in) {
    struct gf_array out;
    int64_t shape[GF_MAX_RANK];
    if (!job->axes)
        return;
    gf_job_out_shape(job, 0, shape);
    alloc(&out, job->out[0].dtype, job->ndim + 1, shape);
    CHECK_MSG(!gf_backend_run(backend, context, job, in, &out, NULL), "%s", gf_message());
    gf_array_free(in);
    *in = out;
}

static void make_part(void *context, const struct gf_array *u, struct gf_smooth *x) {
    struct gf_array jump;
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(&x->forward, shape);
    alloc(&jump, x->forward.in_dtype, u->rank, shape);
    gf_smooth_jump(x, u, &jump);
    run(context, &x->forward, &jump);
    gf_job_in_shape(&x->inverse, shape);
    alloc(&x->part, x->inverse.in_dtype, u->rank, shape);
    CHECK_EQ(gf_smooth_extend(x, 2, &jump, &x->part), GF_OK);
    run(context, &x->inverse, &x->part);
    gf_array_free(&jump);
}

/* Offset of an index, each of whose extents is `extent`. */
static int64_t offset(const int64_t *at, const int64_t *extent) {
    int64_t o = 0;
    for (int i = 0; i < 4; i++)
        o = o * extent[i] + at[i];
    return o;
}

static bool next(int64_t *at, const int64_t *extent) {
    for (int i = 3; i >= 0; i--) {
        if (++at[i] < extent[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* s at one index of 3 axes and a channel. */
static double value(const struct gf_smooth *x, int count, const int64_t *at, const int64_t *n) {
    double s = 0;
    for (int j = 0; j < count; j++) {
        int64_t k[4], extent[4], i = x[j].axis, m = n[i] / 2;
        memcpy(k, at, sizeof k);
        memcpy(extent, n, sizeof extent);
        extent[i] = m;
        k[i] = at[i] < m ? at[i] : n[i] - 1 - at[i];
        if (k[i] < m)
            s += (at[i] < m ? 1 : -1) * get(&x[j].part, offset(k, extent));
    }
    return s;
}

/* Laplacian of s less the jumps of u, at one index. */
static double residue(const struct gf_smooth *x, int count, const struct gf_array *u,
                      const int64_t *at, const int64_t *n) {
    double sum = 0;
    for (int j = 0; j < count; j++) {
        int i = x[j].axis;
        for (int step = -1; step <= 1; step += 2) {
            int64_t k[4];
            memcpy(k, at, sizeof k);
            k[i] = (at[i] + step + n[i]) % n[i];
            sum += value(x, count, k, n) - value(x, count, at, n);
            if (k[i] - at[i] != step) /* across the ends of the axis */
                sum -= get(u, offset(k, n)) - get(u, offset(at, n));
        }
    }
    return sum;
}

/* The value that gf_smooth_fill() should put at an index of the lengthened array. */
static double beyond(const struct gf_smooth *x, int count, const struct gf_array *u,
                     const int64_t *at, const int64_t *n) {
    int64_t from[4], image[4];
    bool inside = true;
    for (int i = 0; i < 4; i++) {
        from[i] = at[i] % n[i];
        image[i] = at[i] < n[i] ? at[i] : 2 * n[i] - 1 - at[i];
        inside = inside && at[i] < n[i];
    }
    double v = get(u, offset(from, n));
    return inside ? v : v - value(x, count, from, n) + value(x, count, image, n);
}

/* ---- page by page ---- */

/* s of some pages. */
static void make_pages(void *context, const struct gf_smooth_pages *s, int64_t first, int64_t count,
                       struct gf_array *pages) {
    const struct gf_job job = gf_smooth_pages_job(s, count);
    int64_t shape[GF_MAX_RANK];
    gf_job_in_shape(&job, shape);
    alloc(pages, job.in_dtype, 4, shape);
    CHECK_EQ(gf_smooth_pages_spectrum(s, 2, first, pages), GF_OK);
    run(context, &job, pages);
}

/* The largest difference between the page of the lengthened array as `whole` has it and as it is made of
 * pages of s. */
static double page_error(void *context, const struct gf_smooth_pages *s, const struct gf_array *u,
                         const struct gf_array *whole, int64_t z) {
    const int64_t n = u->shape[0], bytes = u->shape[2] * u->stride[2];
    const bool inside = z < n;
    const struct gf_array from = gf_array_slice(whole, 0, z, 1);
    struct gf_array part[2], page;
    double wrong = 0;
    alloc(&page, u->dtype, 4, from.shape);
    make_pages(context, s, z % n, 1, &part[0]);
    make_pages(context, s, inside ? z : 2 * n - 1 - z, 1, &part[1]);
    for (int64_t y = 0; y < u->shape[1]; y++)
        memcpy((char *)page.data + y * page.stride[1],
               (char *)u->data + z % n * u->stride[0] + y * u->stride[1], (size_t)bytes);
    gf_smooth_fill_page(u->shape + 1, 2, part, inside, &page);
    for (int64_t i = 0; i < gf_array_count(&page); i++)
        wrong = fmax(wrong, fabs(get(&page, i) - get(&from, i)));
    for (int i = 0; i < 2; i++)
        gf_array_free(&part[i]);
    gf_array_free(&page);
    return wrong;
}

/* A few pages of s at a time are the whole of it; `wide` is u lengthened. */
static void test_pages(void *context, const struct gf_job *job, const struct gf_smooth *x,
                       int count, const struct gf_array *u, const struct gf_array *wide) {
    const int64_t *n = u->shape;
    const double bound = u->dtype == GF_F64 ? 1e-12 : 3e-5;
    struct gf_smooth_pages s;
    double wrong = 0, largest = 0;
    gf_smooth_pages_init(&s, job);
    CHECK_EQ(gf_smooth_pages_take(&s), GF_OK);
    for (int64_t z = 0, some; z < n[0]; z += some) {
        some = z + 2 < n[0] ? 2 : n[0] - z;
        const struct gf_array pages = gf_array_slice(u, 0, z, some);
        gf_smooth_pages_look(&s, z, &pages);
    }
    for (int i = 0; i < GF_MAX_DIMS; i++)
        if (s.face[i].jumps)
            run(context, &s.face[i].job, &s.face[i].of);
    for (int64_t z = 0, some; z < n[0]; z += some) {
        struct gf_array pages;
        int64_t at[4] = {0}, i = 0;
        some = z + 3 < n[0] ? 3 : n[0] - z;
        make_pages(context, &s, z, some, &pages);
        const int64_t extent[4] = {some, n[1], n[2], n[3]};
        do {
            const int64_t of[4] = {z + at[0], at[1], at[2], at[3]};
            const double v = value(x, count, of, n);
            wrong = fmax(wrong, fabs(get(&pages, i++) - v));
            largest = fmax(largest, fabs(v));
        } while (next(at, extent));
        gf_array_free(&pages);
    }
    for (int64_t z = 0; z < wide->shape[0]; z += 3)
        wrong = fmax(wrong, page_error(context, &s, u, wide, z));
    CHECK_MSG(wrong <= bound * largest, "%lldx%lldx%lld axes %u by pages: %g of %g",
              (long long)n[0], (long long)n[1], (long long)n[2], job->axes, wrong, largest);
    gf_smooth_pages_free(&s);
}

/* u - s in place of u. */
static void test_subtracted(const struct gf_smooth *x, int count, const struct gf_array *u,
                            double bound) {
    const int64_t *n = u->shape;
    int64_t at[4] = {0};
    struct gf_array p;
    double wrong = 0;
    alloc(&p, u->dtype, 4, n);
    memcpy(p.data, u->data, (size_t)gf_array_bytes(u));
    CHECK_EQ(gf_smooth_subtract(x, count, 2, &p), GF_OK);
    do {
        const int64_t i = offset(at, n);
        wrong = fmax(wrong, fabs(get(&p, i) - (get(u, i) - value(x, count, at, n))));
    } while (next(at, n));
    CHECK_MSG(wrong <= bound, "subtracted: %g", wrong);
    gf_array_free(&p);
}

/* n: three extents and the channels. */
static void test_picture(void *context, const int64_t *n, unsigned axes, enum gf_precision p) {
    const enum gf_dtype type = p == GF_DOUBLE ? GF_F64 : GF_F32;
    const double bound = p == GF_DOUBLE ? 1e-13 : 3e-5;
    struct gf_job job = {
        .ndim = 3, .channels = n[3], .axes = axes, .in_dtype = type, .precision = p};
    memcpy(job.shape, n, sizeof job.shape);
    struct gf_smooth x[GF_MAX_DIMS];
    struct gf_array u, picture, a;
    int64_t at[4] = {0}, wide[4] = {n[0], n[1], n[2], n[3]};
    uint64_t seed = 11;
    int count = 0;
    alloc(&u, type, 4, n);
    backends_fill(&u, &seed);
    for (int i = 0; i < 3; i++)
        if (gf_smooth_init(&x[count], &job, i)) {
            make_part(context, &u, &x[count++]);
            wide[i] = gf_edges_length(GF_EDGES_SMOOTH, n[i]);
        }
    double most = 0, largest = 0, sum = 0, wrong = 0;
    do {
        most = fmax(most, fabs(residue(x, count, &u, at, n)));
        largest = fmax(largest, fabs(get(&u, offset(at, n))));
        sum += value(x, count, at, n);
    } while (next(at, n));
    CHECK_MSG(most <= bound * largest, "%lldx%lldx%lld axes %u: %g of %g", (long long)n[0],
              (long long)n[1], (long long)n[2], axes, most, largest);
    CHECK_MSG(fabs(sum) <= bound * largest * (double)gf_array_count(&u), "sum %g", sum);
    alloc(&a, type, 4, wide);
    picture = a;
    memcpy(picture.shape, u.shape, sizeof u.shape);
    do {
        int64_t to = offset(at, wide);
        if (type == GF_F64)
            ((double *)a.data)[to] = get(&u, offset(at, n));
        else
            ((float *)a.data)[to] = (float)get(&u, offset(at, n));
    } while (next(at, n));
    CHECK_EQ(gf_smooth_fill(x, count, 2, n, &a), GF_OK);
    do
        wrong = fmax(wrong, fabs(get(&a, offset(at, wide)) - beyond(x, count, &u, at, n)));
    while (next(at, wide));
    CHECK_MSG(wrong <= bound * largest, "beyond the edges: %g of %g", wrong, largest);
    test_subtracted(x, count, &u, bound * largest);
    if ((axes & 5) == 5 && n[0] > 1 && n[2] > 1)
        test_pages(context, &job, x, count, &u, &a);
    for (int j = 0; j < count; j++)
        gf_array_free(&x[j].part);
    gf_array_free(&u);
    gf_array_free(&a);
}

int main(void) {
    static const int64_t shapes[][4] = {
        {1, 1, 2, 1},    {1, 1, 7, 2}, {1, 2, 3, 1},  {1, 64, 45, 1}, {1, 45, 64, 3},
        {1, 150, 40, 1}, {5, 9, 8, 2}, {4, 3, 90, 1}, {40, 31, 2, 1}, {1, 1, 1, 1}};
    struct gf_backend_options options = {.threads = 2};
    void *context;
    NEED(!backend->open(backend, &options, &context));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        RUN(
            case_name(
                "the smooth part of %dx%dx%d with %d channels has the Laplacian of its definition",
                (int)shapes[i][0], (int)shapes[i][1], (int)shapes[i][2], (int)shapes[i][3]),
            for (unsigned axes = 1; axes < 8; axes++) {
                test_picture(context, shapes[i], axes, GF_DOUBLE);
                test_picture(context, shapes[i], axes, GF_SINGLE);
            });
    backend->close(context);
    return TEST_END();
}
