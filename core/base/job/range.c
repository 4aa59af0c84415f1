/* Display ranges of a spectrum that is shown in parts. */
#include "core/base/job/range.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/value/halves.h"
#include "core/base/value/status.h"

/* ---- what an output needs ---- */

static bool has_range(const struct gf_output *o, enum gf_range range) {
    return gf_output_is_display(o) && o->kind != GF_PHASE && o->range == range;
}

bool gf_output_samples(const struct gf_job *job, int i) {
    return has_range(&job->out[i], GF_RANGE_AUTO);
}

bool gf_output_is_full(const struct gf_output *out) {
    return has_range(out, GF_RANGE_FULL);
}

/* No sum of non-negative samples times factors on the unit circle exceeds their plain sum. */
bool gf_output_scans(const struct gf_job *job, int i) {
    const enum gf_kind kind = job->out[i].kind;
    const bool is_unsigned =
        job->in_dtype == GF_U8 || job->in_dtype == GF_U16 || job->in_dtype == GF_U32;
    return gf_output_is_full(&job->out[i]) &&
           !(job->direction == GF_FORWARD && is_unsigned &&
             (kind == GF_MAGNITUDE || kind == GF_POWER || kind == GF_REAL));
}

bool gf_output_scans_parts(const struct gf_job *job, int i) {
    return gf_output_is_full(&job->out[i]) && (job->n_out > 1 || gf_output_scans(job, i));
}

static bool any_has(const struct gf_job *job, enum gf_range range) {
    bool any = false;
    for (int i = 0; i < job->n_out; i++)
        any |= has_range(&job->out[i], range);
    return any;
}

bool gf_job_samples(const struct gf_job *job) {
    return any_has(job, GF_RANGE_AUTO);
}

bool gf_job_is_full(const struct gf_job *job) {
    return any_has(job, GF_RANGE_FULL);
}

void gf_job_given_ranges(const struct gf_job *job, double of[GF_MAX_OUTPUTS][2]) {
    for (int i = 0; i < job->n_out; i++) {
        const bool given = job->out[i].range == GF_RANGE_GIVEN;
        of[i][0] = given ? job->out[i].low : 0;
        of[i][1] = given ? job->out[i].high : 0;
    }
}

/* ---- memory ---- */

static bool ends_at_zero(const struct gf_ranges *r, int i) {
    return r->parts != GF_RANGES_WHOLE && gf_output_is_full(&r->job.out[i]) &&
           !gf_output_scans_parts(&r->job, i);
}

static struct gf_array kept_lines(const struct gf_job *job, enum gf_ranges_of parts,
                                  const struct gf_range_sample *s) {
    const struct gf_range_axis *x = &s->axis[2];
    const bool packed = parts == GF_RANGES_PACKED && gf_job_is_real(job);
    const int columns = x->count - (packed && 2 * x->index[x->count - 1] == job->shape[2]);
    return gf_array_wrap(NULL, gf_job_number(job), 4,
                         (int64_t[]){job->shape[0], s->axis[1].count, columns, s->axis[3].count});
}

int64_t gf_ranges_bytes(const struct gf_job *job, enum gf_ranges_of parts) {
    struct gf_range_sample s;
    if (job->direction != GF_FORWARD || !gf_job_samples(job) || parts == GF_RANGES_WHOLE)
        return 0;
    int rc = gf_range_sample_make(job, &s);
    if (rc)
        return rc;
    const struct gf_array kept = kept_lines(job, parts, &s);
    gf_range_sample_free(&s);
    return gf_array_bytes(&kept);
}

static int make_sample(struct gf_ranges *r) {
    const bool whole = r->parts == GF_RANGES_WHOLE;
    int rc = gf_range_sample_make(&r->job, &r->sample);
    if (rc)
        return rc;
    const size_t count = (size_t)r->sample.count;
    r->bins = (struct gf_range_bins){.sample = &r->sample,
                                     .value = calloc(count, 2 * sizeof(double)),
                                     .is_double = true,
                                     .key = malloc(count * sizeof *r->bins.key)};
    r->energy = calloc(whole ? 1 : (size_t)r->job.shape[0], sizeof *r->energy);
    if (!whole) {
        r->kept = kept_lines(&r->job, r->parts, &r->sample);
        r->kept.data = r->kept.base = gf_alloc((size_t)gf_array_bytes(&r->kept));
    }
    return r->bins.value && r->bins.key && r->energy && (whole || r->kept.data) ? 0
                                                                                : gf_no_memory();
}

