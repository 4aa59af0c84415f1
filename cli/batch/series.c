/* Joins the volumes of a series in one file, see task.h. */
#include "cli/batch/task.h"

#include <stdlib.h>

struct gf_series {
    struct gf_volume *volume[GF_MAX_OUTPUTS];
};

bool gf_series_joins(const struct gf_task *t, int i) {
    const struct gf_product *p = &t->product[i];
    return t->reader.series && !gf_template_counts(&p->target->where) && !p->target->bands &&
           !p->target->aside;
}

static const struct gf_pick *pick_of(const struct gf_task *t) {
    return gf_file_pick(t->reader.file[0]);
}

const char *gf_series_refuses(const struct gf_task *t, int i) {
    return gf_product_refuses(t->s, &t->product[i], gf_pick_is_in_order(pick_of(t)));
}

/* Opens the file for the volumes of all tasks, with the axes of the whole file. */
static int open_output(struct gf_task *t, int i, struct gf_volume **v) {
    const struct gf_pick *pick = pick_of(t);
    struct gf_product all = t->product[i];
    all.shape[0] *= pick->images;
    all.image.px.shape[0] *= pick->images;
    struct gf_axes axes = pick->all;
    const struct gf_axes *own = &all.image.axes;
    for (int k = 1; k <= 2 && own->n >= 2; k++) /* y and x may have other units in a spectrum */
        axes.axis[axes.n - k] = own->axis[own->n - k];
    for (int k = 0; k < axes.n - 2; k++)
        if (axes.axis[k].role == GF_SPACE && own->n > 2)
            axes.axis[k] = own->axis[0];
    all.image.axes = axes;
    all.record.file_axes = pick->all;
    return gf_product_open(t->s, &all, &t->image.metadata, gf_pick_is_in_order(pick), v);
}

static int put(struct gf_task *t, int i, struct gf_volume *v) {
    const struct gf_pick *pick = pick_of(t);
    struct gf_array px = t->product[i].image.px;
    int rc = 0;
    for (int axis = 0; axis < px.rank; axis++) /* --edges may have made it longer */
        px = gf_array_slice(&px, axis, 0, t->product[i].shape[axis]);
    for (int64_t z = 0; z < px.shape[0] && !rc; z++) {
        const struct gf_array page = gf_array_slice(&px, 0, z, 1);
        rc = gf_product_put(t->s, &t->product[i], &t->image.metadata, v, gf_pick_place(pick, z),
                            &page);
    }
    return rc;
}

int gf_series_write(struct gf_task *t, int i) {
    const struct gf_pick *pick = pick_of(t);
    if (!t->series && !(t->series = calloc(1, sizeof *t->series)))
        return gf_no_memory();
    struct gf_volume **v = &t->series->volume[i];
    int rc = *v ? 0 : open_output(t, i, v);
    if (!rc)
        rc = put(t, i, *v);
    if (rc || pick->image + 1 < pick->images)
        return rc;
    struct gf_volume *last = *v;
    *v = NULL;
    return gf_volume_commit(last);
}

void gf_series_free(struct gf_series *s) {
    for (int i = 0; i < GF_MAX_OUTPUTS && s; i++)
        gf_volume_abort(s->volume[i]);
    free(s);
}
