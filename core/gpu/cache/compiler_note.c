/* Keeps notes on the compiler, each a file in the kernels' folder. */
#include "core/gpu/cache/compiler_note.h"

#include <stdlib.h>

#include "core/base/host/path.h"
#include "core/store/store.h"

static int make_key(const struct gf_gpu_props *p, char key[512]) {
    return snprintf(key, 512, "gpufft " GF_VERSION "\n%.100s\n%.100s\n%.100s\n%.32s", p->name,
                    p->platform, p->driver, p->extensions);
}

static bool open_store(const struct gf_gpu_props *p, struct gf_store *s) {
    bool opened = gf_store_open(p->environment, s, false);
    s->suffix = ".compiler";
    return opened;
}

bool gf_compiler_note_file(struct gf_compiler_note *note, const char *path) {
    struct stat st;
    if (!gf_path_is_absolute(path) || strlen(path) >= sizeof note->path || stat(path, &st))
        return false;
    snprintf(note->path, sizeof note->path, "%s", path);
    note->bytes = (int64_t)st.st_size;
    note->inode = (int64_t)st.st_ino;
    note->seconds = (int64_t)st.st_mtim.tv_sec;
    note->nanoseconds = (int64_t)st.st_mtim.tv_nsec;
    return true;
}

bool gf_compiler_note_read(const struct gf_gpu_props *p, struct gf_compiler_note *note) {
    struct gf_store store;
    struct gf_compiler_note now;
    char key[512];
    void *kept = NULL;
    size_t bytes = 0;
    bool read = open_store(p, &store) &&
                gf_store_read(&store, key, (size_t)make_key(p, key), &kept, &bytes) &&
                bytes == sizeof *note;
    if (read)
        memcpy(note, kept, sizeof *note);
    free(kept);
    gf_store_close(&store);
    if (!read)
        return false;
    now = *note;
    return gf_compiler_note_file(&now, note->path) && !memcmp(&now, note, sizeof now);
}

void gf_compiler_note_write(const struct gf_gpu_props *p, const struct gf_compiler_note *note) {
    struct gf_store store;
    char key[512];
    if (open_store(p, &store))
        gf_store_write(&store, key, (size_t)make_key(p, key), note, sizeof *note);
    gf_store_close(&store);
}
