/* A TIFF's description of its pages: OME's XML or ImageJ's lines, kept from the picture's own file as
 * far as they still hold, or made from the axes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/ome.h"
#include "formats/tiff/tiff.h"

/* The pages by axis, and the spacings. */
struct pages {
    int64_t z, c, t;
    char order[4];                 /* of those of more than one page, slowest first */
    const struct gf_axis *axis[4]; /* z, y, x, t; or NULL */
};

static const char *const types[GF_N_DTYPES] = {
    [GF_U8] = "uint8",           [GF_I8] = "int8",    [GF_U16] = "uint16",
    [GF_I16] = "int16",          [GF_U32] = "uint32", [GF_I32] = "int32",
    [GF_F32] = "float",          [GF_F64] = "double", [GF_C64] = "complex",
    [GF_C128] = "double-complex"};

/* The letter of an axis of pages, 0 if it has none. OME has no others, so that `any` takes a free one. */
static char letter_of(const struct gf_axes *axes, int i, bool any) {
    const char *name = axes->axis[i].name, *free = "tcz";
    if (*name && !name[1] && strchr(free, *name))
        return *name;
    for (int k = 0; k < axes->n - 2 && any && *free; k++)
        if (axes->axis[k].extent > 1 && axes->axis[k].name[0] == *free && !axes->axis[k].name[1]) {
            free++;
            k = -1;
        }
    return any ? *free : 0;
}

/* False if an axis of pages is none of these. */
static bool find_pages(const struct gf_image *image, bool any, struct pages *p) {
    const struct gf_axes *axes = &image->axes;
    size_t n = 0;
    *p = (struct pages){.z = 1, .c = 1, .t = 1};
    for (int i = 0; i < axes->n; i++) {
        const struct gf_axis *a = &axes->axis[i];
        const int behind = axes->n - 1 - i;
        if (behind < 2) {
            p->axis[2 - behind] = a;
            continue;
        }
        const char name = letter_of(axes, i, any);
        int64_t *to = name == 'z' ? &p->z : name == 'c' ? &p->c : name == 't' ? &p->t : NULL;
        if (a->extent > 1 && (!to || *to > 1 || n == 3))
            return false;
        if (to && *to == 1)
            *to = a->extent;
        if ((name == 'z' || name == 't') && name == a->name[0])
            p->axis[name == 'z' ? 0 : 3] = a;
        if (a->extent > 1)
            p->order[n++] = name;
    }
    return axes->n >= 2 && p->z * p->c * p->t == (image->ndim == 3 ? image->px.shape[0] : 1);
}

static double spacing_of(const struct gf_axis *a) {
    return a ? a->spacing : 0;
}

/* ---- OME ---- */

/* Replaces the value of an attribute of a start tag, if it has it. Returns false if memory is
 * short. */
static bool replace(char **tag, const char *name, const char *value) {
    static const char blanks[] = " \t\r\n";
    const size_t n = strlen(name);
    char *at = *tag, *made;
    while ((at = strstr(at, name)) &&
           (!strchr(blanks, at[-1]) || at[n + strspn(at + n, blanks)] != '='))
        at += n;
    at = at ? strpbrk(at, "'\"") : NULL;
    char *rest = at ? strchr(at + 1, *at) : NULL;
    if (!rest)
        return true;
    if (asprintf(&made, "%.*s%s%s", (int)(at + 1 - *tag), *tag, value, rest) < 0)
        return false;
    free(*tag);
    *tag = made;
    return true;
}

static int ome_values(const struct gf_image *image, const struct pages *p, char values[][2][24]) {
    const int64_t samples = image->px.shape[image->ndim];
    const int64_t size[] = {image->px.shape[image->ndim - 1], image->px.shape[image->ndim - 2],
                            p->z, p->c * samples, p->t};
    for (int i = 0; i < 5; i++) {
        snprintf(values[i][0], 24, "Size%c", "XYZCT"[i]);
        snprintf(values[i][1], 24, "%lld", (long long)size[i]);
    }
    snprintf(values[5][0], 24, "Type");
    snprintf(values[5][1], 24, "%s", types[image->px.dtype]);
    return 6;
}

/* False if --pixel, say, has changed the spacing. */
static bool has_spacing(const struct gf_ome *ome, const struct pages *p) {
    bool same = true;
    for (int i = 0; i < 4; i++) {
        const double v = spacing_of(p->axis[i]), was = ome->pages.spacing[i];
        same = same && fabs(v - was) <= 1e-6 * v &&
               (!(v > 0) || !strcmp(p->axis[i]->unit, ome->pages.unit[i]));
    }
    return same;
}

