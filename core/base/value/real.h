/* Reals as text.
 *
 *     char text[GF_REAL_TEXT];
 *     gf_real_text(0.1, text);                            "0.1", not "0.10000000000000001" */
#ifndef GF_CORE_BASE_REAL_H
#define GF_CORE_BASE_REAL_H

enum { GF_REAL_TEXT = 32 };

/* Writes the shortest text of 15 to 17 digits that strtod() converts back to `v`; returns `text`. */
const char *gf_real_text(double v, char text[GF_REAL_TEXT]);

#endif
