/* Parses and prints the value of one option. */
#include "core/op/option.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/spelling.h"
#include "core/base/value/status.h"

const struct gf_opt *gf_opt_next(struct gf_opt_walk *w) {
    for (;;) {
        struct gf_opt_level *l = &w->level[w->depth];
        const struct gf_opt *o = l->row;
        w->at = l->at;
        if (!o || (!o->name && !w->depth))
            return NULL;
        l->row = o + 1;
        w->at += o->at;
        if (!o->name)
            w->depth--;
        else if (o->type == GF_OPT_ROWS)
            w->level[++w->depth] =
                (struct gf_opt_level){o->rows, l->only ? l->only : o->name, w->at};
        else if (!l->only || gf_spelling_has(l->only, o->name))
            return o;
    }
}

bool gf_opt_is_flag(const struct gf_opt *o) {
    return o->type == GF_OPT_FLAG || o->type == GF_OPT_NEGATE || o->type == GF_OPT_CHOICE3;
}

/* ---- texts to values ---- */

int gf_opt_choose(const char *what, const char *value, const char *const *names, int *out) {
    char list[256];
    for (int i = 0; names[i]; i++)
        if (!strcmp(value, names[i])) {
            *out = i;
            return 0;
        }
    const char *near = gf_spelling_near(value, names);
    gf_spelling_list(names, list, sizeof list);
    if (near)
        return gf_fail(GF_EUSAGE, "%s cannot be '%.40s'; did you mean '%s'? (%s)", what, value,
                       near, list);
    return gf_fail(GF_EUSAGE, "%s cannot be '%.40s'; it is one of %s", what, value, list);
}

static int set_int(const struct gf_opt *o, const char *value, int *field) {
    char *end;
    errno = 0;
    long v = strtol(value, &end, 10);
    if (errno || end == value || *end || v < o->low || v > o->high)
        return gf_fail(GF_EUSAGE, "--%s cannot be '%.40s'; it is a whole number from %d to %d",
                       o->name, value, o->low, o->high);
    *field = (int)v;
    return 0;
}

int gf_opt_refuse(const struct gf_opt *o, const char *value, const char *wants) {
    return gf_fail(GF_EUSAGE, "--%s cannot be '%.40s'; %s", o->name, value, wants);
}

static int set_real(const struct gf_opt *o, const char *value, double *field) {
    char *end;
    const bool automatic = o->automatic && !strcmp(value, "auto");
    const double v = strtod(value, &end);
    if (!automatic && (end == value || *end || !(v > 0) || !isfinite(v) ||
                       (o->high && v > o->high) || (o->whole && v != floor(v))))
        return gf_opt_refuse(o, value, o->wants);
    *field = automatic ? -1 : v;
    return 0;
}

int gf_opt_set(const struct gf_opt *o, const char *value, void *field) {
    char what[64];
    switch (o->type) {
    case GF_OPT_FLAG:
    case GF_OPT_NEGATE:
        *(bool *)field = *value == '1';
        return 0;
    case GF_OPT_CHOICE3:
        *(int *)field = *value == '1';
        return 0;
    case GF_OPT_TEXT:
        *(const char **)field = value;
        return 0;
    case GF_OPT_INT:
        return set_int(o, value, field);
    case GF_OPT_REAL:
        return set_real(o, value, field);
    case GF_OPT_CHOICE:
        snprintf(what, sizeof what, "--%s", o->name);
        return gf_opt_choose(what, value, o->choices, field);
    default:
        return o->parse(o, value, field);
    }
}

/* ---- values to texts ---- */

/* The number in a field that is no text. */
static double number_of(const struct gf_opt *o, const void *field) {
    return o->type == GF_OPT_REAL                               ? *(const double *)field
           : o->type == GF_OPT_FLAG || o->type == GF_OPT_NEGATE ? *(const bool *)field
                                                                : *(const int *)field;
}

bool gf_opt_show(const struct gf_opt *o, const void *field, const void *usual, int i,
                 char text[GF_OPT_TEXT_SIZE]) {
    if (o->type == GF_OPT_PARSE)
        return o->print && o->print(o, field, i, text);
    if (o->type == GF_OPT_TEXT) {
        const char *word = *(const char *const *)field;
        snprintf(text, GF_OPT_TEXT_SIZE, "%s", word ? word : "");
        return !i && word != *(const char *const *)usual;
    }
    const double v = number_of(o, field);
    if (o->type == GF_OPT_CHOICE && v >= 0)
        snprintf(text, GF_OPT_TEXT_SIZE, "%s", o->choices[(int)v]);
    else if (o->automatic && v < 0)
        snprintf(text, GF_OPT_TEXT_SIZE, "auto");
    else
        snprintf(text, GF_OPT_TEXT_SIZE, "%.17g", v);
    return !i && v != number_of(o, usual);
}
