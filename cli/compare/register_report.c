/* gpufft register: the table, in text, as JSON and as --csv. */
#include <limits.h>

#include "cli/compare/registering.h"
#include "cli/log.h"
#include "cli/report.h"

static const char form[] =
    "{?first input                    {*axes {axis:-11s}}"
    "{?unit {*axes {axis} in {unit:-8s}}}{?turns rotation  scale     }correlation  peak\n}"
    "{name:-24s} {*axes {samples:-10.3f} }{?unit {*axes {units:-12.5g} }}"
    "{?turns {rotation:-9.3f} {scale:-9.5f} }"
    "{?aligned {correlation:-12.4f} {peak:.1f}{?inverted   contrast inverted}|not aligned}\n";

static const char csv[] =
    "input,{*axes {axis},}{?unit {*axes {axis}_{unit},}}{?turns rotation,scale,}correlation,peak,"
    "inverted,aligned\n"
    "{*rows {name:q},{*axes {samples:r},}{?unit {*axes {units:r},}}"
    "{?turns {rotation:r},{scale:r},}{?aligned {correlation:r},{peak:r}|,},{?inverted "
    "1|0},{?aligned 1|0}\n}";

static json_t *row(struct gf_registering *g, const struct gf_found *f, const char *name,
                   int64_t page) {
    static const char *const names[] = {"z", "y", "x"};
    const struct gf_task *t = g->t;
    const struct gf_image image = gf_signal_visited(t);
    const struct gf_motion *m = &f->motion;
    const int ndim = g->ref.rank;
    double spacing[GF_MAX_DIMS] = {0};
    const char *unit = gf_signal_spacing(&image, ndim, spacing, NULL);
    const char *frame = t->n_read > 1 ? t->read[page] : NULL;
    json_t *axes = json_array();
    for (int i = 0; i < ndim; i++)
        GF_APPEND(axes, GF_KEY(".axis", names[3 - ndim + i]), GF_KEY(".samples", m->shift[i]),
                  GF_KEY(".units", m->shift[i] * spacing[i]));
    struct gf_operation *op = &g->op[g->hands];
    struct gf_facts facts = {0};
    *(struct gf_found *)op->state = *f;
    op->kind->facts(op, &facts);
    json_t *o =
        GF_ADD(gf_signal_report(t, frame ? frame : t->read[0], page),
               GF_KEY("shape", gf_json_shape(g->ref.shape, ndim)),
               GF_KEY("shift", gf_json_reals(m->shift, NULL, ndim)), GF_KEY_IF(unit, "unit", unit),
               GF_KEY_IF(unit, "shift_in_unit", gf_json_reals(m->shift, spacing, ndim)));
    return GF_ADD(gf_report_facts(o, &facts),
                  GF_KEY_IF(gf_register_writes(t), "out", t->product[0].path), GF_BOOL("ok", true),
                  GF_BOOL(".first", !g->printed),
                  GF_KEY(".name", gf_log_name(frame ? frame : name)), GF_KEY(".axes", axes),
                  GF_BOOL(".turns", t->s->reg.find.estimate != GF_SHIFT));
}

void gf_register_print(struct gf_registering *g, const struct gf_found *f, int64_t page) {
    char paged[PATH_MAX];
    const struct gf_task *t = g->t;
    const char *name = page < 0 ? t->name : gf_signal_page_name(t, page, paged, sizeof paged);
    json_t *o = row(g, f, name, page);
    if (g->rows)
        json_array_append(g->rows, o);
    g->lost = g->lost || gf_json_memory_missed();
    gf_signal_print(t, NULL, form, o);
    g->printed = true;
}

int gf_register_save(struct gf_registering *g) {
    const struct gf_task *t = g->t;
    const struct gf_target *to = &t->targets->target[t->targets->n - 1];
    const json_t *first = json_array_get(g->rows, 0);
    char *path;
    if (g->lost)
        return gf_no_memory();
    int rc = gf_template_expand(&to->where, t->read[0], to->label, NULL, &path);
    if (rc)
        return rc;
    json_t *o = json_copy((json_t *)first);
    json_object_set(o, ".rows", g->rows);
    rc = gf_report_save(csv, o, path, t->s->clobber);
    free(path);
    return rc;
}
