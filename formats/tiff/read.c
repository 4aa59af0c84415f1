/* TIFF in: pages of one shape as a picture or volume. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/ome.h"
#include "formats/record.h"
#include "formats/tiff/tiff.h"

static bool tiff_sniff(const unsigned char *head, size_t n) {
    return n >= 4 && (!memcmp(head, "II*\0", 4) || !memcmp(head, "MM\0*", 4) ||
                      !memcmp(head, "II+\0", 4) || !memcmp(head, "MM\0+", 4));
}

struct numbers {
    int64_t *at;
    size_t n;
};

struct reader {
    struct gf_tiff t;
    struct gf_tiff_page first;  /* of the pages to decode */
    struct numbers directories; /* the positions of all */
    struct numbers order;       /* the directories of the pages, by their numbers */
    bool skips, differ; /* some directories are no pages; some pages are not like the first */
    bool masks;         /* some directories are masks */
    int64_t at;         /* the first page to decode */
    size_t pages;       /* order.n, or more that follow the listed one without a directory */
    int64_t buffer_bytes;
};

static int add(struct numbers *list, int64_t v) {
    int rc = gf_list_grow(&list->at, (int64_t)list->n, sizeof v);
    if (!rc)
        list->at[list->n++] = v;
    return rc;
}

static int fail_differing(const struct reader *r, const struct gf_tiff_page *b, int64_t from,
                          int64_t i) {
    const struct gf_tiff_page *a = &r->first;
    return gf_fail(
        GF_EINVAL,
        "its pages differ: page %lld is %lldx%lld, %d channels of %s, page %lld is %lldx%lld, "
        "%d of %s; --select=z=%lld takes one",
        (long long)r->order.at[from] + 1, (long long)a->height, (long long)a->width,
        (int)a->channels, gf_dtype_name(a->dtype), (long long)r->order.at[i] + 1,
        (long long)b->height, (long long)b->width, (int)b->channels, gf_dtype_name(b->dtype),
        (long long)from);
}

static bool same_samples(const struct gf_tiff_page *a, const struct gf_tiff_page *b) {
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->dtype == b->dtype;
}

static bool same_page(const struct gf_tiff_page *a, const struct gf_tiff_page *b) {
    return same_samples(a, b) && a->alpha == b->alpha && a->color == b->color;
}

/* Walks all directories; skips masks, and thumbnails of other pages. Pages that differ, or cannot be
 * decoded, may turn out not to be wanted. */
static int survey(struct reader *r) {
    struct gf_tiff *t = &r->t;
    int number = 0;
    do {
        struct gf_tiff_page page;
        int rc = gf_tiff_describe(t, &page);
        if (number == 0)
            r->first = page;
        const bool masks = number > 0 && page.mask, skips = masks || (number > 0 && page.reduced);
        r->masks |= masks;
        r->skips |= skips;
        r->differ |= !skips && (rc || !same_page(&page, &r->first));
        if (r->buffer_bytes < page.buffer_bytes)
            r->buffer_bytes = page.buffer_bytes;
        rc = add(&r->directories, (int64_t)gf_libtiff.TIFFCurrentDirOffset(t->tif));
        if (!rc && !skips)
            rc = add(&r->order, number);
        if (rc)
            return rc;
        number++;
    } while (gf_libtiff.TIFFReadDirectory(t->tif));
    int rc = gf_tiff_check(t);
    /* libtiff stops, with a warning only, at a directory that it has seen before. */
    if (!rc && !gf_libtiff.TIFFLastDirectory(t->tif))
        rc = gf_fail(GF_EFORMAT, "broken TIFF: its pages form a loop after page %d", number);
    return rc;
}

/* Makes a directory the current one. */
static int select_directory(struct reader *r, int64_t number, struct gf_tiff_page *page) {
    if (!gf_libtiff.TIFFSetSubDirectory(r->t.tif, (uint64_t)r->directories.at[number]))
        return gf_tiff_report(&r->t, "broken TIFF: ");
    return gf_tiff_describe(&r->t, page);
}

