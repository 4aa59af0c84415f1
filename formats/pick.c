/* Numbers of pages by the axes of a file, see pick.h. */
#include "formats/pick.h"

#include <stdio.h>
#include <string.h>

#include "core/base/value/status.h"

static int select_axis(struct gf_pick *p, const struct gf_range_of *r) {
    char names[64] = "";
    for (int i = 0; i < p->n; i++) {
        struct gf_picked *a = &p->axis[i];
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", a->name);
        if (strcmp(a->name, r->name))
            continue;
        const int64_t end = r->count ? r->first + r->count : a->extent;
        if (r->first >= a->extent || end > a->extent)
            return gf_fail(GF_EINVAL, "--select: %s is from 0 to %lld here", a->name,
                           (long long)a->extent - 1);
        a->first = r->first;
        a->count = end - r->first;
        return GF_OK;
    }
    return p->n ? gf_fail(GF_EINVAL, "--select: no pages along %s; there are %s", r->name, names)
                : gf_fail(GF_EINVAL, "--select: the file has no pages");
}

/* Describes the image that the picked pages make. */
static void describe(struct gf_pick *p, struct gf_image *image) {
    struct gf_axes axes = image->axes;
    axes.n = 0;
    axes.named = false;
    const int pages = image->axes.n - 2;
    p->all = image->axes;
    for (int i = 0; i < pages; i++)
        p->all.axis[i].extent = p->axis[i].count;
    for (int i = 0; i < image->axes.n; i++) {
        struct gf_axis a = image->axes.axis[i];
        if (i < pages)
            a.extent = p->axis[i].counts_images ? 1 : p->axis[i].count;
        if (i >= pages || (!p->axis[i].counts_images && a.extent > 1))
            axes.axis[axes.n++] = a;
    }
    for (int i = 0; i < axes.n - 2; i++)
        axes.named = axes.named || (image->axes.named && axes.axis[i].role != GF_SPACE);
    image->axes = axes;
    image->px.shape[0] = p->pages;
    if (p->pages > 1)
        return;
    image->ndim--; /* a picture */
    image->px = gf_array_index(&image->px, 0, 0);
}

int gf_pick_make(const struct gf_read_options *options, struct gf_image *image, struct gf_pick *p) {
    const struct gf_axes *axes = &image->axes;
    int64_t depth = 1;
    bool picks = false;
    *p = (struct gf_pick){.images = 1, .pages = 1};
    for (int i = 0; i < axes->n - 2 && image->ndim == 3; i++) {
        struct gf_picked *a = &p->axis[p->n++];
        *a = (struct gf_picked){.extent = axes->axis[i].extent,
                                .count = axes->axis[i].extent,
                                .role = axes->axis[i].role};
        snprintf(a->name, sizeof a->name, "%s", axes->axis[i].name);
    }
    if (!p->n && image->ndim == 3) {
        p->axis[p->n++] = (struct gf_picked){
            .name = "z", .extent = image->px.shape[0], .count = image->px.shape[0]};
        if (options->n_select) {
            gf_axes_start(&image->axes, image->px.shape[1], image->px.shape[2]);
            gf_axes_add(&image->axes, "z", image->px.shape[0], 0, "");
        }
    }
    for (int i = 0; i < options->n_select; i++) {
        int rc = select_axis(p, &options->select[i]);
        if (rc)
            return rc;
    }
    for (int i = 0; i < p->n; i++) {
        picks = picks || p->axis[i].count < p->axis[i].extent;
        depth *= axes->axis[i].role == GF_SPACE ? p->axis[i].count : 1;
        p->pages *= p->axis[i].count;
    }
    p->apart = image->apart;
    const bool divides =
        p->apart || (options->volumes && axes->named && depth > 1 && depth < p->pages);
    for (int i = 0; i < p->n && divides; i++) {
        struct gf_picked *a = &p->axis[i];
        a->counts_images = p->apart || axes->axis[i].role != GF_SPACE;
        p->images *= a->counts_images ? a->count : 1;
    }
    p->pages /= p->images;
    p->n_axes = p->n;
    if (picks || divides)
        describe(p, image);
    else
        p->n = 0;
    return GF_OK;
}

int gf_pick_move(const struct gf_pick *p, struct gf_metadata *m) {
    const struct gf_format *f = m->header ? gf_format_by_name(m->header_format) : NULL;
    int rc = GF_OK;
    for (int k = 0; k < p->n && f && f->skip && !rc; k++)
        rc = p->axis[k].first ? f->skip(m, 1 + p->n - k, p->axis[k].first) : GF_OK;
    return rc;
}

/* Page i of the current image by the extents of the file, or by those that are picked. */
static int64_t number(const struct gf_pick *p, int64_t i, bool of_file) {
    int64_t image = p->image, at = 0, step = 1;
    for (int k = p->n - 1; k >= 0; k--) {
        const struct gf_picked *a = &p->axis[k];
        int64_t *rest = a->counts_images ? &image : &i;
        at += (*rest % a->count + (of_file ? a->first : 0)) * step;
        step *= of_file ? a->extent : a->count;
        *rest /= a->count;
    }
    return at;
}

int64_t gf_pick_page(const struct gf_pick *p, int64_t i) {
    return p->n ? number(p, i, true) : i;
}

int64_t gf_pick_place(const struct gf_pick *p, int64_t i) {
    return p->n ? number(p, i, false) : i;
}

bool gf_pick_is_in_order(const struct gf_pick *p) {
    bool inside = false;
    for (int k = 0; k < p->n; k++) {
        if (p->axis[k].counts_images && inside && p->axis[k].count > 1)
            return false;
        inside = inside || (!p->axis[k].counts_images && p->axis[k].count > 1);
    }
    return true;
}

struct gf_pick_count gf_pick_counts(const struct gf_pick *p, enum gf_role role) {
    struct gf_pick_count found = {0, 1, 1};
    int64_t image = p->image, step = 1;
    for (int k = p->n_axes - 1; k >= 0; k--) {
        const struct gf_picked *a = &p->axis[k];
        if (a->role == role && a->counts_images)
            found = (struct gf_pick_count){image % a->count + a->first, 1, 1};
        else if (a->role == role)
            found = (struct gf_pick_count){a->first, step, a->count};
        image /= a->counts_images ? a->count : 1;
        step *= a->counts_images ? 1 : a->count;
    }
    return found;
}

int64_t gf_pick_index(const struct gf_pick *p, int k, int64_t i) {
    int64_t image = p->image;
    for (int j = p->n_axes - 1; j > k; j--)
        *(p->axis[j].counts_images ? &image : &i) /= p->axis[j].count;
    return (p->axis[k].counts_images ? image : i) % p->axis[k].count;
}

const char *gf_pick_name(const struct gf_pick *p, char *text, size_t size) {
    int64_t image = p->image, at[GF_MAX_AXES] = {0};
    size_t n = 0;
    for (int k = p->n - 1; k >= 0; k--)
        if (p->axis[k].counts_images) {
            at[k] = image % p->axis[k].count + p->axis[k].first;
            image /= p->axis[k].count;
        }
    text[0] = 0;
    for (int k = 0; k < p->n && n < size; k++)
        if (p->axis[k].counts_images && p->axis[k].extent > 1)
            n += (size_t)snprintf(text + n, size - n, "%s%s=%lld", n ? "," : "", p->axis[k].name,
                                  (long long)at[k]);
    return text;
}
