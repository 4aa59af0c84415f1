/* OME's XML into axes and a list of pages, see ome.h. */
#include "formats/ome.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/array.h"
#include "core/base/value/status.h"
#include "formats/io/io.h"

struct parser {
    XML_Parser xml;
    struct gf_ome *ome;
    const char *own; /* the file's name without folders, or NULL */
    int64_t which;   /* -1: the first image with planes in this file */
    int depth;
    bool inside; /* the chosen Pixels element, or one that may be chosen */
    bool chosen;
    bool in_uuid;         /* of its TiffData */
    bool is_ome, defines; /* entities */
    bool several;         /* there are other files; this one is not just renamed */
    char name[40];        /* the image's */
    char root[64], uuid[64], file[64];
    int rc; /* a failure within a handler */
};

static const char *attribute(const XML_Char **pairs, const char *name) {
    for (; *pairs; pairs += 2)
        if (!strcmp(pairs[0], name))
            return pairs[1];
    return NULL;
}

static void copy(char *to, size_t size, const char *text) {
    snprintf(to, size, "%s", text ? text : "");
}

static int broken(const char *reason) {
    return gf_fail(GF_EFORMAT, "broken description by OME: %s; --dims=2 takes the pages one by one",
                   reason);
}

static void stop(struct parser *p, int rc) {
    p->rc = p->rc ? p->rc : rc;
    gf_expat.XML_StopParser(p->xml, XML_FALSE);
}

/* A whole number from `least` to a million, so that the product of three fits, or `missing`. */
static int64_t integer(struct parser *p, const XML_Char **pairs, const char *name, int64_t least,
                       int64_t missing) {
    const char *text = attribute(pairs, name);
    char *end = NULL, clean[24], reason[64];
    const long long v = text ? strtoll(text, &end, 10) : missing;
    if (!text || (end > text && !end[strspn(end, " ")] && v >= least && v <= 1000000))
        return v;
    gf_clean_text(clean, sizeof clean, text);
    snprintf(reason, sizeof reason, "%s is '%s'", name, clean);
    stop(p, broken(reason));
    return missing;
}

/* Converts "XYCZT", fastest first, to "tzc"; false if it is no such order. */
static bool take_order(const char *text, char order[4]) {
    if (!text || strlen(text) != 5 || strncmp(text, "XY", 2) || !strchr(text, 'Z') ||
        !strchr(text, 'C') || !strchr(text, 'T'))
        return false;
    for (int i = 0; i < 3; i++)
        order[i] = (char)(text[4 - i] + 'a' - 'A');
    return true;
}

static void take_pixels(struct parser *p, const XML_Char **pairs) {
    static const char *const sizes[] = {"PhysicalSizeZ", "PhysicalSizeY", "PhysicalSizeX",
                                        "TimeIncrement"};
    struct gf_pages *g = &p->ome->pages;
    char name[24];
    *g = (struct gf_pages){.z = integer(p, pairs, "SizeZ", 1, 1),
                           .c = integer(p, pairs, "SizeC", 1, 1),
                           .t = integer(p, pairs, "SizeT", 1, 1),
                           .order = "tzc"};
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%sUnit", sizes[i]);
        g->spacing[i] = gf_positive(attribute(pairs, sizes[i]));
        gf_unit_copy(attribute(pairs, name), '\n', g->unit[i]);
        if (!*g->unit[i]) /* the schema's defaults */
            copy(g->unit[i], sizeof g->unit[i], i < 3 ? "um" : "s");
    }
    if (!take_order(attribute(pairs, "DimensionOrder"), g->order) &&
        (g->z > 1) + (g->c > 1) + (g->t > 1) > 1)
        stop(p, broken("no DimensionOrder, or an odd one"));
    p->ome->pixels[0] = (size_t)gf_expat.XML_GetCurrentByteIndex(p->xml);
    p->ome->pixels[1] = p->ome->pixels[0] + (size_t)gf_expat.XML_GetCurrentByteCount(p->xml);
}

static void add_image(struct parser *p, const XML_Char **pairs) {
    struct gf_ome *ome = p->ome;
    const size_t n = strlen(ome->list);
    p->inside = p->which < 0 ? !p->chosen : ome->images == p->which;
    if (p->inside) {
        ome->image = ome->images;
        take_pixels(p, pairs);
    }
    snprintf(ome->list + n, sizeof ome->list - n, "%s%d%s%s%s", n ? ", " : "", ome->images,
             *p->name ? " '" : "", p->name, *p->name ? "'" : "");
    ome->images++;
}

