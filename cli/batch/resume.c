/* Whether the outputs of a task are there already, by their times. */
#include "cli/batch/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* A visit: -1 unless the file, and its record if that is beside it, are newer. */
static int is_complete(void *newest, int i, const struct gf_product *p, const char *path) {
    (void)i;
    if (!is_newer(path, newest))
        return -1;
    bool record = p->where->has_page ? gf_page_has_record(p) : p->has_record;
    if (!record || !p->format->record_beside)
        return 0;
    char *beside = gf_record_path(path);
    bool there = is_newer(beside, newest);
    free(beside);
    return there ? 0 : -1;
}

bool gf_products_up_to_date(const struct gf_job *job, const struct gf_product *product, int n,
                            const struct gf_read_files *read) {
    struct timespec newest;
    return newest_read(read, &newest) &&
           !gf_products_each_file(job, product, n, is_complete, &newest);
}