/* The pages that --select takes of a file without axes: [*from, *end). */
static void selected_pages(const struct gf_decoder *d, int64_t n, int64_t *from, int64_t *end) {
    const struct gf_read_options *o = &d->options;
    *from = 0;
    *end = n;
    for (int i = 0; i < o->n_select; i++)
        if (!strcmp(o->select[i].name, "z") && o->select[i].first < n) {
            *from = o->select[i].first;
            *end = o->select[i].count ? gf_min(n, *from + o->select[i].count) : n;
        }
}

/* Checks that the pages to decode are alike, or else, unless axes describe them, are taken one by
 * one. */
static int check_pages(struct gf_decoder *d, struct gf_image *image) {
    struct reader *r = d->state;
    struct gf_tiff_page page;
    int64_t from = 0, end = (int64_t)r->order.n;
    if (!image->axes.n)
        selected_pages(d, end, &from, &end);
    int rc = select_directory(r, r->order.at[from], &r->first);
    r->buffer_bytes = r->first.buffer_bytes;
    for (int64_t i = from + 1; i < end && !rc; i++) {
        rc = select_directory(r, r->order.at[i], &page);
        const bool apart = rc || !same_page(&page, &r->first);
        if (apart && (d->options.several || d->options.lists) && !image->axes.n && !image->record) {
            image->apart = end - from;
            rc = GF_OK;
        } else if (!rc && apart)
            rc = fail_differing(r, &page, from, i);
        r->buffer_bytes = gf_max(r->buffer_bytes, page.buffer_bytes);
    }
    r->at = from;
    return rc;
}

/* Checks if the current page's description is a record, whole or damaged. libtiff ends its text at
 * the first NUL, which may be the damage, so the rest is read from the file. */
static int is_record(struct gf_tiff *t, const char *text, bool *is) {
    struct gf_tiff_tag tag;
    *is = gf_record_is_ours(text, strlen(text));
    if (*is)
        return GF_OK;
    int rc = gf_tiff_find(t, TIFFTAG_IMAGEDESCRIPTION, &tag);
    if (rc || tag.count <= strlen(text) + 1)
        return rc;
    enum { ENOUGH = 64 << 10 };
    const size_t most = tag.count < ENOUGH ? (size_t)tag.count : ENOUGH;
    char *whole = malloc(most);
    rc = whole ? gf_tiff_read_value(t, &tag, most, whole) : gf_no_memory();
    *is = !rc && gf_record_is_ours(whole, most);
    free(whole);
    return rc;
}

/* Takes the record if the first page's description is one; if it is damaged, whoever needs it
 * refuses it. */
static int read_record(struct gf_tiff *t, struct gf_image *image) {
    char *text = NULL;
    bool is = true;
    if (!gf_libtiff.TIFFGetField(t->tif, TIFFTAG_IMAGEDESCRIPTION, &text))
        return GF_OK;
    int rc = text ? is_record(t, text, &is) : GF_OK;
    if (rc || !is)
        return rc;
    t->no_memory |= !text; /* libtiff had no memory for it */
    image->record = text ? strdup(text) : NULL;
    return image->record ? GF_OK : gf_no_memory();
}

/* For stacks too large for its TIFFs, ImageJ lists one page and writes all samples in a row. */
static int take_unlisted(struct gf_decoder *d, const struct gf_axes *axes) {
    struct reader *r = d->state;
    const struct gf_tiff_page *p = &r->first;
    const bool plain =
        p->compression == COMPRESSION_NONE && !p->tiled && !p->planar && gf_tiff_is_direct(p);
    int64_t extents[2] = {gf_axes_pages(axes), p->stored_bytes}, bytes;
    uint64_t *at = NULL;
    if (plain && r->order.n == 1 && gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_STRIPOFFSETS, &at) &&
        at)
        d->layout.offset = (int64_t)at[0];
    if (d->layout.offset <= 0 || gf_size_product(extents, 2, 1, &bytes) ||
        d->layout.offset > gf_source_size(r->t.source) - bytes)
        return gf_fail(
            GF_EUNSUPP,
            "its %s description has %lld pages, and the file lists %zu; save it with a page "
            "for each",
            axes->by, (long long)extents[0], r->order.n);
    d->layout.big_endian = gf_libtiff.TIFFIsBigEndian(r->t.tif);
    d->coding.tail = true;
    r->pages = (size_t)extents[0];
    return GF_OK;
}