static void add_data(struct parser *p, const XML_Char **pairs) {
    struct gf_ome *ome = p->ome;
    if (gf_list_grow(&ome->data, (int64_t)ome->n_data, sizeof *ome->data)) {
        stop(p, GF_ENOMEM);
        return;
    }
    if (!ome->n_data)
        ome->list_at[0] = (size_t)gf_expat.XML_GetCurrentByteIndex(p->xml);
    const int64_t all = attribute(pairs, "IFD") ? 1 : -1;
    ome->data[ome->n_data++] = (struct gf_ome_data){
        .directory = integer(p, pairs, "IFD", 0, 0),
        .count = integer(p, pairs, "PlaneCount", 0,
                         integer(p, pairs, "NumPlanes", 0, all)), /* before 2008 */
        .first = {integer(p, pairs, "FirstZ", 0, 0), integer(p, pairs, "FirstC", 0, 0),
                  integer(p, pairs, "FirstT", 0, 0)},
    };
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **pairs) {
    struct parser *p = user;
    const char *colon = strrchr(name, ':'), *local = colon ? colon + 1 : name;
    if (p->depth++ == 0) {
        p->is_ome = !strcmp(local, "OME");
        copy(p->root, sizeof p->root, attribute(pairs, "UUID"));
        if (!p->is_ome || p->defines)
            stop(p, p->is_ome ? broken("it defines entities, which are refused") : GF_OK);
    } else if (!strcmp(local, "BinaryOnly")) {
        copy(p->ome->other, sizeof p->ome->other, attribute(pairs, "MetadataFile"));
    } else if (!strcmp(local, "Image")) {
        const char *text = attribute(pairs, "Name");
        gf_clean_text(p->name, sizeof p->name, text ? text : "");
    } else if (!strcmp(local, "Pixels")) {
        add_image(p, pairs);
    } else if (p->inside && !strcmp(local, "TiffData")) {
        add_data(p, pairs);
    } else if (p->inside && !strcmp(local, "UUID") && p->ome->n_data) {
        p->in_uuid = true;
        *p->uuid = 0;
        copy(p->file, sizeof p->file, attribute(pairs, "FileName"));
    }
}

static void XMLCALL on_text(void *user, const XML_Char *text, int n) {
    struct parser *p = user;
    const size_t at = strlen(p->uuid);
    if (p->in_uuid)
        snprintf(p->uuid + at, sizeof p->uuid - at, "%.*s", n, text);
}

/* Notes whether the planes of the last TiffData are in this file. */
static void end_uuid(struct parser *p) {
    struct gf_ome *ome = p->ome;
    const char *name = *p->file ? p->file : p->uuid;
    const bool here =
        (*p->root && !strcmp(p->uuid, p->root)) || (p->own && !strcmp(p->file, p->own));
    p->in_uuid = false;
    if (here || !*name)
        return;
    ome->data[ome->n_data - 1].elsewhere = true;
    p->several = p->several || (*p->root && *p->uuid) || (*ome->other && strcmp(ome->other, name));
    copy(ome->other, sizeof ome->other, name);
}

/* True if no planes of the image are in this file. */
static bool is_elsewhere(const struct gf_ome *ome) {
    bool all = ome->n_data > 0;
    for (size_t i = 0; i < ome->n_data && all; i++)
        all = ome->data[i].elsewhere;
    return all;
}

static void end_image(struct parser *p) {
    struct gf_ome *ome = p->ome;
    p->chosen = p->chosen || (p->inside && !is_elsewhere(ome));
    p->inside = false;
    if (p->chosen || p->which >= 0)
        return;
    ome->n_data = 0;
    *ome->other = 0;
    p->several = false;
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
    struct parser *p = user;
    const char *colon = strrchr(name, ':'), *local = colon ? colon + 1 : name;
    p->depth--;
    if (p->in_uuid && !strcmp(local, "UUID"))
        end_uuid(p);
    else if (p->inside && !strcmp(local, "TiffData"))
        p->ome->list_at[1] = (size_t)gf_expat.XML_GetCurrentByteIndex(p->xml) +
                             (size_t)gf_expat.XML_GetCurrentByteCount(p->xml);
    else if (!strcmp(local, "Pixels"))
        end_image(p);
}

/* Definitions may grow without bound when they are expanded. */
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int has_definitions) {
    (void)name, (void)system, (void)public;
    ((struct parser *)user)->defines = has_definitions;
}

