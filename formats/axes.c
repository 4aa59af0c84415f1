/* Axes of files, and TIFF descriptions of them, see axes.h. */
#include "formats/axes.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json.h"

/* ---- axes ---- */

const char *const gf_role_names[] = {"space", "time", "channel", "other", NULL};

int gf_word_find(const char *const *names, const char *word) {
    for (int i = 0; word && names[i]; i++)
        if (!strcmp(word, names[i]))
            return i;
    return -1;
}

static enum gf_role role_of(const char *name) {
    if (strlen(name) == 1 && strchr("xyz", *name))
        return GF_SPACE;
    return !strcmp(name, "t") ? GF_TIME : !strcmp(name, "c") ? GF_CHANNEL : GF_OTHER_ROLE;
}

void gf_axes_add(struct gf_axes *axes, const char *name, int64_t extent, double spacing,
                 const char *unit) {
    if (axes->n == GF_MAX_AXES)
        return;
    memmove(axes->axis + 1, axes->axis, (size_t)axes->n * sizeof *axes->axis);
    axes->n++;
    struct gf_axis *a = &axes->axis[0];
    *a = (struct gf_axis){.extent = extent};
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(a->unit, sizeof a->unit, "%s", unit ? unit : "");
    a->role = role_of(a->name);
    a->spacing = isfinite(spacing) && spacing > 0 ? spacing : 0;
}

void gf_axes_start(struct gf_axes *axes, int64_t height, int64_t width) {
    *axes = (struct gf_axes){0};
    gf_axes_add(axes, "x", width, 0, "");
    gf_axes_add(axes, "y", height, 0, "");
}

static int64_t product(const struct gf_axes *axes, bool space) {
    int64_t n = 1;
    for (int i = 0; i < axes->n - 2; i++)
        n *= space || axes->axis[i].role != GF_SPACE ? axes->axis[i].extent : 1;
    return n;
}

int64_t gf_axes_pages(const struct gf_axes *axes) {
    return product(axes, true);
}

int64_t gf_axes_groups(const struct gf_axes *axes) {
    return product(axes, false);
}

const struct gf_axis *gf_axes_spatial(const struct gf_axes *axes, int ndim, int i) {
    const int at = axes->n - ndim + i;
    if (ndim < 3 || i > 0)
        return at >= 0 && at < axes->n ? &axes->axis[at] : NULL;
    const struct gf_axis *page = NULL;
    for (int k = 0; k <= at; k++)
        if (axes->axis[k].extent > 1) {
            if (page)
                return NULL;
            page = &axes->axis[k];
        }
    return page ? page : at >= 0 ? &axes->axis[at] : NULL;
}

void gf_axes_drop_pages(struct gf_axes *axes, bool space) {
    int n = 0;
    for (int i = 0; i < axes->n; i++)
        if (i >= axes->n - 2 || (!space && axes->axis[i].role == GF_SPACE))
            axes->axis[n++] = axes->axis[i];
    axes->n = n;
    axes->named = axes->named && space && n > 2;
}

void gf_axes_transform(struct gf_axes *axes, int ndim, const int64_t *shape, unsigned transformed) {
    char unit[sizeof axes->axis[0].unit];
    for (int i = 0; i < ndim; i++) {
        struct gf_axis *a = (struct gf_axis *)(uintptr_t)gf_axes_spatial(axes, ndim, i);
        if (!(transformed >> i & 1))
            continue;
        for (int k = 0; k < axes->n - 2 && !a; k++) /* of the volumes of a series */
            if (axes->axis[k].role == GF_SPACE && axes->axis[k].extent == shape[i])
                a = &axes->axis[k];
        for (int k = 0; k < axes->n - 2 && !a; k++) /* all pages are one axis of frequencies */
            axes->axis[k].spacing = 0;
        if (!a || !(a->spacing > 0))
            continue;
        a->spacing = axes->oblique ? 0 : 1 / (a->spacing * (double)shape[i]);
        snprintf(unit, sizeof unit, "1/%.9s", a->unit);
        snprintf(a->unit, sizeof a->unit, "%s", *a->unit ? unit : "");
    }
}

/* ---- descriptions of a TIFF's pages ---- */

double gf_positive(const char *text) {
    char *end;
    const double v = text ? strtod(text, &end) : 0;
    const bool whole = text && end > text && (!*end || strchr(" \r\n", *end));
    return whole && isfinite(v) && v > 0 && v <= 1e12 ? v : 0;
}

