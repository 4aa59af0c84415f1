/* Quantiles, and the mapping of a range to integers, see stretch.h. */
#include "core/base/value/stretch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/sample_run.h"
#include "core/base/value/status.h"

enum { RUN = 1024, DIGIT = 16, BUCKETS = 1 << DIGIT };

/* The bits of a float, so that they sort as the numbers do. */
static uint32_t key_of(double v) {
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

static double number_of(uint32_t key) {
    const uint32_t bits = key >> 31 ? key & ~(1u << 31) : ~key;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Counts the finite samples whose key begins with `high`, by the digit behind that; high < 0: by the
 * first digit. */
static void count(const struct gf_array *a, int64_t high, int64_t *bucket) {
    double v[RUN];
    for (int64_t at = 0, n; at < gf_array_count(a); at += n) {
        n = gf_array_run(a, at, RUN);
        gf_sample_run_read(gf_array_at(a, at), a->dtype, a->stride[a->rank - 1], n, v, NULL);
        for (int64_t k = 0; k < n; k++) {
            const uint32_t key = key_of(v[k]);
            if (!isfinite(v[k]) || (high >= 0 && key >> DIGIT != high))
                continue;
            bucket[high < 0 ? key >> DIGIT : key & (BUCKETS - 1)]++;
        }
    }
}

/* The bucket that holds number *rank, which becomes its number there. */
static uint32_t find(const int64_t *bucket, int64_t *rank) {
    uint32_t i = 0;
    while (i < BUCKETS - 1 && *rank >= bucket[i])
        *rank -= bucket[i++];
    return i;
}

int gf_samples_quantiles(const struct gf_array *a, const double fraction[2], double range[2]) {
    struct gf_array rows;
    int64_t *bucket = calloc(2 * BUCKETS, sizeof *bucket), *low = bucket + BUCKETS, all = 0;
    if (!bucket)
        return gf_no_memory();
    gf_array_rows(&a, 1, &rows);
    count(&rows, -1, bucket);
    for (int i = 0; i < BUCKETS; i++)
        all += bucket[i];
    for (int i = 0; i < 2; i++) {
        int64_t rank = (int64_t)(fraction[i] * (double)(all - 1) + 0.5);
        const uint32_t high = find(bucket, &rank);
        memset(low, 0, BUCKETS * sizeof *low);
        count(&rows, high, low);
        range[i] = all ? number_of(high << DIGIT | find(low, &rank)) : 0;
    }
    free(bucket);
    return GF_OK;
}

void gf_samples_stretch(struct gf_array *dst, const struct gf_array *src, const double range[2]) {
    struct gf_array rows[2], *to = &rows[0], *from = &rows[1];
    double low, white, v[RUN];
    gf_dtype_range(dst->dtype, &low, &white);
    const double width = range[1] - range[0];
    const double factor = width > 0 ? white / width : 0;
    gf_array_rows((const struct gf_array *const[]){dst, src}, 2, rows);
    for (int64_t at = 0, n; at < gf_array_count(from); at += n) {
        n = gf_array_run(from, at, RUN);
        gf_sample_run_read(gf_array_at(from, at), from->dtype, from->stride[from->rank - 1], n, v,
                           NULL);
        for (int64_t k = 0; k < n; k++)
            v[k] = (v[k] - range[0]) * factor;
        gf_sample_run_round(to->dtype, n, v);
        gf_sample_run_write(gf_array_at(to, at), to->dtype, to->stride[to->rank - 1], n, v, NULL);
    }
}