/* The pages follow each other, so that the list of them ends in one TiffData without attributes. */
static int print_kept_ome(FILE *f, const struct gf_image *image, const struct pages *p,
                          const char *text, const struct gf_ome *ome) {
    char values[6][2][24];
    const size_t *tag = ome->pixels, *list = ome->list_at;
    char *element = strndup(text + tag[0], tag[1] - tag[0]);
    const int count = ome_values(image, p, values);
    bool done = element;
    for (int i = 0; i < count && done; i++)
        done = replace(&element, values[i][0], values[i][1]);
    if (done) {
        fprintf(f, "%.*s%s", (int)tag[0], text, element);
        if (list[1])
            fprintf(f, "%.*s%.*s/>", (int)(list[0] - tag[1]), text + tag[1],
                    (int)strcspn(text + list[0], " \t\r\n/>"), text + list[0]);
        fputs(text + (list[1] ? list[1] : tag[1]), f);
    }
    free(element);
    return done ? GF_OK : gf_no_memory();
}

/* The name of the axis's unit in OME's schema, or NULL. */
static const char *ome_unit(const struct gf_axis *a) {
    static const char *const names[][2] = {
        {"um", "\xc2\xb5m"}, {"A", "\xc3\x85"}, {"inch", "in"}, {"us", "\xc2\xb5s"}};
    char kind = 0;
    const bool known =
        gf_unit_value(a->unit, &kind) > 0 && kind == (a->role == GF_TIME ? 's' : 'm');
    for (size_t i = 0; i < sizeof names / sizeof *names && known; i++)
        if (!strcmp(a->unit, names[i][0]))
            return names[i][1];
    return known || (a->role == GF_SPACE && !strcmp(a->unit, "pixel")) ? a->unit : NULL;
}

static void print_new_ome(FILE *f, const struct gf_image *image, const struct pages *p) {
    char values[6][2][24];
    const int64_t samples = image->px.shape[image->ndim];
    const int count = ome_values(image, p, values);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://www.openmicroscopy.org/"
          "Schemas/OME/2016-06\"><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XY",
          f);
    for (int i = (int)strlen(p->order) - 1; i >= 0; i--)
        fputc(p->order[i] - 'a' + 'A', f);
    for (const char *rest = "czt"; *rest; rest++)
        if (!strchr(p->order, *rest))
            fputc(*rest - 'a' + 'A', f);
    fputc('"', f);
    for (int i = 0; i < count; i++)
        fprintf(f, " %s=\"%s\"", values[i][0], values[i][1]);
    for (int i = 0; i < 4; i++) {
        static const char *const keys[] = {"PhysicalSizeZ", "PhysicalSizeY", "PhysicalSizeX",
                                           "TimeIncrement"};
        const struct gf_axis *a = p->axis[i];
        const char *unit = spacing_of(a) > 0 ? ome_unit(a) : NULL;
        if (unit)
            fprintf(f, " %s=\"%.9g\" %sUnit=\"%s\"", keys[i], a->spacing, keys[i], unit);
    }
    fputc('>', f);
    for (int64_t i = 0; i < p->c; i++)
        fprintf(f, "<Channel ID=\"Channel:0:%lld\" SamplesPerPixel=\"%lld\"/>", (long long)i,
                (long long)samples);
    fputs("<TiffData/></Pixels></Image></OME>", f);
}

/* ---- ImageJ ---- */

/* True if ImageJ has the type, and the pages are in its order: times of depths of channels. */
static bool suits_imagej(const struct gf_image *image, const struct pages *p) {
    const enum gf_dtype t = image->px.dtype;
    const char *at = "tzc";
    for (const char *o = p->order; *o && at; o++)
        at = strchr(at, *o);
    return at && image->px.shape[image->ndim] == 1 && (t == GF_U8 || t == GF_U16 || t == GF_F32);
}

static void print_imagej(FILE *f, const struct pages *p, const char *kept) {
    static const char *const own[] = {
        "ImageJ=", "images=",  "channels=", "slices=", "frames=",    "hyperstack=",
        "unit=",   "spacing=", "zunit=",    "yunit=",  "finterval=", "tunit="};
    const struct gf_axis *x = p->axis[2], *const *axis = p->axis;
    const int64_t count[3] = {p->c, p->z, p->t};
    const bool several = p->c > 1 || p->t > 1;
    fprintf(f, "ImageJ=%.*s\nimages=%lld\n", kept ? (int)strcspn(kept + 7, "\n") : 5,
            kept ? kept + 7 : "1.54f", (long long)(p->z * p->c * p->t));
    for (int i = 0; i < 3; i++)
        if (count[i] > 1)
            fprintf(f, "%s%lld\n", own[2 + i], (long long)count[i]);
    if (several)
        fputs("hyperstack=true\n", f);
    if (x && *x->unit)
        fprintf(f, "unit=%s\n", x->unit);
    if (spacing_of(axis[0]) > 0)
        fprintf(f, "spacing=%.9g\n", axis[0]->spacing);
    for (int i = 0; i < 2; i++)
        if (spacing_of(axis[i]) > 0 && x && strcmp(axis[i]->unit, x->unit))
            fprintf(f, "%cunit=%s\n", "zy"[i], axis[i] -> unit);
    if (spacing_of(axis[3]) > 0)
        fprintf(f, "finterval=%.9g\ntunit=%s\n", axis[3]->spacing, axis[3]->unit);
    for (const char *line = kept; line && *line;) {
        const int n = (int)strcspn(line, "\n");
        bool again = false;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            again = again || !strncmp(line, own[i], strlen(own[i]));
        if (n && !again)
            fprintf(f, "%.*s\n", n, line);
        line += n + (line[n] == '\n');
    }
}