int gf_ranges_open(const struct gf_job *job, enum gf_ranges_of parts, struct gf_ranges *r) {
    *r = (struct gf_ranges){
        .job = *job, .parts = parts, .samples = gf_job_samples(job), .n_zeros = gf_job_lanes(job)};
    gf_job_given_ranges(job, r->of);
    for (int i = 0; i < job->n_out; i++)
        r->zeros |= ends_at_zero(r, i);
    for (int axis = 1; axis < 3; axis++)
        r->n_zeros *= job->axes >> axis & 1 ? 1 : job->shape[axis];
    if (r->zeros && !(r->zero = calloc((size_t)r->n_zeros, sizeof *r->zero)))
        return gf_no_memory();
    return r->samples ? make_sample(r) : 0;
}

void gf_ranges_close(struct gf_ranges *r) {
    gf_range_sample_free(&r->sample);
    free(r->bins.value);
    free(r->bins.key);
    free(r->energy);
    gf_array_free(&r->kept);
    free(r->zero);
    *r = (struct gf_ranges){.zero = NULL};
}

/* ---- parts ---- */

struct gf_range_energy gf_range_energy(const struct gf_job *job, const struct gf_array *in) {
    struct gf_range_energy e = {0};
    if (gf_job_samples(job))
        gf_range_energy_add(job, in, &e);
    return e;
}

void gf_ranges_input(struct gf_ranges *r, int64_t first, const struct gf_array *pages) {
    for (int64_t z = 0; z < pages->shape[0] && r->samples; z++) {
        const struct gf_array page = gf_array_slice(pages, 0, z, 1);
        if (gf_range_energy_wants(&r->job, first + z))
            gf_range_energy_add(&r->job, &page,
                                &r->energy[r->parts == GF_RANGES_WHOLE ? 0 : first + z]);
    }
}

static void add_zeros(struct gf_ranges *r, const struct gf_array *page) {
    const int64_t channels = page->shape[3];
    const int64_t rows = r->job.axes >> 1 & 1 ? 1 : page->shape[1];
    const int64_t columns = r->job.axes >> 2 & 1 ? 1 : page->shape[2];
    for (int64_t k = 0; k < r->n_zeros; k++) {
        const int64_t y = k / channels / columns % rows, x = k / channels % columns;
        const char *at = (const char *)page->data + y * page->stride[1] + x * page->stride[2] +
                         k % channels * page->stride[3];
        r->zero[k] += gf_number_get(at, 0, page->dtype == GF_C128).re;
    }
}

/* Copies the sampled bins of a page, which starts at row from[1], column from[2]: those at `axis`,
 * or with NULL all bins in their order. */
static void pick(const struct gf_range_axis *axis, const int64_t from[3],
                 const struct gf_array *page, const struct gf_array *to) {
    for (int64_t b = 0; b < to->shape[1]; b++) {
        const int64_t y = axis ? axis[1].index[b] - from[1] : b;
        for (int64_t k = 0; k < to->shape[2] && y >= 0 && y < page->shape[1]; k++) {
            const int64_t x = axis ? axis[2].index[k] - from[2] : k;
            for (int64_t c = 0; c < to->shape[3] && x >= 0 && x < page->shape[2]; c++) {
                const int64_t channel = axis ? axis[3].index[c] : c;
                const char *at = (const char *)page->data + y * page->stride[1] +
                                 x * page->stride[2] + channel * page->stride[3];
                gf_number_put(
                    (char *)to->data + b * to->stride[1] + k * to->stride[2] + c * to->stride[3], 0,
                    to->dtype == GF_C128, gf_number_get(at, 0, page->dtype == GF_C128));
            }
        }
    }
}

/* The bins of the sample's page `a`, as pages have them. */
static struct gf_array bins_of(const struct gf_ranges *r, int a) {
    const struct gf_range_axis *axis = r->sample.axis;
    const int64_t row = axis[2].count * (int64_t)(2 * sizeof(double)), page = axis[1].count * row;
    return (struct gf_array){.dtype = GF_C128,
                             .rank = 4,
                             .shape = {1, axis[1].count, axis[2].count, axis[3].count},
                             .stride = {page, row, 2 * sizeof(double), axis[0].count * page},
                             .data = (char *)r->bins.value + a * page};
}

/* The place of page z in the sample; -1 if it is not sampled. */
static int place_of(const struct gf_ranges *r, int64_t z) {
    const int a = gf_range_axis_find(&r->sample.axis[0], z);
    return r->sample.axis[0].index[a] == z ? a : -1;
}

