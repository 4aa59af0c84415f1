/* Prevents a run from overwriting its inputs, and two outputs from becoming one file.
 *
 * A file is identified by its folder's device and inode and its name there, after following
 * symbolic links, and by its own device and inode if it exists. Two outputs are compared by the
 * latter only if the file has several names, because another process may replace a file and its
 * inode. Every input is entered before any output is opened. gf_sink_open() asks for each output,
 * so no writer can bypass the guard. Outside gf_guard_begin() .. gf_guard_end() nothing is entered
 * or refused. Any thread may call these functions. FIFOs and character devices are exempt. */
#ifndef GF_FORMATS_IO_GUARD_H
#define GF_FORMATS_IO_GUARD_H

/* Who writes a file: the two pointers identify the claimant. */
struct gf_claimant {
    const char *in;   /* the input that the output is made of */
    const void *what; /* which of that input's outputs */
};

void gf_guard_begin(void); /* forgets what was entered before */
void gf_guard_end(void);

/* Enters an input ("-": stdin), whether or not it exists yet. Messages call it `called`, which must
 * last until gf_guard_end(). Returns 0 or GF_ENOMEM. */
int gf_guard_read(const char *path, const char *called);
/* The same for a picture and the record that may lie beside it. */
int gf_guard_read_picture(const char *path, const char *called);

/* Enters an output ("-": stdout) ahead of its opening; again for the same claimant is fine. Returns
 * 0, 1 where it is exempt, GF_ENOMEM, or GF_EUSAGE with a message where it is read; where it is
 * another claimant's, GF_EUSAGE with that claimant in `other`, which is zero in all other cases. */
int gf_guard_claim(const char *path, const struct gf_claimant *who, struct gf_claimant *other);

/* Call it before writing or removing a file: GF_EIO if it is an input or was opened before. */
int gf_guard_open(const char *path);

/* Follows symbolic links of the last component, so that the file they lead to is replaced and not
 * the link. That file need not exist. The caller frees *out. */
int gf_resolve_links(const char *path, char **out);

#endif
