/* Joins the volumes of a series in one file, see task.h. */
#include "cli/batch/shared_output.h"

#include <stdlib.h>

struct gf_series {
    struct gf_shared_output out[GF_MAX_OUTPUTS];
};

bool gf_series_joins(const struct gf_task *t, int i) {
    const struct gf_product *p = &t->product[i];
    return t->reader.series && !gf_template_counts(&p->target->where) && !p->target->bands &&
           !p->target->aside;
}

static const struct gf_pick *pick_of(const struct gf_task *t) {
    return gf_file_pick(t->reader.file[0]);
}

bool gf_series_goes_on(const struct gf_task *t) {
    return t->reader.series && pick_of(t)->image + 1 < pick_of(t)->images;
}

void gf_series_close(struct gf_task *t) {
    if (!gf_series_goes_on(t))
        gf_reader_close(&t->reader);
}

bool gf_series_is_in_order(const struct gf_task *t) {
    return !t->reader.series || gf_pick_is_in_order(pick_of(t));
}

const char *gf_series_refuses(const struct gf_task *t, int i) {
    return gf_product_refuses(t->s, &t->product[i], gf_series_is_in_order(t));
}

struct gf_product gf_series_product(const struct gf_task *t, int i) {
    struct gf_product all = t->product[i];
    if (!gf_series_joins(t, i))
        return all;
    const struct gf_pick *pick = pick_of(t);
    all.shape[0] *= pick->images;
    all.image.px.shape[0] *= pick->images;
    all.record.file_axes = pick->all;
    struct gf_axes axes = pick->all;
    const struct gf_axes *own = &all.image.axes;
    for (int k = 1; k <= 2 && own->n >= 2; k++) /* y and x may have other units in a spectrum */
        axes.axis[axes.n - k] = own->axis[own->n - k];
    for (int k = 0; k < axes.n - 2; k++)
        if (axes.axis[k].role == GF_SPACE && own->n > 2)
            axes.axis[k] = own->axis[0];
    if (own->n) /* coefficients have no axes */
        all.image.axes = axes;
    return all;
}

int64_t gf_series_place(const struct gf_task *t, int i, int64_t z) {
    if (!gf_series_joins(t, i))
        return z;
    struct gf_pick pick = *pick_of(t);
    for (int k = 0; k < pick.n; k++) /* coefficients may have more planes than their volume */
        if (pick.axis[k].count == pick.pages && !pick.axis[k].counts_images)
            pick.axis[k].count = t->product[i].shape[0];
    return gf_pick_place(&pick, z);
}

int gf_series_take(struct gf_task *t, int i, bool in_order, struct gf_shared_output *out) {
    if (!t->series || !t->series->out[i].volume)
        return 0;
    if (t->series->out[i].in_order && !in_order)
        return gf_fail(GF_ENOMEM, "memory held the volumes before it but not this one; a lower "
                                  "--max-memory divides them all");
    *out = t->series->out[i];
    t->series->out[i].volume = NULL;
    return 1;
}

int gf_series_keep(struct gf_task *t, int i, const struct gf_shared_output *out) {
    if (!t->series && !(t->series = calloc(1, sizeof *t->series))) {
        gf_volume_abort(out->volume);
        return gf_no_memory();
    }
    t->series->out[i] = *out;
    return 0;
}

static int put(struct gf_task *t, int i, struct gf_volume *v) {
    struct gf_array px = t->product[i].image.px;
    int rc = 0;
    for (int axis = 0; axis < px.rank; axis++) /* --edges may have made it longer */
        px = gf_array_slice(&px, axis, 0, t->product[i].shape[axis]);
    for (int64_t z = 0; z < px.shape[0] && !rc; z++) {
        const struct gf_array page = gf_array_slice(&px, 0, z, 1);
        rc = gf_product_put(t->s, &t->product[i], &t->image.metadata, v, gf_series_place(t, i, z),
                            &page);
    }
    return rc;
}

int gf_series_write(struct gf_task *t, int i) {
    const struct gf_product all = gf_series_product(t, i);
    struct gf_shared_output out = {.in_order = gf_series_is_in_order(t)};
    int rc = gf_series_take(t, i, true, &out);
    if (!rc)
        rc = gf_product_open(t->s, &all, &t->image.metadata, out.in_order, &out.volume);
    rc = rc < 0 ? rc : put(t, i, out.volume);
    if (!rc && gf_series_goes_on(t))
        return gf_series_keep(t, i, &out);
    if (!rc)
        return gf_volume_commit(out.volume);
    gf_volume_abort(out.volume);
    return rc;
}

void gf_series_free(struct gf_series *s) {
    for (int i = 0; i < GF_MAX_OUTPUTS && s; i++)
        gf_volume_abort(s->out[i].volume);
    free(s);
}
