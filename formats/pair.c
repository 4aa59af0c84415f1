/* Commits a pair. A reader finds, depending on what has been renamed so far:
 *
 *     PATH.json        PATH    taken as
 *     old              old     old
 *     new and old      old     old, by its checksum
 *     new and old      new     new, by its checksum
 *     new              new     new
 *
 * "Old" or "new" may be data without a record; the record in between then has only the data's
 * checksum, so that exactly this data is read as a foreign file. If there is no readable old file,
 * the new record alone is renamed first.
 *
 * For a header and its samples the checksum is that of both, the header first, which is renamed first
 * too. If one of them exists, there always is the record in between: a new header and old samples fit
 * none of it. */
#include "formats/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/value/status.h"
#include "formats/io/guard.h"
#include "formats/io/temporary.h"
#include "formats/record_file.h"
#include "formats/scratch.h"

struct pair {
    const char *path;
    char *name;                   /* of the record */
    char *old_text;               /* of the existing record; NULL: none */
    size_t old_size;              /* its bytes */
    struct gf_record_file old;    /* the same, parsed */
    struct gf_description before; /* of the existing data; borrows from `old` */
    bool has_before;
    struct gf_description now; /* of the new data; borrows from the image */
    struct gf_pair_files *files;
    char *samples; /* the path of a header's */
    bool replaces; /* a header or samples */
    /* All written before the first rename: afterwards the disk may be full. */
    struct gf_sink *first;       /* the record while the data is replaced */
    struct gf_sink *last;        /* the new record alone, if `first` describes two */
    struct gf_sink *back;        /* the old record again, */
    struct gf_sink *back_header; /* and the old header */
};

static int fail_exists(const char *path, bool ours) {
    return gf_fail(GF_EIO, "cannot write '%.100s.json': file exists%s", path,
                   ours ? "" : " and is no spectrum record");
}

int gf_pair_check(const char *path, const struct gf_format *f, const char *record, bool clobber) {
    char *text;
    size_t n;
    if (!f->record_beside || !record)
        return GF_OK;
    int rc = gf_record_file_load(path, &text, &n);
    bool ours = text && gf_record_is_ours(text, n);
    if (text && (!ours || !clobber))
        rc = fail_exists(path, ours);
    free(text);
    return rc;
}

/* Makes processes that write the same pair take turns: each locks the folder, which needs no file
 * and ends with the process. Another program's lock (flock DIR gpufft ...) must not hang this one,
 * and some file systems have no locks: after an error, or once per process after two seconds, it
 * goes on without. A reader may then refuse a pair, but never accepts a mixed one. Returns a
 * descriptor to close, or -1. */
static int lock_folder(const char *path) {
    static atomic_bool impatient;
    char *folder = gf_folder_of(path);
    int fd = folder ? gf_open(folder, O_RDONLY | O_DIRECTORY) : -1;
    free(folder);
    if (fd < 0)
        return -1;
    const struct timespec step = {.tv_nsec = 200000};
    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || i == 10000 || atomic_load(&impatient)) {
            if (i == 10000)
                atomic_store(&impatient, true);
            close(fd);
            return -1;
        }
        nanosleep(&step, NULL);
    }
    return fd;
}

/* Describes the existing data, for the record in between. There is no description if the old record
 * does not match it or cannot be read: readers refuse such data until it is replaced. */
