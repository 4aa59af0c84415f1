/* A driver for NVIDIA GPUs that are not there, with NVRTC and cuFFT, that runs kernels on the CPU. One library by
 * the names libcuda.so.1, libnvrtc.so.13 and libcufft.so.12; tests/README.md lists its settings.
 *
 *     driver.c   devices, contexts, which call is to fail
 *     stream.c   queues and events
 *     memory.c   device memory, locked host memory, copies
 *     module.c   binaries, functions, launches
 *     group.c    the items of a group, and their barriers
 *     nvrtc.c    kernels to C (prelude.h), C to a shared library, which is the binary
 *     cufft.c, cufftxt.c  transforms of one device and of two
 *
 * It is stricter than the originals. A stream's commands run when something waits for them, and no earlier
 * (FAKE_CUDA_ORDER=eager: at once); memory begins as NaNs and ends where it ends; a group's items run in either
 * order between barriers, which all of them reach. */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    OUT_OF_RESOURCES = 701,
    PEER_ALREADY_ENABLED = 704,
    ALREADY_REGISTERED = 712,
    NOT_REGISTERED = 713,
    MISALIGNED = 716,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801
};
enum { FAKE_DEVICES = 4 };

struct fake_device {
    int number, retained;
    int failed; /* the error that every later call returns, as the original does until the program ends */
    size_t used;
    bool reaches[FAKE_DEVICES];
    struct fake_stream *own; /* the stream NULL */
};

/* ---- driver.c ---- */

#define FAKE_COMMAND "command" /* the name of one */
/* Every call is fake_begin(__func__), then fake_end(code); one at a time. Begin returns what it fails with. */
int fake_begin(const char *name);
/* The same for a call that needs a context. */
int fake_enter(const char *name);
int fake_end(int code);
void fake_note(const char *format, ...); /* a line of FAKE_CUDA_TRACE */
/* The code of FAKE_CUDA_FAIL if this call, or this command of the device's queues, is to fail. */
int fake_injected(const char *name, struct fake_device *device);
long fake_setting(const char *name, long otherwise);
struct fake_device *fake_current(void);
struct fake_device *fake_device(int number);
size_t fake_memory(int device);
int fake_attribute(int which);

/* ---- stream.c ---- */

struct fake_stream;
/* `run(data)` becomes the stream's last command; `data` is freed after it. */
int fake_enqueue(struct fake_stream *s, int (*run)(void *data), void *data);
/* The current device's stream of that handle, 0 to 2: its own one; NULL: of another device. */
struct fake_stream *fake_stream(void *handle);
/* A line of FAKE_CUDA_TRACE on a command, below that of its call: which queue, and what it does. */
void fake_note_command(const struct fake_stream *s, const char *format, ...);
/* Runs all that the device, or the stream, was given. */
void fake_finish(struct fake_device *device);
void fake_finish_stream(struct fake_stream *s);
/* Frees what the device's context owned. */
void fake_streams_drop(struct fake_device *device);

/* ---- memory.c ---- */

enum { FAKE_HOST = 1, FAKE_ON_DEVICE = 2, FAKE_UNIFIED = 4 };
struct fake_region {
    char *address, *mapping;
    size_t bytes, mapped;
    int kind;
    bool registered;
    struct fake_device *device;
    struct fake_region *next;
};
/* That the bytes lie in as a whole; NULL: none. */
struct fake_region *fake_region(const void *address, size_t bytes);
int fake_take(struct fake_device *device, size_t bytes, uint64_t *address);
int fake_give_back(uint64_t address);
void fake_memory_drop(struct fake_device *device);
/* `bytes` behind which a page cannot be touched, filled with 0xff; *mapping and *mapped for munmap(). */
char *fake_map(size_t bytes, char **mapping, size_t *mapped);

/* ---- module.c, group.c, nvrtc.c ---- */

void fake_modules_drop(struct fake_device *device);

struct fake_dim {
    unsigned x, y, z;
};
/* As in prelude.h. */
struct fake_group {
    struct fake_dim item, group, items, groups;
    void *tile;
    void (*barrier)(void);
    void (*trap)(void);
};
struct fake_launch {
    void (*call)(void **arguments); /* one item */
    struct fake_group **group;      /* the kernel's own variable */
    struct fake_dim groups, items;
    unsigned shared_bytes;
    void **arguments;
};
/* Runs all groups; an error of the driver. */
int fake_run_groups(const struct fake_launch *launch);

/* Compiles what FAKE_PTX begins to the file of a shared library in `folder`. */
#define FAKE_PTX "// fake PTX\n"
int fake_compile(const char *folder, const char *ptx, char path[256]);
/* Runs a command of the shell. */
int fake_shell(const char *command);
/* A folder for temporary files, and its end. */
bool fake_folder(char folder[64]);
void fake_folder_drop(const char *folder);
char *fake_read(const char *folder, const char *name, size_t *bytes);
bool fake_write(const char *folder, const char *name, const void *data, size_t bytes);

#endif
