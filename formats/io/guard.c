/* The files that a run reads and writes, in a tree under a lock. */
#include "formats/io/guard.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/host/path.h"
#include "core/base/value/status.h"
#include "formats/record.h"
#include "formats/zarr_folder.h"

struct file {
    dev_t dev; /* of the folder; 0 and 0: none */
    ino_t ino;
    bool read, opened;
    const char *part;   /* of the input: "", "record of the " and so on */
    const char *called; /* borrowed */
    struct gf_claimant by;
    char *path; /* in an entry by inode: the path that `by` claimed; owned */
    char *name; /* in the folder; owned; empty: dev and ino are the file's */
};

static struct {
    pthread_mutex_t lock;
    bool on;
    void *entries;     /* of tsearch() */
    bool reads_folder; /* one of them is an input */
    /* The last output's folder, and whether it or one around it is a Zarr array or group. */
    dev_t out_dev;
    ino_t out_ino;
    bool out_zarr;
    /* The last folder looked up: consecutive inputs and outputs often share one. */
    char *folder;
    dev_t folder_dev;
    ino_t folder_ino;
    int stdout_fd;
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER, .stdout_fd = STDOUT_FILENO};

/* A path resolved to folder, name and file. */
struct place {
    bool regular, block; /* the type of the existing file; not exempt and neither: none exists */
    bool exempt;
    bool folder; /* exempt too */
    bool linked; /* the file has several names */
    dev_t file_dev, dev;
    ino_t file_ino, ino;
    char *resolved;   /* NULL, or the target of the path's links; owned */
    const char *name; /* in the folder, or the whole path if there is no folder */
};

int gf_resolve_links(const char *path, char **out) {
    char *p = strdup(path);
    for (int depth = 0; p && depth < 40; depth++) {
        char link[PATH_MAX];
        ssize_t n = readlink(p, link, sizeof link - 1);
        if (n < 0) { /* no link, or no file */
            *out = p;
            return GF_OK;
        }
        link[n] = 0;
        char *slash = strrchr(p, '/');
        const int folder = slash && link[0] != '/' ? (int)(slash - p) + 1 : 0;
        char *next;
        if (asprintf(&next, "%.*s%s", folder, p, link) < 0)
            next = NULL;
        free(p);
        p = next;
    }
    free(p);
    if (!p)
        return gf_no_memory();
    errno = ELOOP;
    return gf_fail_errno(GF_EIO, "cannot write");
}

/* ---- the tree; the lock is held ---- */

/* Orders by inode, device and name. */
static int compare(const void *a, const void *b) {
    const struct file *x = a, *y = b;
    if (x->ino != y->ino)
        return x->ino < y->ino ? -1 : 1;
    if (x->dev != y->dev)
        return x->dev < y->dev ? -1 : 1;
    return gf_name_compare(x->name, y->name);
}

static struct file *find(dev_t dev, ino_t ino, const char *name) {
    const struct file key = {.dev = dev, .ino = ino, .name = (char *)name};
    struct file **there = tfind(&key, &guard.entries, compare);
    return there ? *there : NULL;
}

static void free_file(void *entry) {
    struct file *e = entry;
    free(e->path);
    free(e->name);
    free(e);
}

/* Finds or makes the entry; NULL if memory is short. */
static struct file *enter(dev_t dev, ino_t ino, const char *name) {
    struct file *e = find(dev, ino, name);
    if (e || !(e = calloc(1, sizeof *e)))
        goto out;
    *e = (struct file){.dev = dev, .ino = ino, .name = strdup(name)};
    if (!e->name || !tsearch(e, &guard.entries, compare)) {
        free_file(e);
        e = NULL;
    }
out:
    if (!e)
        gf_no_memory();
    return e;
}

static void switch_to(bool on) {
    pthread_mutex_lock(&guard.lock);
    tdestroy(guard.entries, free_file);
    free(guard.folder);
    guard.entries = guard.folder = NULL;
    guard.reads_folder = false;
    guard.out_ino = 0;
    guard.on = on;
    pthread_mutex_unlock(&guard.lock);
}

void gf_guard_begin(void) {
    switch_to(true);
}

void gf_guard_end(void) {
    switch_to(false);
}

int gf_guard_stdout(void) {
    return guard.stdout_fd;
}

void gf_guard_set_stdout(int fd) {
    guard.stdout_fd = fd;
}

/* ---- places; the lock is held ---- */

/* Finds device and inode of a folder, the first `n` characters of `path`. `fresh` ignores the last
 * folder looked up. */
