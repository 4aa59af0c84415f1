/* The text of PNM files: headers, and the samples of the plain variants. */
#include "core/base/status.h"
#include "formats/pnm.h"

bool gf_pnm_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int gf_pnm_token(struct gf_source *source, const char *name, char *word, size_t size) {
    unsigned char c;
    size_t n = 0;
    bool comment = false;
    for (;;) {
        int rc = gf_source_read_exactly(source, &c, 1);
        if (rc)
            return rc;
        if (comment) {
            comment = c != '\n' && c != '\r';
        } else if (c == '#') {
            /* a comment right after a word ends the word, and the comment's line ends the space */
            comment = true;
        } else if (!gf_pnm_space(c)) {
            if (n + 1 >= size || c < 0x20 || c > 0x7e)
                return gf_fail(GF_EFORMAT, "not a %s: bad header", name);
            word[n++] = (char)c;
            continue;
        }
        if (n && !comment)
            break;
    }
    word[n] = 0;
    return GF_OK;
}

int gf_pnm_number(struct gf_source *source, const char *name, int64_t max, int64_t *out) {
    char word[24];
    int rc = gf_pnm_token(source, name, word, sizeof word);
    if (rc)
        return rc;
    int64_t v = 0;
    for (const char *p = word; *p; p++) {
        if (*p < '0' || *p > '9')
            return gf_fail(GF_EFORMAT, "not a %s: '%s' in its header", name, word);
        v = v * 10 + (*p - '0');
        if (v > max)
            break;
    }
    if (v < 1 || v > max)
        return gf_fail(GF_EFORMAT, "not a %s: %s is not within 1 to %lld", name, word,
                       (long long)max);
    *out = v;
    return GF_OK;
}

static int next_after_space(struct gf_source *source) {
    int c;
    do {
        c = gf_source_byte(source);
        if (c == '#') /* not standard, but older programs wrote comments here */
            while (c >= 0 && c != '\n')
                c = gf_source_byte(source);
    } while (c >= 0 && gf_pnm_space(c));
    return c;
}

/* The status of a byte that gf_source_byte() did not get. */
static int status_of(int c) {
    return c < -1 ? c : GF_OK;
}

/* Parses a number whose first digit is `c`, and consumes the byte after it. */
static int number(struct gf_source *source, int c, int maxval, int *out) {
    int v = 0;
    for (; c >= '0' && c <= '9'; c = gf_source_byte(source)) {
        v = v * 10 + (c - '0');
        if (v > maxval)
            return gf_fail(GF_EFORMAT, "a sample above the maximum of %d", maxval);
    }
    if (c >= 0 && !gf_pnm_space(c))
        return gf_fail(GF_EFORMAT, "a sample that is no number");
    *out = v;
    return status_of(c);
}

int gf_pnm_read_plain(struct gf_source *source, bool bitmap, int maxval, size_t n, void *out,
                      size_t sample) {
    for (size_t i = 0; i < n; i++) {
        int c = next_after_space(source), v = 0, rc = status_of(c);
        if (!rc && c < 0)
            return gf_fail(GF_EFORMAT, "unexpected end of file");
        if (!rc && (c < '0' || c > (bitmap ? '1' : '9')))
            return gf_fail(GF_EFORMAT, "a sample that is no number");
        if (bitmap)
            v = c == '0' ? 255 : 0;
        else if (!rc)
            rc = number(source, c, maxval, &v);
        if (rc)
            return rc;
        if (sample == 1)
            ((unsigned char *)out)[i] = (unsigned char)v;
        else
            ((uint16_t *)out)[i] = (uint16_t)v;
    }
    const int c = next_after_space(source);
    return c < 0 ? status_of(c) : gf_fail(GF_EFORMAT, "data after the picture's samples");
}

int gf_pnm_more(struct gf_source *source) {
    unsigned char c = ' ';
    int64_t got;
    while ((got = gf_source_peek(source, &c, 1)) > 0 && gf_pnm_space(c))
        gf_source_read(source, &c, 1);
    if (got <= 0)
        return (int)got;
    return c == 'P' ? 1 : gf_fail(GF_EFORMAT, "data after the picture's samples");
}

int gf_pnm_end(struct gf_source *source, const char *name) {
    int more = gf_pnm_more(source);
    return more > 0 ? gf_fail(GF_EUNSUPP, "a %s of more than one picture", name) : more;
}
