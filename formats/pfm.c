/* PFM: 'Pf' (grey) or 'PF' (RGB), width and height, a scale whose sign is the byte order (negative:
 * little-endian), then rows of f32 from the bottom to the top. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/pnm.h"

static bool pfm_sniff(const unsigned char *head, size_t n) {
    return n >= 3 && head[0] == 'P' && (head[1] == 'f' || head[1] == 'F') && gf_pnm_space(head[2]);
}

/* Parses the scale: digits and a point, with or without a sign and an exponent. Only its sign and
 * that it is not zero matter; strtod() would follow the locale. */
static int parse_scale(const char *text, bool *little) {
    bool digit = false, nonzero = false, point = false;
    const char *p = text;
    *little = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
        point |= *p == '.';
        digit |= *p != '.';
        nonzero |= *p > '0';
    }
    if (digit && (*p == 'e' || *p == 'E')) {
        p++;
        if (*p == '-' || *p == '+')
            p++;
        digit = false;
        for (; *p >= '0' && *p <= '9'; p++)
            digit = true;
    }
    if (*p || !digit || !nonzero)
        return gf_fail(GF_EFORMAT, "not a PFM: bad scale");
    return GF_OK;
}

static int pfm_open(struct gf_decoder *d, struct gf_image *image) {
    struct gf_source *source = d->source;
    unsigned char magic[2];
    char scale[32];
    int64_t shape[2];
    bool *little = d->state;
    gf_source_forward(source);
    int rc = gf_source_read_exactly(source, magic, 2);
    if (!rc && (magic[0] != 'P' || (magic[1] != 'f' && magic[1] != 'F')))
        rc = gf_fail(GF_EFORMAT, "not a PFM");
    if (!rc)
        rc = gf_pnm_number(source, "PFM", INT32_MAX, &shape[1]);
    if (!rc)
        rc = gf_pnm_number(source, "PFM", INT32_MAX, &shape[0]);
    if (!rc)
        rc = gf_pnm_token(source, "PFM", scale, sizeof scale);
    if (!rc)
        rc = parse_scale(scale, little);
    if (rc)
        return rc;
    rc = gf_image_describe(image, GF_F32, 2, shape, magic[1] == 'F' ? 3 : 1);
    return rc ? rc : gf_image_plausible(source, gf_array_bytes(&image->px), 1);
}

static int pfm_read(struct gf_decoder *d, struct gf_image *image) {
    const struct gf_array *px = &image->px;
    const bool *little = d->state;
    size_t row = (size_t)px->stride[0];
    int rc = GF_OK;
    for (int64_t y = px->shape[0] - 1; y >= 0 && !rc; y--)
        rc = gf_source_read_exactly(d->source, (char *)px->data + (size_t)y * row, row);
    if (!rc && *little == gf_host_is_big_endian())
        gf_swap_bytes(px->data, (size_t)gf_array_count(px), 4);
    return rc ? rc : gf_pnm_end(d->source, "PFM");
}

static int pfm_write(struct gf_encoder *e) {
    struct gf_planes p;
    char head[96];
    gf_planes_view(&p, e->image);
    snprintf(head, sizeof head, "P%c\n%lld %lld\n%s\n", p.channels == 3 ? 'F' : 'f',
             (long long)p.width, (long long)p.height, gf_host_is_big_endian() ? "1.0" : "-1.0");
    void *buffer = malloc(p.row_bytes);
    if (!buffer)
        return gf_no_memory();
    int rc = gf_sink_write(e->sink, head, strlen(head));
    for (int64_t y = p.height - 1; y >= 0 && !rc; y--)
        rc = gf_sink_write(e->sink, gf_planes_rows(&p, 0, y, 1, buffer), p.row_bytes);
    free(buffer);
    return rc;
}

const struct gf_format gf_format_pfm = {
    .name = "pfm",
    .suffixes = "pfm",
    .summary = "portable float maps",
    .sniff = pfm_sniff,
    .state_bytes = sizeof(bool),
    .open = pfm_open,
    .read = pfm_read,
    .write = pfm_write,
    .dtypes = 1u << GF_F32,
    .max_ndim = 2,
    .channels = 1u << 1 | 1u << 3,
};
