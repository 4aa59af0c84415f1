/* Whether the outputs of a task are there already, by their times. */
#include "cli/batch/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/batch/bands.h"
#include "cli/batch/store.h"
#include "formats/record_file.h"

static bool is_after(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* The time of the last change to anything that is read; false where that cannot be known. */
static bool newest_read(const struct gf_read_files *read, struct timespec *newest) {
    *newest = (struct timespec){0};
    for (int i = 0; i < read->n + (read->also != NULL); i++) {
        const char *path = i < read->n ? read->path[i] : read->also;
        struct stat st;
        if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
            return false;
        if (is_after(&st.st_mtim, newest))
            *newest = st.st_mtim;
    }
    return true;
}

static bool is_newer(const char *path, const struct timespec *than) {
    struct stat st;
    return path && strcmp(path, "-") && !stat(path, &st) && S_ISREG(st.st_mode) &&
           is_after(&st.st_mtim, than);
}

/* A file, and its record if that is beside it. */
static bool is_complete(const struct gf_product *p, const char *path, bool record,
                        const struct timespec *than) {
    if (!is_newer(path, than))
        return false;
    if (!record || !p->format->record_beside)
        return true;
    char *beside = gf_record_path(path);
    bool there = is_newer(beside, than);
    free(beside);
    return there;
}

static bool has_all_bands(const struct gf_job *job, const struct gf_product *p,
                          const struct timespec *than) {
    struct gf_dwt_band band[GF_MAX_BANDS];
    int n = gf_dwt_bands(job, band);
    bool all = true;
    for (int i = 0; i < n && all; i++) {
        char *path = gf_band_path(p, &band[i]);
        all = is_newer(path, than);
        free(path);
    }
    return all;
}

static bool has_all_pages(const struct gf_product *p, const struct timespec *than) {
    int64_t n = p->image.ndim == 3 ? p->image.px.shape[0] : 1;
    bool all = true;
    for (int64_t z = 0; z < n && all; z++) {
        char *path = NULL;
        all = !gf_template_expand(p->where, p->in, p->label, p->page + z, &path) &&
              is_complete(p, path, gf_page_has_record(p), than);
        free(path);
    }
    return all;
}

bool gf_products_up_to_date(const struct gf_job *job, const struct gf_product *product, int n,
                            const struct gf_read_files *read) {
    struct timespec newest;
    bool all = newest_read(read, &newest);
    for (int i = 0; i < n && all; i++) {
        const struct gf_product *p = &product[i];
        if (p->bands)
            all = has_all_bands(job, p, &newest);
        else if (p->where->has_page)
            all = has_all_pages(p, &newest);
        else
            all = is_complete(p, p->path, p->has_record, &newest);
    }
    return all;
}