/* Returns at most a million, so that the product of three fits. */
static int64_t count(const char *text) {
    const double v = gf_positive(text);
    return v >= 1 && v <= 1e6 ? (int64_t)v : 1;
}

void gf_axes_describe(struct gf_axes *axes, const char *by, const struct gf_pages *p) {
    static const char letters[] = "zyxt";
    const struct gf_axis plane[2] = {axes->axis[0], axes->axis[1]};
    *axes = (struct gf_axes){.by = by, .named = p->c > 1 || p->t > 1};
    for (int i = 2; i > 0; i--)
        gf_axes_add(axes, i == 2 ? "x" : "y", plane[i - 1].extent, p->spacing[i], p->unit[i]);
    for (int i = 2; i >= 0; i--) {
        const char name[2] = {p->order[i], 0}, *at = strchr(letters, *name);
        const int64_t n = *name == 'z' ? p->z : *name == 'c' ? p->c : p->t;
        gf_axes_add(axes, name, n, at ? p->spacing[at - letters] : 0,
                    at ? p->unit[at - letters] : "");
    }
}

/* Returns the text after "\nkey=" in ImageJ's lines, or NULL. */
static const char *line_of(const char *text, const char *key) {
    char line[24];
    const int n = snprintf(line, sizeof line, "\n%s=", key);
    const char *at = strstr(text, line);
    return at ? at + n : NULL;
}

void gf_axes_parse_imagej(const char *text, struct gf_axes *axes) {
    static const char *const units[] = {"zunit", "yunit", "unit", "tunit"};
    const double images = gf_positive(line_of(text, "images"));
    struct gf_pages p = {count(line_of(text, "slices")), count(line_of(text, "channels")),
                         count(line_of(text, "frames")), "tzc",
                         .spacing = {gf_positive(line_of(text, "spacing")), 0, 0,
                                     gf_positive(line_of(text, "finterval"))}};
    const int64_t all = images >= 1 ? (int64_t)images : p.z * p.c * p.t;
    if (p.z * p.c * p.t != all) { /* a plain stack gives only the number of images */
        p.z = all;
        p.c = p.t = 1;
    }
    for (int i = 0; i < 4; i++)
        gf_unit_copy(line_of(text, units[i]), '\n', p.unit[i]);
    for (int i = 0; i < 2; i++)
        if (!*p.unit[i])
            strcpy(p.unit[i], p.unit[2]);
    if (!*p.unit[3])
        strcpy(p.unit[3], "s");
    gf_axes_describe(axes, "ImageJ", &p);
}

/* The name of page axis i of n: by its letter, or as in .npy files, where the last one is z. Those without a
 * name take the next of `others`. */
static const char *page_name(const char *letters, int i, int n, const char **others) {
    static const char *const names[] = {"t", "z", "c", NULL};
    const char lower[2] = {letters      ? (char)tolower((unsigned char)letters[i])
                           : i + 1 == n ? 'z'
                                        : 0,
                           0};
    const int known = gf_word_find(names, lower);
    if (known >= 0)
        return names[known];
    *others += 2;
    return *others - 2;
}

void gf_axes_parse_tifffile(const char *text, int64_t pages, struct gf_axes *axes) {
    enum { MOST = GF_MAX_AXES + 1 }; /* and samples */
    const char *others = "n\0m\0l\0k\0j\0i\0h";
    json_t *root = json_loads(text, 0, NULL);
    const char *letters = json_string_value(json_object_get(root, "axes"));
    int64_t extent[MOST], product = 1;
    const int n = gf_json_list(json_object_get(root, "shape"), MOST, 1, 1 << 30, extent);
    int k = 0;
    while (k + 2 < n && product < pages)
        product *= extent[k++];
    letters = letters && (int)strlen(letters) == n ? letters : NULL;
    for (int i = k - 1; i >= 0 && product == pages; i--) {
        const char *name = page_name(letters, i, k, &others);
        for (int j = 0; j < axes->n; j++)
            if (!strcmp(axes->axis[j].name, name))
                name = page_name("?", 0, 1, &others);
        gf_axes_add(axes, name, extent[i], 0, "");
        axes->named = axes->named || (axes->axis[0].role != GF_SPACE && axes->axis[0].extent > 1);
    }
    axes->by = "tifffile";
    if (!axes->named) /* depth, as without a description */
        axes->n = 0;
    json_decref(root);
}