static bool find_folder(const char *path, size_t n, bool fresh, struct place *p) {
    struct stat st;
    bool kept = guard.folder && strlen(guard.folder) == n && !memcmp(guard.folder, path, n);
    if (!kept || fresh) {
        free(guard.folder);
        guard.folder = strndup(path, n);
        if (!guard.folder || stat(n ? guard.folder : ".", &st)) {
            free(guard.folder);
            guard.folder = NULL;
            return false;
        }
        guard.folder_dev = st.st_dev;
        guard.folder_ino = st.st_ino;
    }
    p->dev = guard.folder_dev;
    p->ino = guard.folder_ino;
    return true;
}

/* stdin or stdout: only the underlying file counts. */
static void locate_stream(int fd, struct place *p) {
    struct stat st;
    *p = (struct place){.name = "-", .exempt = true};
    if (fstat(fd, &st) || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
        return;
    p->block = true; /* like a block device it cannot be replaced by name */
    p->exempt = false;
    p->file_dev = st.st_dev;
    p->file_ino = st.st_ino;
}

/* "-": the stream. Free p->resolved. */
static void locate(const char *path, int stream, bool fresh, struct place *p) {
    struct stat st;
    if (!strcmp(path, "-")) {
        locate_stream(stream, p);
        return;
    }
    *p = (struct place){0};
    bool there = !lstat(path, &st);
    if (there && S_ISLNK(st.st_mode)) {
        there = !stat(path, &st);
        if (gf_resolve_links(path, &p->resolved))
            p->resolved = NULL; /* a loop: opening it fails with a message */
    }
    if (there) {
        p->regular = S_ISREG(st.st_mode);
        p->block = S_ISBLK(st.st_mode);
        p->folder = S_ISDIR(st.st_mode);
        p->exempt = !p->regular && !p->block;
        p->linked = st.st_nlink > 1;
        p->file_dev = st.st_dev;
        p->file_ino = st.st_ino;
    }
    const char *real = p->resolved ? p->resolved : path, *slash = strrchr(real, '/');
    p->name = slash ? slash + 1 : real;
    if (!p->exempt && !find_folder(real, (size_t)(p->name - real), fresh, p))
        p->name = real;
}

/* ---- inputs ---- */

static int enter_read(dev_t dev, ino_t ino, const char *name, const char *called,
                      const char *part) {
    struct file *e = enter(dev, ino, name);
    if (!e)
        return GF_ENOMEM;
    if (!e->read) {
        e->read = true;
        e->part = part;
        e->called = called;
    }
    return 0;
}

static int read_place(const char *path, const char *called, const char *part) {
    struct place p;
    int rc = 0;
    pthread_mutex_lock(&guard.lock);
    if (!guard.on)
        goto out;
    locate(path, STDIN_FILENO, false, &p);
    if (p.regular || p.block || p.folder)
        rc = enter_read(p.file_dev, p.file_ino, "", called, part);
    if (!rc && !p.exempt && !p.block)
        rc = enter_read(p.dev, p.ino, p.name, called, part);
    guard.reads_folder = guard.reads_folder || p.folder;
    free(p.resolved);
out:
    pthread_mutex_unlock(&guard.lock);
    return rc;
}

int gf_guard_read(const char *path, const char *called) {
    return read_place(path, called, "");
}

int gf_guard_read_picture(const char *path, const char *called) {
    int rc = gf_guard_read(path, called);
    if (rc || !strcmp(path, "-"))
        return rc;
    const size_t part = gf_path_part(path);
    if (part) {
        char *file = strndup(path, part);
        rc = file ? gf_guard_read_picture(file, called) : gf_no_memory();
        free(file);
        return rc;
    }
    char *record = gf_record_path(path);
    rc = record ? read_place(record, called, "record of the ") : gf_no_memory();
    free(record);
    char *partner = NULL;
    rc = rc ? rc : gf_path_partner(path, &partner);
    if (partner)
        rc = read_place(partner, called, "other file of the ");
    free(partner);
    return rc;
}

/* ---- outputs ---- */

/* The innermost input that is a folder and has this file below it, or NULL; sets *in_zarr if a folder
 * further in is a Zarr array or group. Parts of the path that do not exist yet count as folders. */
static const struct file *find_folder_read(const char *path, bool *in_zarr) {
    char at[PATH_MAX];
    struct stat st, below = {0};
    *in_zarr = false;
    if ((size_t)snprintf(at, sizeof at, "%s%s", gf_path_is_absolute(path) ? "" : "./", path) >=
        sizeof at)
        return NULL;
    do
        *strrchr(at, '/') = 0;
    while (stat(*at ? at : "/", &st) && strchr(at, '/'));
    for (size_t n = strlen(at); n + 4 < sizeof at && !stat(*at ? at : "/", &st); n += 3) {
        const struct file *e = find(st.st_dev, st.st_ino, "");
        if (e && e->read)
            return e;
        if (st.st_dev == below.st_dev && st.st_ino == below.st_ino)
            return NULL;
        *in_zarr = *in_zarr || gf_zarr_is(*at ? at : "/");
        below = st;
        memcpy(at + n, "/..", 4);
    }
    return NULL;
}

/* The place's entry if it is an input, or NULL. */
static const struct file *find_read(const char *path, const struct place *p) {
    const struct file *e = NULL;
    if (p->regular || p->block)
        e = find(p->file_dev, p->file_ino, "");
    if ((!e || !e->read) && !p->exempt && !p->block)
        e = find(p->dev, p->ino, p->name);
    const bool kept = p->ino && p->ino == guard.out_ino && p->dev == guard.out_dev;
    if ((!e || !e->read) && !p->exempt && !p->block && (guard.reads_folder || !kept)) {
        e = find_folder_read(p->resolved ? p->resolved : path, &guard.out_zarr);
        guard.out_dev = p->dev;
        guard.out_ino = p->ino;
    }
    return e && e->read ? e : NULL;
}

/* Call it after find_read(). */
static int check_zarr(int code, const char *path, const struct place *p) {
    char output[256];
    if (p->exempt || p->block || !guard.out_zarr)
        return 0;
    return gf_fail(code,
                   "output '%s' is in a Zarr folder, which gpufft only reads; name another folder",
                   gf_clean_text(output, sizeof output, path));
}

static int fail_read(int code, const char *path, const struct place *p, const struct file *e) {
    const bool is_below = !*e->name && (e->ino != p->file_ino || e->dev != p->file_dev);
    char output[256], input[256];
    gf_clean_text(output, sizeof output, strcmp(path, "-") ? path : "stdout");
    gf_clean_text(input, sizeof input, strcmp(e->called, "-") ? e->called : "stdin");
    return gf_fail(code, "output '%s' is %s%sinput '%s'; inputs are never written", output,
                   is_below ? "in the " : "the ", is_below ? "" : e->part, input);
}

/* Gives the entry to this claimant; GF_EUSAGE if another one has it. */
static int take(struct file *e, const struct gf_claimant *who, struct gf_claimant *other) {
    if (!e)
        return GF_ENOMEM;
    if (!e->by.in)
        e->by = *who;
    if (e->by.in == who->in && e->by.what == who->what)
        return 0;
    *other = e->by;
    return GF_EUSAGE;
}

/* The same for an existing file with several names. If another process has replaced the file since
 * it was claimed, its inode may belong to a new file, so the earlier claimant's path is checked
 * again. */
static int take_file(const struct place *p, const char *path, const struct gf_claimant *who,
                     struct gf_claimant *other) {
    struct stat st;
    struct file *e = enter(p->file_dev, p->file_ino, "");
    if (e && e->path &&
        (stat(e->path, &st) || st.st_dev != p->file_dev || st.st_ino != p->file_ino))
        e->by = (struct gf_claimant){0};
    int rc = take(e, who, other);
    if (rc || (e->path && !strcmp(e->path, path)))
        return rc;
    free(e->path);
    e->path = strdup(path);
    return e->path ? 0 : gf_no_memory();
}

static int claim(const char *path, const struct gf_claimant *who, struct gf_claimant *other) {
    struct place p;
    bool is_stdout = !strcmp(path, "-");
    locate(path, guard.stdout_fd, false, &p);
    const struct file *read = find_read(path, &p);
    int rc = read ? fail_read(GF_EUSAGE, path, &p, read) : check_zarr(GF_EUSAGE, path, &p);
    if (!rc && (is_stdout || !(p.exempt || p.block)))
        rc = take(enter(p.dev, p.ino, p.name), who, other);
    if (!rc && p.regular && p.linked)
        rc = take_file(&p, path, who, other);
    free(p.resolved);
    return rc ? rc : is_stdout || p.exempt || p.block;
}

int gf_guard_claim(const char *path, const struct gf_claimant *who, struct gf_claimant *other) {
    *other = (struct gf_claimant){0};
    pthread_mutex_lock(&guard.lock);
    int rc = guard.on ? claim(path, who, other) : 0;
    pthread_mutex_unlock(&guard.lock);
    return rc;
}

static int open_place(const char *path) {
    struct place p;
    struct file *e = NULL;
    locate(path, guard.stdout_fd, true, &p);
    const struct file *read = find_read(path, &p);
    int rc = read ? fail_read(GF_EIO, path, &p, read) : check_zarr(GF_EIO, path, &p);
    if (!rc && !p.exempt && !p.block) {
        e = enter(p.dev, p.ino, p.name);
        rc = !e ? GF_ENOMEM : e->opened ? gf_fail(GF_EIO, "two outputs meet in '%s'", path) : 0;
    }
    if (!rc && e)
        e->opened = true;
    free(p.resolved);
    return rc;
}

int gf_guard_open(const char *path) {
    pthread_mutex_lock(&guard.lock);
    int rc = guard.on ? open_place(path) : 0;
    pthread_mutex_unlock(&guard.lock);
    return rc;
}
