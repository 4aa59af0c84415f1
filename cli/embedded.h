/* Files inside the program, a table that the Makefile writes: a font, completion scripts, lessons
 * (NAME.md) and the samples that these start from. */
#ifndef GF_CLI_EMBEDDED_H
#define GF_CLI_EMBEDDED_H

struct gf_embedded {
    const char *name;                 /* without folders; NULL ends the table */
    const unsigned char *bytes, *end; /* a zero is behind the end */
};

extern const struct gf_embedded gf_embedded_files[];

/* NULL if there is none of that name. */
const struct gf_embedded *gf_embedded_find(const char *name);

#endif
