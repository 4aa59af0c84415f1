/* Folders read into memory, written back, and cleared. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/faults.h"

static void read_file(const char *path, struct file *f) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        fail_hard(path);
    f->data = malloc((size_t)st.st_size + 1);
    ssize_t n = f->data ? read(fd, f->data, (size_t)st.st_size) : -1;
    if (n < 0)
        fail_hard(path);
    f->n = (size_t)n;
    f->data[n] = 0;
    close(fd);
}

static void read_below(const char *folder, const char *below, struct tree *t) {
    char path[1024], name[512];
    snprintf(path, sizeof path, "%s/%s", folder, below);
    DIR *dir = opendir(path);
    if (!dir)
        fail_hard(path);
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(name, sizeof name, "%.255s%s%.250s", below, *below ? "/" : "", e->d_name);
        snprintf(path, sizeof path, "%.400s/%s", folder, name);
        if (lstat(path, &st))
            continue;
        if (S_ISDIR(st.st_mode)) {
            read_below(folder, name, t);
            continue;
        }
        if (t->n == t->capacity) {
            t->capacity = t->capacity ? 2 * t->capacity : 8;
            t->file = realloc(t->file, (size_t)t->capacity * sizeof *t->file);
            if (!t->file)
                fail_hard("memory");
        }
        struct file *f = &t->file[t->n++];
        *f = (struct file){.path = strdup(name)};
        read_file(path, f);
    }
    closedir(dir);
}

void tree_read(const char *folder, struct tree *t) {
    *t = (struct tree){0};
    read_below(folder, "", t);
}

void tree_write(const char *folder, const struct tree *t) {
    char path[1024];
    for (int i = 0; i < t->n; i++) {
        const struct file *f = &t->file[i];
        snprintf(path, sizeof path, "%s/%s", folder, f->path);
        for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); *p++ = '/') {
            *p = 0;
            mkdir(path, 0777);
        }
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0 || write(fd, f->data, f->n) != (ssize_t)f->n || close(fd))
            fail_hard(path);
    }
}

void tree_free(struct tree *t) {
    for (int i = 0; i < t->n; i++) {
        free(t->file[i].path);
        free(t->file[i].data);
    }
    free(t->file);
    *t = (struct tree){0};
}

const struct file *tree_find(const struct tree *t, const char *path) {
    for (int i = 0; i < t->n; i++)
        if (!strcmp(t->file[i].path, path))
            return &t->file[i];
    return NULL;
}

bool file_equal(const struct file *a, const struct file *b) {
    return a && b && a->n == b->n && !memcmp(a->data, b->data, a->n);
}

void folder_clear(const char *folder, bool self) {
    char path[1024];
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(path, sizeof path, "%.700s/%s", folder, e->d_name);
        if (unlink(path))
            folder_clear(path, true);
    }
    if (dir)
        closedir(dir);
    if (self)
        rmdir(folder);
}
