/* Suggests the name that a mistyped word may stand for.
 *
 *     const char *near = gf_spelling_near("fftx", names);     "fftw" */
#ifndef GF_CORE_BASE_SPELLING_H
#define GF_CORE_BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the name that `word` may misspell or begin, in any case, or NULL. `names` is
 * NULL-terminated. */
const char *gf_spelling_near(const char *word, const char *const *names);

/* Writes the names, with commas between them, into text[0..size), cut to fit. */
void gf_spelling_list(const char *const *names, char *text, size_t size);

/* True if `list`, words between blanks, has the word. */
bool gf_spelling_has(const char *list, const char *word);

#endif