/* Parses a text of that encoding; NULL: the one that it declares, or UTF-8. */
static int parse(struct parser *p, const char *text, const char *encoding) {
    p->xml = gf_expat.XML_ParserCreate(encoding);
    if (!p->xml)
        return gf_no_memory();
    gf_expat.XML_SetUserData(p->xml, p);
    gf_expat.XML_SetElementHandler(p->xml, on_start, on_end);
    gf_expat.XML_SetCharacterDataHandler(p->xml, on_text);
    gf_expat.XML_SetStartDoctypeDeclHandler(p->xml, on_doctype);
    const bool done = gf_expat.XML_Parse(p->xml, text, (int)strlen(text), 1) == XML_STATUS_OK;
    const enum XML_Error code = gf_expat.XML_GetErrorCode(p->xml);
    gf_expat.XML_ParserFree(p->xml);
    if (done || p->rc || code == XML_ERROR_ABORTED)
        return p->rc;
    if (code == XML_ERROR_NO_MEMORY)
        return gf_no_memory();
    return p->is_ome ? broken(gf_expat.XML_ErrorString(code)) : GF_OK;
}

static int try(const char *text, int64_t which, const char *own, const char *encoding,
               struct gf_ome *ome) {
    struct parser p = {.ome = ome, .own = own, .which = which};
    int rc = parse(&p, text, encoding);
    if (!rc && which < 0 && ome->images && !p.chosen) {
        gf_ome_free(ome);
        return try(text, 0, own, encoding, ome);
    }
    const bool renamed = !p.several && is_elsewhere(ome); /* its planes are here */
    for (size_t i = 0; i < ome->n_data && renamed; i++)
        ome->data[i].elsewhere = false;
    if (!rc && ome->images && which >= ome->images)
        rc = gf_fail(GF_EINVAL, "--select: image is from 0 to %d here", ome->images - 1);
    if (rc)
        gf_ome_free(ome);
    return rc;
}

int gf_ome_read(const char *text, int64_t which, const char *path, struct gf_ome *ome) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *mark = strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3; /* of UTF-8 */
    *ome = (struct gf_ome){.images = 0};
    if (mark[strspn(mark, " \t\r\n")] != '<' || !strstr(mark, "OME") || strlen(text) > INT_MAX)
        return GF_OK;
    int rc = gf_expat_load();
    if (!rc)
        rc = try(text, which, slash ? slash + 1 : path, NULL, ome);
    if (rc == GF_EFORMAT) /* some writers put a byte for the micro sign */
        rc = try(text, which, slash ? slash + 1 : path, "ISO-8859-1", ome);
    return rc;
}

void gf_ome_free(struct gf_ome *ome) {
    free(ome->data);
    *ome = (struct gf_ome){.images = 0};
}

/* ---- pages ---- */

void gf_ome_set_samples(struct gf_ome *ome, int samples) {
    if (samples > 1 && ome->pages.c % samples == 0)
        ome->pages.c /= samples;
}

int64_t gf_ome_planes(const struct gf_ome *ome) {
    return ome->pages.z * ome->pages.c * ome->pages.t;
}

bool gf_ome_lists(const struct gf_ome *ome) {
    return ome->n_data > 1 || (ome->n_data == 1 && ome->data[0].count >= 0);
}

int64_t gf_ome_start(const struct gf_ome *ome) {
    for (size_t i = 0; i < ome->n_data; i++)
        if (!ome->data[i].elsewhere)
            return ome->data[i].directory;
    return 0;
}

/* The number of a plane among all, or -1 if it does not exist. */
static int64_t plane_of(const struct gf_pages *g, const int64_t index[3]) {
    const int64_t size[3] = {g->z, g->c, g->t};
    int64_t at = 0;
    for (int i = 0; i < 3; i++) {
        const int k = g->order[i] == 'z' ? 0 : g->order[i] == 'c' ? 1 : 2;
        if (index[k] >= size[k])
            return -1;
        at = at * size[k] + index[k];
    }
    return at;
}

int gf_ome_map(const struct gf_ome *ome, int64_t n, int64_t *page) {
    const int64_t planes = gf_ome_planes(ome);
    int64_t missing = 0;
    for (int64_t i = 0; i < planes; i++)
        page[i] = -1;
    for (size_t i = 0; i < ome->n_data; i++) {
        const struct gf_ome_data *d = &ome->data[i];
        const int64_t at = plane_of(&ome->pages, d->first);
        const int64_t count = d->count < 0 ? n : d->count;
        for (int64_t k = 0; k < count && at >= 0 && !d->elsewhere; k++)
            if (at + k < planes && d->directory + k < n)
                page[at + k] = d->directory + k;
            else
                break;
    }
    for (int64_t i = 0; i < planes; i++)
        missing += page[i] < 0;
    return missing ? gf_fail(GF_EINVAL,
                             "%lld of the %lld planes that OME's description names are missing; "
                             "--dims=2 takes its pages one by one",
                             (long long)missing, (long long)planes)
                   : GF_OK;
}
