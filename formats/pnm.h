/* Text headers of the Netpbm family. Private to formats/. */
#ifndef GF_FORMATS_PNM_H
#define GF_FORMATS_PNM_H

#include "formats/format.h"

bool gf_pnm_space(int c);
/* The next word after white space and comments, and the one white space byte that ends it. `name`
 * is the format's, for messages. */
int gf_pnm_token(struct gf_source *source, const char *name, char *word, size_t size);
/* A decimal number of 1..max. */
int gf_pnm_number(struct gf_source *source, const char *name, int64_t max, int64_t *out);
/* No other picture may follow. */
int gf_pnm_end(struct gf_source *source, const char *name);

#endif
