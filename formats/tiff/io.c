/* Runs libtiff on sources and sinks; keeps its messages by handle and prints none. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/image.h"
#include "formats/tiff/tiff.h"

/* Keeps the first failure of the source or the sink. */
static tmsize_t note_failure(struct gf_tiff *t, int rc) {
    if (!t->status) {
        t->status = rc;
        gf_clean_text(t->error, sizeof t->error, gf_message());
    }
    return -1;
}

static tmsize_t on_read(thandle_t handle, void *buffer, tmsize_t n) {
    struct gf_tiff *t = handle;
    int64_t got = t->source ? gf_source_read(t->source, buffer, (size_t)n)
                            : gf_sink_read(t->sink, buffer, (size_t)n);
    return got < 0 ? note_failure(t, (int)got) : (tmsize_t)got;
}

static tmsize_t on_write(thandle_t handle, void *data, tmsize_t n) {
    struct gf_tiff *t = handle;
    int rc = GF_EIO;
    if (t->sink && t->hole && data == t->hole) {
        t->hole_at[t->n_holes++] = gf_sink_tell(t->sink);
        t->hole_end = gf_sink_tell(t->sink) + n;
        rc = gf_sink_seek(t->sink, t->hole_end);
    } else if (t->sink && n > 0 && !data) { /* libtiff failed to allocate the data */
        rc = gf_no_memory();
        t->no_memory = true;
    } else if (t->sink)
        rc = gf_sink_write(t->sink, data, (size_t)n);
    if (t->samples_at && t->samples)
        t->samples_at += n;
    return rc ? note_failure(t, rc) : n;
}

static toff_t on_size(thandle_t handle) {
    struct gf_tiff *t = handle;
    int64_t size = t->source ? gf_source_size(t->source) : gf_sink_size(t->sink);
    size = gf_max(size, gf_max(t->hole_end, t->samples_end));
    return size < 0 ? 0 : (toff_t)size;
}

uint64_t gf_tiff_end_of(struct gf_tiff *t) {
    return (on_size(t) + 1) / 2 * 2;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
    struct gf_tiff *t = handle;
    int64_t at = (int64_t)offset;
    if (whence == SEEK_CUR)
        at += t->source ? gf_source_tell(t->source) : gf_sink_tell(t->sink);
    else if (whence == SEEK_END)
        at += t->samples_at && t->samples ? t->samples_at : (int64_t)on_size(handle);
    int rc = t->source ? gf_source_seek(t->source, at) : gf_sink_seek(t->sink, at);
    return rc ? (toff_t)-1 : (toff_t)at;
}

static int on_close(thandle_t handle) {
    (void)handle;
    return 0;
}

/* libtiff's messages about its internals, and their meaning for the file. */
static const struct {
    const char *part, *plain;
} plain_words[] = {
    {"TIFF_SETGET_UNDEFINED", "a tag of its directory is damaged"},
    {"(0 elements of", "its directory is empty"},
    {"elements of", "a table larger than there is memory for"},
    {"anity check on directory count", "its directory is damaged"},
    {"anity check on size of", "a tag of its directory is damaged"},
    {"zero number of strips", "its directory describes no samples"},
    {"scanline size is zero", "its directory describes no samples"},
    {"an not read TIFF directory", "its directory is cut off or damaged"},
};

static const char *in_plain_words(const char *text) {
    for (size_t i = 0; i < sizeof plain_words / sizeof *plain_words; i++)
        if (strstr(text, plain_words[i].part))
            return plain_words[i].plain;
    return text;
}

/* Keeps libtiff's message without its noise: the name of the handle, and "scanline 4294967295",
 * which it prints if it knows no position. */