/* ImageJ's pixels per unit are in the resolution, whose own unit is none. */
static void take_resolution(struct reader *r, struct gf_axes *axes) {
    float per_unit[2] = {0, 0};
    uint16_t unit = RESUNIT_INCH;
    gf_libtiff.TIFFGetFieldDefaulted(r->t.tif, TIFFTAG_RESOLUTIONUNIT, &unit);
    gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_XRESOLUTION, &per_unit[0]);
    gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_YRESOLUTION, &per_unit[1]);
    for (int i = 0; i < 2 && unit == RESUNIT_NONE; i++) {
        struct gf_axis *a = &axes->axis[axes->n - 1 - i];
        const bool known = *a->unit || per_unit[0] < 1 || per_unit[0] > 1 || per_unit[1] < 1 ||
                           per_unit[1] > 1; /* 1 : 1 without a unit is what writers put for none */
        if (known && per_unit[i] > 0 && per_unit[i] <= FLT_MAX)
            a->spacing = 1 / (double)per_unit[i];
    }
}

/* Returns GF_OK for info, which shows what is missing. */
static int read_imagej(struct gf_decoder *d, const char *text, struct gf_axes *axes) {
    struct reader *r = d->state;
    gf_axes_parse_imagej(text, axes);
    take_resolution(r, axes);
    int rc = gf_axes_pages(axes) > (int64_t)r->order.n ? take_unlisted(d, axes) : GF_OK;
    return d->options.lists ? GF_OK : rc;
}

/* Puts the pages in the order of OME's axes. */
static int arrange(struct gf_decoder *d, struct gf_ome *ome) {
    struct reader *r = d->state;
    const bool lists = gf_ome_lists(ome);
    const int64_t listed = (int64_t)(lists ? r->directories.n : r->order.n);
    int rc = GF_OK;
    if (gf_ome_start(ome) < listed && (lists || r->differ))
        rc = select_directory(r, lists ? gf_ome_start(ome) : 0, &r->first);
    if (rc)
        return rc;
    gf_ome_set_samples(ome, r->first.samples);
    const int64_t planes = gf_ome_planes(ome);
    if (planes > listed)
        return gf_fail(GF_EUNSUPP,
                       "OME's description has %lld planes, and the file lists %lld pages; "
                       "--dims=2 takes them one by one",
                       (long long)planes, (long long)listed);
    if (!lists)
        return GF_OK;
    int64_t *map = malloc((size_t)planes * sizeof *map);
    rc = map ? gf_ome_map(ome, listed, map) : gf_no_memory();
    if (rc) {
        free(map);
        return rc;
    }
    free(r->order.at);
    r->order = (struct numbers){map, (size_t)planes};
    r->pages = r->order.n;
    r->differ |= r->skips;
    return GF_OK;
}

/* The place in the selection of the one image that is asked for; n_select if none is. */
static int find_image(const struct gf_read_options *o) {
    int i = 0;
    while (i < o->n_select && (strcmp(o->select[i].name, "image") || o->select[i].count != 1))
        i++;
    return i;
}