/* ---- tifffile ---- */

/* Describes pages whose names neither of the others has; for all else *text stays NULL. The resolution has what the
 * text cannot hold, the distance of samples. */
static int print_shape(const struct gf_image *image, char **text,
                       struct gf_resolution *resolution) {
    const struct gf_axes *axes = &image->axes;
    const int64_t samples = image->px.shape[image->ndim];
    size_t size;
    if (!axes->named || image->ndim < 3 || gf_axes_pages(axes) != image->px.shape[0])
        return GF_OK;
    FILE *f = open_memstream(text, &size);
    if (!f)
        return gf_no_memory();
    const struct gf_axis *y = &axes->axis[axes->n - 2], *x = y + 1;
    char kind[2] = "";
    const double per_cm[] = {0.01 / (x->spacing * gf_unit_value(x->unit, &kind[0])),
                             0.01 / (y->spacing * gf_unit_value(y->unit, &kind[1]))};
    if (x->spacing > 0 && y->spacing > 0 && kind[0] == 'm' && kind[1] == 'm')
        *resolution = (struct gf_resolution){per_cm[0], per_cm[1], GF_CENTIMETRE};
    fputs("{\"axes\": \"", f);
    for (int i = 0; i < axes->n; i++) {
        const char letter = letter_of(axes, i, false);
        fputc(i == axes->n - 2   ? 'Y'
              : i == axes->n - 1 ? 'X'
              : letter           ? letter - 'a' + 'A'
                                 : 'Q',
              f);
    }
    fputs(samples > 1 ? "S\", \"shape\": [" : "\", \"shape\": [", f);
    for (int i = 0; i < axes->n; i++)
        fprintf(f, "%s%lld", i ? ", " : "", (long long)axes->axis[i].extent);
    if (samples > 1)
        fprintf(f, ", %lld", (long long)samples);
    fputs("]}", f);
    return fclose(f) ? gf_no_memory() : GF_OK;
}

/* ---- any ---- */

int gf_tiff_describe_pages(const struct gf_image *image, bool ome, char **text,
                           struct gf_resolution *resolution) {
    const char *kept = image->texts ? NULL : gf_tiff_kept_text(&image->metadata, true);
    const char *other = gf_tiff_kept_text(&image->metadata, false);
    struct pages p;
    size_t size;
    *text = NULL;
    bool known = ome || kept || image->axes.named;
    for (int i = 0; i < image->axes.n; i++)
        known = known || image->axes.axis[i].spacing > 0;
    struct gf_image plain = *image;
    if (ome && !plain.axes.n && image->ndim >= 2) {
        gf_axes_start(&plain.axes, image->px.shape[image->ndim - 2],
                      image->px.shape[image->ndim - 1]);
        if (image->ndim == 3)
            gf_axes_add(&plain.axes, "z", image->px.shape[0], 0, "");
    }
    if (!known || image->record || image->ndim < 2 || !find_pages(&plain, ome, &p)) {
        if (ome && !image->record && image->ndim >= 2)
            return gf_fail(GF_EUNSUPP, "OME's pages are z, c and t, and these have other axes; "
                                       "write a name without .ome");
        if (image->record)
            return GF_OK;
        *text = other ? strdup(other) : NULL;
        return !other ? print_shape(image, text, resolution) : *text ? GF_OK : gf_no_memory();
    }
    const bool is_ome = kept && strncmp(kept, "ImageJ=", 7), imagej = suits_imagej(image, &p);
    struct gf_ome was = {0};
    int rc = is_ome ? gf_ome_read(kept, 0, NULL, &was) : GF_OK;
    if (rc == GF_ENOMEM)
        return rc;
    gf_ome_set_samples(&was, (int)image->px.shape[image->ndim]);
    FILE *f = open_memstream(text, &size);
    rc = f ? GF_OK : gf_no_memory();
    if (f && was.images == 1 && gf_ome_planes(&was) == p.z * p.c * p.t && has_spacing(&was, &p))
        rc = print_kept_ome(f, image, &p, kept, &was);
    else if (f && (ome || is_ome || !imagej))
        print_new_ome(f, &plain, &p);
    else if (f)
        print_imagej(f, &p, kept);
    gf_ome_free(&was);
    if (f && fclose(f) && !rc)
        rc = gf_no_memory();
    if (!rc && !is_ome && !ome && imagej && spacing_of(p.axis[2]) > 0 && spacing_of(p.axis[1]) > 0)
        *resolution =
            (struct gf_resolution){1 / p.axis[2]->spacing, 1 / p.axis[1]->spacing, GF_UNIT_NONE};
    return rc;
}
