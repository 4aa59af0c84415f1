/* A note in the cache folder of which compiler a device's kernels were built by, so that a run whose
 * kernels are all kept need not load that compiler, a library of some hundred megabytes.
 *
 *     struct gf_compiler_note note;
 *     if (!gf_compiler_note_read(&props, &note)) {
 *         … load the compiler, and fill in note.text, .option and .as_ptx …
 *         if (gf_compiler_note_file(&note, path))
 *             gf_compiler_note_write(&props, &note);
 *     }
 */
#ifndef GF_CORE_GPU_COMPILER_NOTE_H
#define GF_CORE_GPU_COMPILER_NOTE_H

#include "core/gpu/gpu.h"

struct gf_compiler_note {
    char path[512]; /* the library's file, and what tells it from another in its place */
    int64_t bytes, inode, seconds, nanoseconds;
    char text[128];  /* its version and the architecture, as in struct gf_gpu_props */
    char option[48]; /* the compiler's option for this device */
    int64_t as_ptx;  /* whether that yields text for the driver to compile */
};

/* The note on a device of this name, driver and architecture, whose library is still the same file.
 * False where there is none. */
bool gf_compiler_note_read(const struct gf_gpu_props *p, struct gf_compiler_note *note);
/* Fills in the library's file. False where it cannot be told from another. */
bool gf_compiler_note_file(struct gf_compiler_note *note, const char *path);
/* Writes the note to the kernels' folder, which is not made. */
void gf_compiler_note_write(const struct gf_gpu_props *p, const struct gf_compiler_note *note);

#endif
