/* Prevents a run from overwriting its inputs, and two outputs from becoming one file.
 *
 * A file is identified by its folder's device and inode and its name there, after following
 * symbolic links, and by its own device and inode if it exists. Two outputs are compared by their
 * own inodes only if the file has several names, because another process may replace a file and its
 * inode. Enter every input before opening any output. gf_sink_open() checks each output, so no
 * writer can bypass the guard. Outside gf_guard_begin() .. gf_guard_end() nothing is entered or
 * refused. All functions are thread-safe. FIFOs and character devices are exempt. */
#ifndef GF_FORMATS_IO_GUARD_H
#define GF_FORMATS_IO_GUARD_H

/* Identifies who writes a file, by two pointers. */
struct gf_claimant {
    const char *in;   /* the input from which the output is made */
    const void *what; /* which of that input's outputs */
};

void gf_guard_begin(void); /* forgets earlier entries */
void gf_guard_end(void);

/* The descriptor of an output "-"; initially that of stdout. Set it before starting threads. */
int gf_guard_stdout(void);
void gf_guard_set_stdout(int fd);

/* Enters an input ("-": stdin), whether or not it exists, or a folder and all files below it. Messages
 * call it `called`, which must outlive gf_guard_end(). Returns 0 or GF_ENOMEM. */
int gf_guard_read(const char *path, const char *called);
/* The same for a picture, and its record or the other one of .hdr and .img beside it. */
int gf_guard_read_picture(const char *path, const char *called);

/* Enters an output ("-": stdout) before it is opened; the same claimant may repeat this. Returns 0,
 * 1 if the output is exempt, GF_ENOMEM, GF_EUSAGE with a message if it is an input or below a Zarr
 * folder, or GF_EUSAGE with `other` set if another claimant has it. In all other cases `other` is zero. */
int gf_guard_claim(const char *path, const struct gf_claimant *who, struct gf_claimant *other);

/* Call it before writing or removing a file: GF_EIO if it is an input, below a Zarr folder, or was opened before. */
int gf_guard_open(const char *path);

/* Follows symbolic links of the last component, so that a commit replaces their target, which need
 * not exist. The caller frees *out. */
int gf_resolve_links(const char *path, char **out);

#endif
