/* Text that is written into memory with open_memstream(), or wrapped. */
#ifndef GF_CLI_TEXT_H
#define GF_CLI_TEXT_H

#include <stdio.h>

/* Closes the stream. GF_ENOMEM, with *text freed and NULL, where a write or the closing failed. */
int gf_text_close(FILE *f, char **text);

/* Writes words in lines of up to `width` characters, and a newline. Each line but the first, where that is done,
 * begins with `prefix`. */
void gf_text_wrap(FILE *to, const char *words, const char *prefix, int width);

#endif
