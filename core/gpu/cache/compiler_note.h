/* Notes in the cache folder which compiler built a device's kernels, so that a run whose kernels
 * are all cached need not load that library of some hundred MB.
 *
 *     struct gf_compiler_note note;
 *     if (!gf_compiler_note_read(&props, &note)) {
 *         … load the compiler, and fill in note.text, .option and .as_ptx …
 *         if (gf_compiler_note_file(&note, path))
 *             gf_compiler_note_write(&props, &note);
 *     } */
#ifndef GF_CORE_GPU_COMPILER_NOTE_H
#define GF_CORE_GPU_COMPILER_NOTE_H

#include "core/gpu/gpu.h"

struct gf_compiler_note {
    char path[512]; /* the library's file, and what tells it from a replacement */
    int64_t bytes, inode, seconds, nanoseconds;
    char text[128];  /* its version and the architecture, as in struct gf_gpu_props */
    char option[48]; /* the compiler's option for this device */
    int64_t as_ptx;  /* 1: it makes PTX, which the driver compiles */
};

/* Reads the note for a device of this name, driver and architecture. False if there is none, or the
 * library has been replaced. */
bool gf_compiler_note_read(const struct gf_gpu_props *p, struct gf_compiler_note *note);
/* Sets the library's file. False if it has no absolute path. */
bool gf_compiler_note_file(struct gf_compiler_note *note, const char *path);
/* Writes the note if the kernels' folder exists. */
void gf_compiler_note_write(const struct gf_gpu_props *p, const struct gf_compiler_note *note);

#endif
