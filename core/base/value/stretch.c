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

/* Counts the finite samples below an index of the first axis whose key begins with `high`, by the
 * digit behind that; high < 0: by the first digit. */
static void count(const struct gf_array *a, int axis, const char *p, int64_t high,
                  int64_t *bucket) {
    const int64_t n = a->shape[axis];
    if (axis < a->rank - 1) {
        for (int64_t i = 0; i < n; i++)
            count(a, axis + 1, p + i * a->stride[axis], high, bucket);
        return;
    }
    double v[RUN];
    for (int64_t i = 0; i < n; i += RUN) {
        const int64_t some = gf_min(n - i, RUN);
        gf_sample_run_read(p + i * a->stride[axis], a->dtype, a->stride[axis], some, v, NULL);
        for (int64_t k = 0; k < some; k++) {
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

/* Joins the channels to rows where they are contiguous. */
static struct gf_array rows_of(const struct gf_array *a) {
    struct gf_array rows = *a;
    const int last = a->rank - 1;
    if (last > 0 && a->stride[last - 1] == a->shape[last] * a->stride[last]) {
        rows.shape[last - 1] *= a->shape[last];
        rows.stride[last - 1] = a->stride[last];
        rows.rank--;
    }
    return rows;
}

int gf_samples_quantiles(const struct gf_array *a, const double fraction[2], double range[2]) {
    const struct gf_array rows = rows_of(a);
    int64_t *bucket = calloc(2 * BUCKETS, sizeof *bucket), *low = bucket + BUCKETS, all = 0;
    if (!bucket)
        return gf_no_memory();
    count(&rows, 0, rows.data, -1, bucket);
    for (int i = 0; i < BUCKETS; i++)
        all += bucket[i];
    for (int i = 0; i < 2; i++) {
        int64_t rank = (int64_t)(fraction[i] * (double)(all - 1) + 0.5);
        const uint32_t high = find(bucket, &rank);
        memset(low, 0, BUCKETS * sizeof *low);
        count(&rows, 0, rows.data, high, low);
        range[i] = all ? number_of(high << DIGIT | find(low, &rank)) : 0;
    }
    free(bucket);
    return GF_OK;
}

static void stretch(struct gf_array *dst, const struct gf_array *src, int axis, char *to,
                    const char *from, const double map[2]) {
    const int64_t n = src->shape[axis];
    if (axis < src->rank - 1) {
        for (int64_t i = 0; i < n; i++)
            stretch(dst, src, axis + 1, to + i * dst->stride[axis], from + i * src->stride[axis],
                    map);
        return;
    }
    double v[RUN];
    for (int64_t i = 0; i < n; i += RUN) {
        const int64_t some = gf_min(n - i, RUN);
        gf_sample_run_read(from + i * src->stride[axis], src->dtype, src->stride[axis], some, v,
                           NULL);
        for (int64_t k = 0; k < some; k++)
            v[k] = (v[k] - map[0]) * map[1];
        gf_sample_run_round(dst->dtype, some, v);
        gf_sample_run_write(to + i * dst->stride[axis], dst->dtype, dst->stride[axis], some, v,
                            NULL);
    }
}

void gf_samples_stretch(struct gf_array *dst, const struct gf_array *src, const double range[2]) {
    struct gf_array to = rows_of(dst), from = rows_of(src);
    double low, white;
    gf_dtype_range(dst->dtype, &low, &white);
    const double width = range[1] - range[0];
    const double map[2] = {range[0], width > 0 ? white / width : 0};
    if (to.rank != from.rank) { /* only one has contiguous rows */
        to = *dst;
        from = *src;
    }
    stretch(&to, &from, 0, to.data, from.data, map);
}