static int look_at_old_data(struct pair *p, int threads) {
    const struct gf_description *found = NULL;
    struct gf_source *source, *samples = NULL;
    struct stat st;
    if (stat(p->path, &st) || !S_ISREG(st.st_mode) || (p->old_text && !p->old.n))
        return GF_OK;
    if (p->old.n == 1 && p->old.d[0].record) { /* readers compare it with the data */
        p->before = p->old.d[0];
        p->has_before = true;
        return GF_OK;
    }
    int rc = gf_source_open(p->path, &source);
    if (!rc && p->samples && !access(p->samples, F_OK))
        rc = gf_source_open(p->samples, &samples);
    const struct gf_chain data = {source, samples};
    if (!rc && gf_chain_size(&data) >= 0) {
        if (p->old.n) { /* left by a commit that was killed */
            rc = gf_record_file_choose(&p->old, &data, threads, &found);
            if (found)
                p->before = *found;
            p->has_before = found;
        } else {
            p->before.bytes = gf_chain_size(&data);
            rc = gf_crc32_source(&data, p->before.bytes, threads, &p->before.crc32);
            p->has_before = !rc;
        }
    }
    gf_source_close(samples);
    gf_source_close(source);
    return rc == GF_ENOMEM ? rc : GF_OK; /* data that cannot be read is replaced anyway */
}

static int look_at_old(struct pair *p, const struct gf_write_options *options, bool clobber) {
    int rc = gf_record_file_load(p->path, &p->old_text, &p->old_size);
    if (rc)
        return rc;
    if (p->old_text) {
        bool ours = gf_record_is_ours(p->old_text, p->old_size);
        if ((p->now.record || p->replaces) && (!ours || !clobber))
            return fail_exists(p->path, ours);
        if (!ours) { /* neither read nor changed */
            free(p->old_text);
            p->old_text = NULL;
            return GF_OK;
        }
        rc = gf_record_file_parse(p->old_text, p->old_size, &p->old);
        if (rc == GF_EFORMAT) /* broken: it describes nothing, `old` is empty */
            rc = GF_OK;
    }
    if (!rc && (p->now.record || p->old_text || p->replaces))
        rc = look_at_old_data(p, options->threads);
    return rc;
}

/* Writes a version of the record. `later`: it will replace another version. */
static int prepare(const char *name, const char *text, size_t n, bool clobber, bool later,
                   struct gf_sink **out) {
    int rc = gf_sink_open_version(name, clobber, out);
    if (!rc)
        rc = gf_sink_write(*out, text, n);
    if (!rc)
        rc = gf_sink_finish(*out, later);
    return rc;
}

static int prepare_text(struct pair *p, bool between, bool clobber, struct gf_sink **out) {
    char *text;
    int rc = gf_record_file_text(&p->now, between && p->has_before ? &p->before : NULL, &text);
    if (!rc)
        rc = prepare(p->name, text, strlen(text), clobber, !between, out);
    free(text);
    return rc;
}

/* A header that is too long to be one is not had back. */
static int prepare_header(struct pair *p) {
    char *header = NULL;
    int64_t n = 0;
    int rc = gf_source_load(p->path, "cannot read it", GF_MOST_HEADER, &header, &n);
    if (!rc && header && n <= GF_MOST_HEADER)
        rc = prepare(p->path, header, (size_t)n, true, true, &p->back_header);
    free(header);
    return rc;
}

static int prepare_all(struct pair *p, bool clobber) {
    int rc = gf_guard_open(p->name);
    if (!rc)
        rc = prepare_text(p, true, clobber || p->old_text, &p->first);
    if (!rc && p->has_before && p->now.record)
        rc = prepare_text(p, false, true, &p->last);
    /* Too long a record was truncated when it was read; readers refuse it with any data, as they do
     * `first`. */
    if (!rc && p->old_text && p->old_size <= GF_RECORD_FILE_MAX)
        rc = prepare(p->name, p->old_text, p->old_size, true, true, &p->back);
    if (!rc && p->files->header)
        rc = prepare_header(p);
    return rc;
}

static int commit(struct gf_sink **s) {
    int rc = gf_sink_commit(*s);
    *s = NULL;
    return rc;
}

/* Puts back a header that was renamed and the record. If only the record stays, that of both, it is
 * correct for the old data too; beside a new header and old samples it has to stay. */
