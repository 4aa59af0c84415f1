/* Bytes as text, see packed.h. */
#include "formats/packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/status.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *gf_packed_encode(const unsigned char *data, size_t n) {
    uLongf packed = compressBound((uLong)n);
    unsigned char *bytes = calloc(1, packed + 3); /* zeros behind the last group */
    char *text = bytes ? malloc(packed / 3 * 4 + 8) : NULL;
    if (!text || compress2(bytes, &packed, data, (uLong)n, 9) != Z_OK) {
        free(bytes);
        free(text);
        return NULL;
    }
    char *p = text;
    for (size_t i = 0; i < packed; i += 3, p += 4) {
        const uint32_t group =
            (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; k++)
            p[k] = i + (size_t)k > packed ? '=' : digits[group >> (18 - 6 * k) & 63];
    }
    *p = 0;
    free(bytes);
    return text;
}

static int bad(void) {
    return gf_fail(GF_EFORMAT, "its spectrum record is broken: bad 'deflated'");
}

/* Decodes base64 into *n bytes at `to`, which has room for three for every four characters. */
static int decode_digits(const char *text, unsigned char *to, size_t *n) {
    const size_t length = strlen(text), used = strcspn(text, "=");
    uint32_t group = 0;
    *n = 0;
    if (length % 4 || length - used > 2 || strspn(text + used, "=") != length - used)
        return bad();
    for (size_t i = 0; i < used; i++) {
        const char *at = strchr(digits, text[i]);
        if (!at)
            return bad();
        group = group << 6 | (uint32_t)(at - digits);
        if (i % 4)
            to[(*n)++] = (unsigned char)(group >> (6 - 2 * (i % 4)));
    }
    return GF_OK;
}

int gf_packed_decode(const char *text, size_t n, unsigned char **out) {
    unsigned char *bytes = malloc(strlen(text) / 4 * 3 + 3);
    uLongf got = (uLong)n + 1; /* one more shows a text that holds more */
    size_t packed = 0;
    *out = malloc(n + 1);
    int rc = bytes && *out ? decode_digits(text, bytes, &packed) : gf_no_memory();
    if (!rc) {
        const int status = uncompress(*out, &got, bytes, (uLong)packed);
        rc = status == Z_MEM_ERROR ? gf_no_memory() : status != Z_OK || got != n ? bad() : GF_OK;
    }
    free(bytes);
    if (rc) {
        free(*out);
        *out = NULL;
    }
    return rc;
}

int gf_json_text(json_t *root, const char *end, char **text) {
    char *line = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_t *back = line ? json_loads(line, 0, NULL) : NULL;
    int rc = line ? GF_OK : gf_no_memory();
    if (!rc && !json_equal(root, back))
        rc = gf_fail(GF_EIO, "its record does not read back as it was made");
    if (rc || asprintf(text, "%s%s", line, end) < 0) {
        *text = NULL;
        rc = rc ? rc : gf_no_memory();
    }
    json_decref(root);
    json_decref(back);
    free(line);
    return rc;
}

int gf_json_list(const json_t *list, int most, int64_t low, int64_t high, int64_t *out) {
    size_t n = json_is_array(list) ? json_array_size(list) : 0;
    if (n > (size_t)most)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        out[i] = json_integer_value(v);
        if (!json_is_integer(v) || out[i] < low || out[i] > high)
            return 0;
    }
    return (int)n;
}
