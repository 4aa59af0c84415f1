/* Text that is written into memory with open_memstream(); UTF-8 in a text.
 *
 *     struct gf_text t;
 *     int rc = gf_text_open(&t);
 *     if (!rc)
 *         fprintf(t.f, "# %s\n", title);
 *     return gf_text_save(&t, rc, "README.md", true);
 */
#ifndef GF_CLI_TEXT_H
#define GF_CLI_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Closes the stream. GF_ENOMEM, with *text freed and NULL, if a write or closing failed. */
int gf_text_close(FILE *f, char **text);

/* A text that becomes a file, complete or absent. */
struct gf_text {
    FILE *f;
    char *text;
    size_t size;
};
int gf_text_open(struct gf_text *t); /* GF_ENOMEM */
/* Writes the file unless `rc` is a failure, which it returns. Frees the text. */
int gf_text_save(struct gf_text *t, int rc, const char *path, bool clobber);

/* Returns the length of the UTF-8 sequence at p; 0: invalid. Surrogates and overlong forms pass. */
int gf_text_sequence(const unsigned char *p);

#endif
