/* Factors and table of a part of a line. */
#include "core/filter/line.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/sample_run.h"
#include "core/base/status.h"

int gf_filter_line_values(const struct gf_job *part, int64_t first, int64_t count, double *value) {
    /* Products with less would be denormal numbers, which are slow. */
    const double tiny = part->precision == GF_DOUBLE ? 0x1p-900 : 0x1p-90;
    const struct gf_array *table = &part->filter->table;
    struct gf_filter_terms *t = malloc(sizeof *t); /* large */
    struct gf_job some = *part;
    some.shape[0] = count;
    some.whole.first[0] += first * part->whole.step;
    int rc = t ? gf_filter_compile(&some, t) : gf_fail(GF_ENOMEM, "no memory for a filter");
    for (int64_t i = 0; i < count && !rc; i++) {
        double re = 1, im = 0;
        const double v = gf_filter_value(t, (int64_t[GF_MAX_DIMS]){i});
        if (table->data)
            gf_sample_run_read((char *)table->data + (first + i) * table->stride[0], table->dtype,
                               0, 1, &re, &im);
        value[2 * i] = fabs(v * re) < tiny ? 0 : v * re;
        value[2 * i + 1] = fabs(v * im) < tiny ? 0 : v * im;
    }
    if (!rc)
        gf_filter_terms_free(t);
    free(t);
    return rc;
}