/* Names the image's axes, and in a note the other images unless this one was asked for. */
static int name_image(struct gf_decoder *d, const struct gf_ome *ome, struct gf_image *image) {
    const struct reader *r = d->state;
    struct gf_read_options *o = &d->options;
    const int at = find_image(o);
    const bool asked = at < o->n_select;
    gf_axes_start(&image->axes, r->first.height, r->first.width);
    gf_axes_describe(&image->axes, "OME", &ome->pages);
    if (asked) /* the other selections are of axes */
        o->select[at] = o->select[--o->n_select];
    else if (ome->images > 1)
        return gf_image_note(
            &image->note, "it has %d images (%s); image %d is read, --select=image=N takes another",
            ome->images, ome->list, ome->image);
    return GF_OK;
}

/* Reads OME's description. A description that does not fit the pages does not matter where they are
 * taken one by one, or only listed. */
static int read_ome(struct gf_decoder *d, const char *text, struct gf_image *image) {
    struct reader *r = d->state;
    struct gf_ome ome = {0};
    const int at = find_image(&d->options);
    const int64_t which = at < d->options.n_select ? d->options.select[at].first : -1;
    image->axes.n = 0;
    int rc = gf_ome_read(text, which, d->options.path, &ome);
    if (rc || (!ome.images && !*ome.other))
        return rc == GF_EFORMAT && !d->options.volumes && !d->options.lists ? GF_OK : rc;
    rc = ome.images ? arrange(d, &ome) : r->order.n > 1 ? GF_EINVAL : GF_OK;
    const bool misfits = rc == GF_EINVAL || rc == GF_EUNSUPP;
    if (misfits && *ome.other)
        rc = gf_fail(GF_EUNSUPP,
                     "OME's description of its pages is about other files too ('%s'), which are "
                     "not read; --dims=2 takes its own pages, one by one",
                     ome.other);
    if (misfits && (d->options.lists || !d->options.volumes))
        rc = GF_OK;
    if (!rc && ome.images && (!misfits || d->options.lists))
        rc = name_image(d, &ome, image);
    gf_ome_free(&ome);
    return rc;
}

/* Reads the first page's description of all pages. */
static int read_axes(struct gf_decoder *d, struct gf_image *image) {
    struct reader *r = d->state;
    struct gf_axes *axes = &image->axes;
    char *text = NULL;
    if (!gf_libtiff.TIFFGetField(r->t.tif, TIFFTAG_IMAGEDESCRIPTION, &text) || !text)
        return GF_OK;
    text = strdup(text); /* libtiff's goes with the directory */
    if (!text)
        return gf_no_memory();
    gf_axes_start(axes, r->first.height, r->first.width);
    const bool shaped = *text == '{';
    int rc = GF_OK;
    if (shaped)
        gf_axes_parse_tifffile(text, (int64_t)r->pages, axes);
    else
        rc = strncmp(text, "ImageJ=", 7) ? read_ome(d, text, image) : read_imagej(d, text, axes);
    const bool fits = !axes->n || gf_axes_pages(axes) == (int64_t)r->pages;
    if (!rc && !fits && (d->options.volumes || d->options.lists))
        rc = gf_image_note(&image->note,
                           "%s describes %lld pages, and the file lists %zu: all are depth",
                           axes->by, (long long)gf_axes_pages(axes), r->pages);
    if (!d->options.lists && !fits)
        axes->n = 0;
    if (!rc && axes->n && !shaped)
        rc = gf_header_copy(&image->metadata, gf_format_tiff.name, text, strlen(text));
    free(text);
    return rc;
}

/* Makes page i the current one. */
static int select_page(struct reader *r, int64_t i, struct gf_tiff_page *page) {
    int rc = select_directory(r, r->order.at[i], page);
    if (!rc && !same_samples(page, &r->first))
        rc = gf_fail(GF_EFORMAT, "the file changed while it was read");
    return rc;
}

static int read_pages(struct reader *r, const struct gf_image *image, int64_t from, int64_t n,
                      void *to) {
    struct gf_tiff *t = &r->t;
    const int64_t bytes = image->ndim == 3 ? image->px.stride[0] : 0;
    for (int64_t i = 0; i < n; i++) {
        struct gf_tiff_page page;
        int rc = select_page(r, from + i, &page);
        if (!rc)
            rc = gf_tiff_decode(t, &page, 0, page.height, (unsigned char *)to + i * bytes);
        if (rc)
            return rc;
    }
    return gf_tiff_check(t);
}

