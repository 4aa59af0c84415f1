/* Mean, range, deviation and energy of the samples of one signal, in two walks over it. */
#include "core/spectrum/sample_stats.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/value/sample_run.h"
#include "core/base/value/sample_value.h"
#include "core/base/value/status.h"

struct walk {
    const struct gf_array *px;
    int64_t channel;
    double *row, *other; /* one row each */
    bool second;         /* the mean is known: sum the squared deviations */
    double mean, deviations;
    double unit; /* deviations are multiplied by this before they are squared */
    struct gf_sample_stats *out;
};

/* Reads one row of the signal into w->row. */
static void read_row(const struct walk *w, const char *p, int64_t n, int64_t step) {
    const struct gf_array *px = w->px;
    int64_t next = px->stride[px->rank - 1];
    bool complex = gf_dtype_is_complex(px->dtype);
    if (w->channel == GF_LUMA) {
        gf_sample_luma(p, px->dtype, next, step, n, w->row, w->other);
        return;
    }
    gf_sample_run_read(p + w->channel * next, px->dtype, step, n, w->row,
                       complex ? w->other : NULL);
    for (int64_t i = 0; i < n && complex; i++)
        w->row[i] = hypot(w->row[i], w->other[i]);
}

/* Each row has its own sum: adding sums of similar size loses less. */
static void take_row(struct walk *w, int64_t n) {
    struct gf_sample_stats *s = w->out;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = (w->row[i] - w->mean) * w->unit;
        sum += v;
        squares += v * v;
        if (w->second)
            continue;
        s->low = v < s->low ? v : s->low;
        s->high = v > s->high ? v : s->high;
    }
    if (w->second) {
        w->deviations += squares;
        return;
    }
    s->count += n;
    s->mean += sum;
    s->energy += squares;
}

static void walk_rows(struct walk *w) {
    const int axis = w->px->rank - 2;
    struct gf_array rows = *w->px;
    rows.rank = axis;
    for (int64_t i = 0; i < gf_array_count(&rows); i++) {
        read_row(w, gf_array_at(&rows, i), w->px->shape[axis], w->px->stride[axis]);
        take_row(w, w->px->shape[axis]);
    }
}

int gf_sample_stats(const struct gf_array *px, int64_t channel, struct gf_sample_stats *out) {
    size_t n = (size_t)px->shape[px->rank - 2];
    struct walk w = {.px = px, .channel = channel, .unit = 1, .out = out};
    *out = (struct gf_sample_stats){.low = INFINITY, .high = -INFINITY};
    w.row = malloc(n * sizeof *w.row);
    w.other = malloc(n * sizeof *w.other);
    int rc = w.row && w.other ? 0 : gf_no_memory();
    if (rc)
        goto out;
    walk_rows(&w);
    out->mean /= (double)out->count;
    w.mean = out->mean;
    w.second = true;
    w.unit = gf_sample_run_unit(fmax(fabs(out->low), fabs(out->high)));
    walk_rows(&w);
    out->deviation = sqrt(w.deviations / (double)out->count) / w.unit;
out:
    free(w.row);
    free(w.other);
    return rc;
}