void gf_ranges_spectrum(struct gf_ranges *r, const int64_t from[3], const struct gf_array *part) {
    for (int64_t i = 0; i < part->shape[0]; i++) {
        const struct gf_array page = gf_array_slice(part, 0, i, 1);
        const int64_t z = from[0] + i;
        const int a = r->samples && !r->kept.data ? place_of(r, z) : -1;
        if (r->zeros)
            add_zeros(r, &page);
        if (r->kept.data || a >= 0) {
            const struct gf_array to =
                r->kept.data ? gf_array_slice(&r->kept, 0, z, 1) : bins_of(r, a);
            pick(r->sample.axis, from, &page, &to);
        }
    }
}

int64_t gf_ranges_next_page(const struct gf_ranges *r, int64_t z) {
    while (z < r->job.shape[0] && place_of(r, z) < 0 && !gf_range_energy_wants(&r->job, z))
        z++;
    return z < r->job.shape[0] ? z : -1;
}

struct gf_job gf_ranges_page_job(const struct gf_job *job) {
    struct gf_job one = *job;
    one.shape[0] = 1;
    one.norm = GF_NORM_BACKWARD; /* the sample has no norm factor */
    one.spend_input = false;
    one.n_out = 1;
    one.out[0] = (struct gf_output){
        .kind = GF_COMPLEX, .dtype = gf_job_number(job), .half = gf_job_is_real(job)};
    return one;
}

/* ---- ranks ---- */

int gf_ranges_sum(struct gf_ranges *r, struct gf_ranks *ranks) {
    int rc = r->zeros ? gf_ranks_sum(ranks, r->zero, r->n_zeros) : 0;
    if (rc || !r->samples || r->kept.data)
        return rc;
    double energy[2] = {r->energy->sum, r->energy->n};
    rc = gf_ranks_sum(ranks, energy, 2);
    *r->energy = (struct gf_range_energy){energy[0], energy[1]};
    return rc ? rc : gf_ranks_sum(ranks, r->bins.value, 2 * r->sample.count);
}

int gf_ranges_share(struct gf_ranges *r, struct gf_ranks *ranks, int root, struct gf_span pages) {
    if (!r->kept.data)
        return 0;
    const struct gf_array lines = gf_array_slice(&r->kept, 0, pages.first, pages.count);
    int rc = gf_ranks_share(ranks, lines.data, gf_array_bytes(&lines), root);
    return rc ? rc
              : gf_ranks_share(ranks, r->energy + pages.first,
                               pages.count * (int64_t)sizeof *r->energy, root);
}

/* ---- all parts ---- */

/* Takes the sample's bins from the transformed lines. */
static void collect(struct gf_ranges *r) {
    for (int a = 0; a < r->sample.axis[0].count; a++) {
        const struct gf_array to = bins_of(r, a);
        const struct gf_array page = gf_array_slice(&r->kept, 0, r->sample.axis[0].index[a], 1);
        pick(NULL, NULL, &page, &to);
    }
    if (r->parts == GF_RANGES_PACKED && gf_job_is_real(&r->job))
        gf_range_unpack(&r->job, &r->bins);
}

double gf_range_end(const struct gf_job *job, enum gf_kind kind, double largest) {
    const double scale = gf_job_scale(job);
    return fmin(kind == GF_POWER ? largest * largest * (scale * scale) : largest * scale,
                job->precision == GF_DOUBLE ? DBL_MAX : (double)FLT_MAX);
}

static double zero_frequency(const struct gf_ranges *r, int i) {
    double largest = 0;
    for (int64_t k = 0; k < r->n_zeros; k++)
        largest = fmax(largest, r->zero[k]);
    return gf_range_end(&r->job, r->job.out[i].kind, largest);
}

void gf_ranges_settle(struct gf_ranges *r) {
    struct gf_range_energy all = {0};
    if (r->kept.data)
        collect(r);
    for (int64_t z = 0; r->samples && z < (r->kept.data ? r->job.shape[0] : 1); z++) {
        all.sum += r->energy[z].sum;
        all.n += r->energy[z].n;
    }
    r->bins.rms = gf_range_rms(&r->job, &all);
    for (int i = 0; i < r->job.n_out; i++) {
        if (gf_output_samples(&r->job, i))
            gf_range_find(&r->job, i, &r->bins, r->of[i]);
        else if (ends_at_zero(r, i))
            r->of[i][1] = zero_frequency(r, i);
    }
}