static int read_rows(struct reader *r, int64_t first, int64_t n, void *to) {
    struct gf_tiff_page p;
    int rc = select_page(r, first / r->first.height, &p);
    if (!rc && (p.tiled || p.planar))
        rc = gf_fail(GF_EUNSUPP, "only the first of its pages is in strips");
    if (!rc)
        rc = gf_tiff_decode(&r->t, &p, first % r->first.height, n, to);
    return rc ? rc : gf_tiff_check(&r->t);
}

/* The pages of a picture are its rows. */
static int tiff_read(struct gf_decoder *d, const struct gf_image *image, enum gf_unit unit,
                     int64_t first, int64_t n, void *to) {
    struct reader *r = d->state;
    if (r->pages > r->order.n) /* one block */
        return gf_plain_read(d, image, unit, first, n, to);
    return unit == GF_ROW || (unit == GF_PAGE && image->ndim < 3)
               ? read_rows(r, first, n, to)
               : read_pages(r, image, first, n, to);
}

/* Refuses a camera's raw picture: its first page is a thumbnail of the developed one. */
static int check_raw(struct gf_tiff *t) {
    enum { MOST = 16 };
    uint16_t n = 0, photometric = 0;
    uint64_t *sub = NULL, at[MOST], first = gf_libtiff.TIFFCurrentDirOffset(t->tif);
    unsigned char head[10] = {0};
    void *version = NULL;
    const char *name = NULL;
    int rc = gf_source_seek(t->source, 0);
    if (rc || gf_source_read(t->source, head, sizeof head) < 0)
        return rc ? rc : gf_fail(GF_EIO, "its first bytes cannot be read");
    if (first == 16 && !memcmp(head + 8, "CR", 2))
        name = "a Canon CR2 raw";
    if (gf_libtiff.TIFFGetField(t->tif, TIFFTAG_DNGVERSION, &version))
        name = "a DNG raw";
    if (!name && gf_libtiff.TIFFGetField(t->tif, TIFFTAG_SUBIFD, &n, &sub) && sub) {
        n = n < MOST ? n : MOST;
        memcpy(at, sub, n * sizeof *at);
        struct gf_tiff as_it_was = *t;
        for (int i = 0; i < n && !name; i++)
            if (gf_libtiff.TIFFSetSubDirectory(t->tif, at[i]) &&
                gf_libtiff.TIFFGetField(t->tif, TIFFTAG_PHOTOMETRIC, &photometric) &&
                photometric == PHOTOMETRIC_CFA)
                name = "a camera raw (such as NEF or ARW)";
        *t = as_it_was; /* a damaged one is of no importance */
        if (!gf_libtiff.TIFFSetSubDirectory(t->tif, first))
            return gf_tiff_report(t, "broken TIFF: ");
    }
    return name ? gf_fail(GF_EUNSUPP,
                          "is %s file, which gpufft does not read; develop it to TIFF first", name)
                : GF_OK;
}

/* Describes `pages` pages like page i, which becomes the current one. */
static int describe_page(struct gf_decoder *d, int64_t i, size_t pages, struct gf_image *image) {
    struct reader *r = d->state;
    const struct gf_tiff_page *p = &r->first;
    const bool volume = pages > 1;
    int rc = select_directory(r, r->order.at[i], &r->first);
    if (!rc)
        rc = gf_tiff_get_metadata(&r->t, image);
    if (rc)
        return rc;
    const int64_t shape[3] = {(int64_t)pages, p->height, p->width};
    image->color = p->color;
    image->alpha = p->alpha;
    image->white = p->white;
    image->depth = p->palette ? 8 * (int)gf_dtype_size(p->dtype) : p->bits;
    if (!p->tiled && !p->planar && p->compression == COMPRESSION_NONE)
        d->unit = GF_ROW;
    else
        d->unit = r->pages < 2 ? GF_WHOLE : GF_PAGE;
    rc =
        gf_image_describe(image, p->dtype, volume ? 3 : 2, volume ? shape : shape + 1, p->channels);
    return rc ? rc : gf_tiff_check(&r->t);
}

