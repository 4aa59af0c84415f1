/* The reader of Zarr folders. The input is metadata up to a zero byte, then a chunk, which is the
 * first one of each key; "a" in the folder leads back to it, as a level of a group. */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"chunk", "0",     "0.0",     "0.0.0", "0.0.0.0",
                                    "c.0",   "c.0.0", "c.0.0.0", "a",     "zarr.json"};
enum { CHUNK, LEVEL = 8, METADATA, N_NAMES };
static char folder[64], path[N_NAMES][96];

static void clear(void) {
    for (int i = 0; i < N_NAMES; i++)
        unlink(path[i]);
    rmdir(folder);
}

static void put(const char *to, const uint8_t *data, size_t n) {
    const int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n || close(fd))
        abort();
}

static void make_folder(void) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/fuzz-zarr-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        abort();
    for (int i = 0; i < N_NAMES; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    put(path[CHUNK], NULL, 0);
    for (int i = CHUNK + 1; i < LEVEL; i++)
        if (link(path[CHUNK], path[i]))
            abort();
    if (symlink(".", path[LEVEL]) || atexit(clear))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const uint8_t *end = n ? memchr(data, 0, n) : NULL;
    const size_t text = end ? (size_t)(end - data) : n, skip = text + (end != NULL);
    if (!*path[0])
        make_folder();
    put(path[METADATA], data, text);
    put(path[CHUNK], data + skip, n - skip);
    fuzz_read(&gf_format_zarr, data, n,
              &(struct gf_read_options){.max_memory = 32 << 20, .path = folder});
    return 0;
}