static void keep(struct gf_tiff *t, const char *format, va_list args) {
    char text[256];
    va_list again;
    va_copy(again, args);
    vsnprintf(text, sizeof text, format, again);
    va_end(again);
    bool none = strstr(text, "(0 elements of"); /* not out of memory */
    t->limited |= strstr(format, "limit") != NULL;
    t->no_memory |= !t->limited && !none &&
                    (strcasestr(format, "memory") || strcasestr(format, "allocate") ||
                     strstr(format, "No space for"));
    if (!t->failed && !t->status) {
        char *begin = strncmp(text, "TIFF: ", 6) ? text : text + 6;
        char *where = strstr(begin, " at "), *rest = strstr(begin, "; got");
        if (where && rest && where < rest && strstr(where, "4294967295"))
            memmove(where, rest, strlen(rest) + 1);
        gf_clean_text(t->error, sizeof t->error, in_plain_words(begin));
    }
    t->failed = true;
}

/* Most of libtiff's warnings are about tags that do not matter here, unless it had no memory for one.
 * While samples are decoded they
 * are about the samples, except for two remarks on how LZW data was written. */
static void keep_warning(struct gf_tiff *t, const char *format, va_list args) {
    if (strcasestr(format, "out of memory"))
        note_failure(t, gf_no_memory());
    else if (t->decoding && !strstr(format, "Old-style LZW") && !strstr(format, "EOI"))
        keep(t, format, args);
}

#ifdef HAVE_OPEN_OPTIONS
static int on_error(TIFF *tif, void *user, const char *module, const char *format, va_list args) {
    (void)tif;
    (void)module;
    keep(user, format, args);
    return 1; /* handled: the global handlers, which print, are not called */
}

static int on_warning(TIFF *tif, void *user, const char *module, const char *format, va_list args) {
    (void)tif;
    (void)module;
    keep_warning(user, format, args);
    return 1;
}

static TIFF *client_open(struct gf_tiff *t, const char *mode, int64_t max_alloc) {
    TIFFOpenOptions *options = gf_libtiff.TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    gf_libtiff.TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, t);
    gf_libtiff.TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, t);
    gf_libtiff.TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)max_alloc);
    TIFF *tif = gf_libtiff.TIFFClientOpenExt("TIFF", mode, t, on_read, on_write, on_seek, on_close,
                                             on_size, NULL, NULL, options);
    gf_libtiff.TIFFOpenOptionsFree(options);
    return tif;
}
#else
static void on_error(thandle_t handle, const char *module, const char *format, va_list args) {
    (void)module;
    if (handle)
        keep(handle, format, args);
}

static void on_warning(thandle_t handle, const char *module, const char *format, va_list args) {
    (void)module;
    if (handle)
        keep_warning(handle, format, args);
}

static void set_handlers(void) {
    gf_libtiff.TIFFSetErrorHandler(NULL);
    gf_libtiff.TIFFSetWarningHandler(NULL);
    gf_libtiff.TIFFSetErrorHandlerExt(on_error);
    gf_libtiff.TIFFSetWarningHandlerExt(on_warning);
}

static TIFF *client_open(struct gf_tiff *t, const char *mode, int64_t max_alloc) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)max_alloc;
    pthread_once(&once, set_handlers);
    return gf_libtiff.TIFFClientOpen("TIFF", mode, t, on_read, on_write, on_seek, on_close, on_size,
                                     NULL, NULL);
}
#endif

int gf_tiff_open(struct gf_tiff *t, const char *mode, int64_t max_alloc) {
    int rc = gf_tiff_load();
    if (rc)
        return rc;
    t->tif = client_open(t, mode, max_alloc);
    return t->tif ? GF_OK : gf_tiff_report(t, t->source ? "not a TIFF: " : "libtiff: ");
}

void gf_tiff_close(struct gf_tiff *t) {
    if (t->tif && !t->no_memory)
        gf_libtiff.TIFFClose(t->tif);
    t->tif = NULL;
}

int gf_tiff_report(const struct gf_tiff *t, const char *prefix) {
    if (t->status)
        return gf_fail(t->status, "%s", t->error);
    return gf_fail_text(t->source ? GF_EFORMAT : GF_EIO, prefix,
                        t->error[0] ? t->error : "libtiff gives no reason");
}

int gf_tiff_check(const struct gf_tiff *t) {
    return t->failed || t->status ? gf_tiff_report(t, "broken TIFF: ") : GF_OK;
}