static int put_back(struct pair *p, int rc, bool record, bool header) {
    char why[512];
    snprintf(why, sizeof why, "%s", gf_message());
    const bool mixed = header && (p->back_header ? commit(&p->back_header) : unlink(p->path));
    if (!mixed && p->back)
        commit(&p->back);
    else if (!mixed && record && !p->old_text)
        unlink(p->name);
    return gf_fail((enum gf_status)rc, "%s%s", why,
                   mixed ? "; its header (.hdr) is already the new one" : "");
}

static int rename_all(struct pair *p) {
    sigset_t mask;
    const bool record = p->first;
    bool header = false;
    if (!gf_uncut_begin(&mask))
        return GF_EIO;
    int rc = record ? commit(&p->first) : GF_OK;
    if (rc)
        goto out;
    if (p->files->header) {
        rc = commit(&p->files->header);
        header = !rc;
    }
    if (!rc)
        rc = commit(&p->files->data);
    if (rc)
        rc = put_back(p, rc, record, header);
    else if (p->last)
        rc = commit(&p->last);
    else if (record && !p->now.record && unlink(p->name) && errno != ENOENT)
        rc = gf_fail_errno(GF_EIO, "cannot remove the old record");
out:
    gf_uncut_end(&mask);
    return rc;
}

static void describe(const struct gf_format *f, const struct gf_image *image, bool big_endian,
                     struct gf_description *d) {
    d->record = image->record;
    if (!d->record)
        return;
    d->format = f;
    d->layout = (struct gf_raw_layout){.ndim = image->ndim,
                                       .channels = image->px.shape[image->ndim],
                                       .dtype = image->px.dtype,
                                       .big_endian = big_endian && f->byte_order};
    for (int i = 0; i < image->ndim; i++)
        d->layout.shape[i] = image->px.shape[i];
}

/* Adds a file to the new data's size and checksum, and writes all of it. */
static int finish(struct pair *p, struct gf_sink *s, int threads) {
    uint32_t crc;
    int rc = gf_sink_crc32(s, threads, &crc);
    const int64_t bytes = gf_sink_size(s);
    p->now.crc32 = gf_crc32_join(p->now.crc32, crc, bytes);
    p->now.bytes += bytes;
    return rc ? rc : gf_sink_finish(s, false);
}

static int commit_all(struct pair *p, const struct gf_write_options *options, bool clobber) {
    struct gf_pair_files *f = p->files;
    int rc = f->header ? gf_path_partner(p->path, &p->samples) : GF_OK;
    if (!rc && f->header)
        rc = finish(p, f->header, options->threads);
    if (!rc)
        rc = finish(p, f->data, options->threads);
    if (rc)
        return rc;
    int lock = lock_folder(p->path);
    p->replaces = p->samples && (!access(p->path, F_OK) || !access(p->samples, F_OK));
    rc = look_at_old(p, options, clobber);
    if (!rc && (p->now.record || p->old_text || p->replaces))
        rc = prepare_all(p, clobber);
    if (!rc)
        rc = rename_all(p);
    if (lock >= 0)
        close(lock);
    return rc;
}

int gf_pair_commit(const char *path, const struct gf_format *f, const struct gf_image *image,
                   const struct gf_write_options *options, bool clobber,
                   struct gf_pair_files *files) {
    struct pair p = {.path = path, .files = files};
    struct stat st;
    if (!f->record_beside || !gf_sink_is_file(files->data))
        return commit(&files->data);
    int rc = GF_OK;
    p.name = gf_record_path(path);
    describe(f, image, options->big_endian, &p.now);
    if (!p.name)
        rc = gf_no_memory();
    else if (!files->header && !p.now.record && stat(p.name, &st))
        rc = commit(&files->data); /* no record, neither old nor new */
    else
        rc = commit_all(&p, options, clobber);
    gf_sink_abort(files->header);
    gf_sink_abort(files->data);
    gf_sink_abort(p.first);
    gf_sink_abort(p.last);
    gf_sink_abort(p.back);
    gf_sink_abort(p.back_header);
    free(p.samples);
    gf_record_file_free(&p.old);
    free(p.old_text);
    free(p.name);
    return rc;
}
