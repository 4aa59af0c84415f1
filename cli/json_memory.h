/* Jansson's setters fail without a word that callers look at; where it had no memory, the text that
 * comes of it is not complete. */
#ifndef GF_CLI_JSON_MEMORY_H
#define GF_CLI_JSON_MEMORY_H

#include <stdbool.h>

/* Has Jansson ask through here. Before anything is made with it. */
void gf_json_memory_setup(void);
/* Forgets what this thread missed. */
void gf_json_memory_begin(void);
/* True where this thread got no memory since then. */
bool gf_json_memory_missed(void);

#endif
