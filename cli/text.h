/* Text that is written into memory with open_memstream(). */
#ifndef GF_CLI_TEXT_H
#define GF_CLI_TEXT_H

#include <stdio.h>

/* Closes the stream. GF_ENOMEM, with *text freed and NULL, where a write or the closing failed. */
int gf_text_close(FILE *f, char **text);

#endif