static int tiff_next(struct gf_decoder *d, int64_t page, struct gf_image *image) {
    gf_metadata_free(&image->metadata);
    return describe_page(d, page, 1, image);
}

/* Takes an electron microscope's scale where nothing describes the pages. */
static int read_scale(struct reader *r, struct gf_image *image) {
    struct gf_axes axes;
    gf_axes_start(&axes, r->first.height, r->first.width);
    int rc = gf_tiff_get_scale(&r->t, &axes);
    if (r->pages > 1)
        gf_axes_add(&axes, "z", (int64_t)r->pages, 0, "");
    if (!rc && axes.axis[axes.n - 1].spacing > 0)
        image->axes = axes;
    return rc;
}

static int tiff_open(struct gf_decoder *d, struct gf_image *image) {
    enum { SLACK = 64 << 20 }; /* libtiff may allocate this much beyond the file's size */
    struct reader *r = d->state;
    struct gf_tiff *t = &r->t;
    t->source = d->source;
    int64_t size = gf_source_size(d->source);
    if (size < 0)
        return (int)size;
    int rc = gf_tiff_open(t, "rm", size + SLACK);
    if (!rc && t->failed)
        rc = gf_tiff_report(t, "not a TIFF: ");
    if (!rc)
        rc = check_raw(t);
    t->has_nodata = !rc && gf_tiff_nodata(t, &t->nodata);
    if (!rc)
        rc = survey(r);
    if (rc)
        return rc;
    r->pages = r->order.n;
    if (!gf_libtiff.TIFFSetSubDirectory(t->tif, (uint64_t)r->directories.at[0]))
        rc = gf_tiff_report(t, "broken TIFF: ");
    if (!rc)
        rc = read_record(t, image);
    if (!rc && !image->record)
        rc = read_axes(d, image);
    if (!rc && !image->record && !image->axes.n)
        rc = read_scale(r, image);
    if (!rc && r->masks)
        rc = gf_image_note(&image->note,
                           "its mask of valid samples is not applied: all samples are used");
    if (!rc && r->differ)
        rc = check_pages(d, image);
    d->extra = r->buffer_bytes;
    return rc ? rc : describe_page(d, r->at, r->pages, image);
}

static void tiff_close(struct gf_decoder *d) {
    struct reader *r = d->state;
    gf_tiff_close(&r->t);
    free(r->directories.at);
    free(r->order.at);
}

/* The size of a compressed strip, and so the place of the next, is unknown before it is written. */
static bool compresses(const struct gf_write_options *options) {
    return options->tiff_compression[0] && strcmp(options->tiff_compression, "none");
}

const struct gf_format gf_format_tiff = {
    .name = "tiff",
    .suffixes = "tif tiff",
    .summary = "TIFF of any sample type, pages as planes, a spectrum's record inside",
    .load = gf_tiff_load,
    .sniff = tiff_sniff,
    .state_bytes = sizeof(struct reader),
    .open = tiff_open,
    .read_part = tiff_read,
    .next = tiff_next,
    .close = tiff_close,
    .begin = gf_tiff_begin,
    .put_pages = gf_tiff_put_pages,
    .end = gf_tiff_end,
    .write_frame = gf_tiff_write_frame,
    .compresses = compresses,
    .name_header = gf_tiff_name_header,
    .place = gf_tiff_place,
    .dtypes = (1u << GF_N_DTYPES) - 1,
    .max_ndim = 3,
    .channels = 1,
    .alpha = true,
    .alpha_plane = true,
    .embeds_record = true,
    .keeps_texts = true,
};
