/* Descriptions of stacks, see stack.h. */
#include "formats/stack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number after a name, 0 if there is none. */
static double number(const char *text, double most) {
    char *end;
    double v = text ? strtod(text, &end) : 0;
    return text && end > text && isfinite(v) && v > 0 && v <= most ? v : 0;
}

/* Returns at most a million, so that the product of three fits. */
static int64_t count(const char *text) {
    const double v = number(text, 1e6);
    return v >= 1 ? (int64_t)v : 1;
}

/* Copies a unit up to `end`, in ASCII: a micro sign becomes u. */
static void take_unit(const char *text, char end, struct gf_stack *s) {
    static const char *const micro[] = {"\\u00B5", "\xc2\xb5", "\xce\xbc", "\xb5"};
    size_t n = 0;
    for (; text && *text && *text != end && *text != '\n' && n + 1 < sizeof s->unit; n++) {
        size_t length = 1;
        s->unit[n] = *text >= ' ' && *text < 127 ? *text : '?';
        for (size_t i = 0; i < sizeof micro / sizeof *micro; i++)
            if (!strncmp(text, micro[i], strlen(micro[i]))) {
                length = strlen(micro[i]);
                s->unit[n] = 'u';
                break;
            }
        text += length;
    }
    s->unit[n] = 0;
}

/* Returns the text after "\nkey=" in ImageJ's lines, or NULL. */
static const char *line_of(const char *text, const char *key) {
    char line[24];
    const int n = snprintf(line, sizeof line, "\n%s=", key);
    const char *at = strstr(text, line);
    return at ? at + n : NULL;
}

static void parse_imagej(const char *text, struct gf_stack *s) {
    const double images = number(line_of(text, "images"), 1e12);
    s->by = "ImageJ";
    s->c = count(line_of(text, "channels"));
    s->z = count(line_of(text, "slices"));
    s->t = count(line_of(text, "frames"));
    s->pages = images >= 1 ? (int64_t)images : s->c * s->z * s->t;
    if (s->c * s->z * s->t != s->pages) { /* a plain stack gives only the number of images */
        s->z = s->pages;
        s->c = s->t = 1;
    }
    memcpy(s->order, "tzc", 4);
    s->spacing[0] = number(line_of(text, "spacing"), 1e12);
    take_unit(line_of(text, "unit"), '\n', s);
}

/* Returns the text after `name="` in the element that begins at `text`, or NULL. */
static const char *attribute(const char *text, const char *name) {
    const char *end = strchr(text, '>'), *at = text;
    const size_t n = strlen(name);
    while ((at = strstr(at, name)) && end && at < end) {
        if ((at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\t') && at[n] == '=' && at[n + 1] == '"')
            return at + n + 2;
        at += n;
    }
    return NULL;
}

/* Converts "XYCZT", fastest first, to "tzc". */
static void take_order(const char *text, struct gf_stack *s) {
    int n = 0;
    for (int i = 4; text && i >= 0; i--)
        if (strnlen(text, 5) == 5 && strchr("ZCT", text[i]) && n < 3)
            s->order[n++] = (char)(text[i] + 'a' - 'A');
    if (n < 3 || !strchr(s->order, 't') || !strchr(s->order, 'z') || !strchr(s->order, 'c'))
        memcpy(s->order, "tzc", 4);
}

static void parse_ome(const char *pixels, int samples, struct gf_stack *s) {
    static const char *const sizes[] = {"PhysicalSizeZ", "PhysicalSizeY", "PhysicalSizeX"};
    s->by = "OME";
    s->c = count(attribute(pixels, "SizeC"));
    s->z = count(attribute(pixels, "SizeZ"));
    s->t = count(attribute(pixels, "SizeT"));
    if (samples > 1 && s->c % samples == 0) /* they are the samples of a pixel */
        s->c /= samples;
    s->pages = s->c * s->z * s->t;
    take_order(attribute(pixels, "DimensionOrder"), s);
    for (int i = 0; i < 3; i++)
        s->spacing[i] = number(attribute(pixels, sizes[i]), 1e12);
    take_unit(attribute(pixels, "PhysicalSizeXUnit"), '"', s);
    if (s->spacing[2] > 0 && !*s->unit)
        memcpy(s->unit, "um", 3); /* the schema's default */
    s->elsewhere = strstr(pixels, "FileName=") != NULL;
}

void gf_stack_parse(const char *text, int samples, struct gf_stack *out) {
    const char *ome =
        strncmp(text, "<?xml", 5) && strncmp(text, "<OME", 4) ? NULL : strstr(text, "<OME");
    const char *pixels = ome ? strstr(ome, "<Pixels") : NULL;
    *out = (struct gf_stack){.z = 1, .c = 1, .t = 1, .pages = 1};
    if (!strncmp(text, "ImageJ=", 7))
        parse_imagej(text, out);
    else if (pixels)
        parse_ome(pixels, samples, out);
}
