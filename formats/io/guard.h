/* Keeps what a run reads from being written, and two outputs from meeting in one file.
 *
 * A file is known by the device and inode of its folder and its last name, with the symbolic links
 * of that name followed, and, where it exists, by its own device and inode; two outputs are compared by
 * these only where the file has several names, for another process may replace a file, and the inode then
 * is that of a new one. Every input is entered before any output is opened. gf_sink_open() asks for each output, so no writer can pass by.
 * Between gf_guard_end() and gf_guard_begin() nothing is entered and nothing refused. All functions
 * may be called from any thread. FIFOs and character devices are exempt. */
#ifndef GF_FORMATS_IO_GUARD_H
#define GF_FORMATS_IO_GUARD_H

/* Who writes a file: the two pointers identify the claimant. */
struct gf_claimant {
    const char *in;   /* the input that the output is made of */
    const void *what; /* which of that input's outputs */
};

void gf_guard_begin(void); /* forgets what was entered before */
void gf_guard_end(void);

/* Enters a file that is read ("-": stdin), whether it exists already or not. Messages call it
 * `called`, which must last until gf_guard_end(). Returns 0 or GF_ENOMEM. */
int gf_guard_read(const char *path, const char *called);
/* The same for a picture: the record that may be beside it is read too. */
int gf_guard_read_picture(const char *path, const char *called);

/* Enters an output ("-": stdout) ahead of its opening; again for the same claimant is fine. Returns
 * 0, 1 where it is exempt, GF_ENOMEM, or GF_EUSAGE with a message where it is read; where it is
 * another claimant's, GF_EUSAGE with that claimant in `other`, which is zero in all other cases. */
int gf_guard_claim(const char *path, const struct gf_claimant *who, struct gf_claimant *other);

/* For what is about to write or to remove a file: GF_EIO where it is read, or was opened before. */
int gf_guard_open(const char *path);

/* Follows the symbolic links that the last component is, so that the file they lead to is replaced
 * and not the link. What they lead to need not exist. The caller frees *out. */
int gf_resolve_links(const char *path, char **out);

#endif
