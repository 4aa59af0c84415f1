/* Questions about a filter's options. */
#include "core/op/filter/options.h"

#include "core/base/value/status.h"

bool gf_filter_makes_table(const struct gf_filter_options *o) {
    bool has = false;
    for (int i = 0; i < o->n_parts; i++)
        has = has || o->part[i].what >= GF_KERNEL;
    return has;
}

const struct gf_filter_part *gf_filter_psf(const struct gf_filter_options *o) {
    for (int i = 0; i < o->n_parts; i++)
        if (o->part[i].what >= GF_PSF)
            return &o->part[i];
    return NULL;
}

bool gf_filter_iterates(const struct gf_filter_options *o) {
    return gf_filter_psf(o) && o->restore.iterations != 0;
}

bool gf_filter_measures(const struct gf_filter_options *o) {
    return gf_filter_psf(o) && o->restore.iterations == 0 && !(o->restore.regularize > 0);
}

bool gf_filter_looks(const struct gf_filter_options *o) {
    return gf_filter_searches(o) || o->destripe || o->paints;
}

bool gf_filter_searches(const struct gf_filter_options *o) {
    return o->auto_notch || o->descreen.on;
}

int gf_filter_check_file(const struct gf_filter_part *p) {
    return p->refused ? gf_fail(GF_ENOMEM, "'%.400s' %s", p->text, p->refused) : 0;
}
