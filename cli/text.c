/* Closing a text that was written to memory, with every failure noticed. */
#include "cli/text.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/base/status.h"

int gf_text_close(FILE *f, char **text) {
    bool failed = ferror(f);
    /* glibc's fclose() may succeed and leave NULL: it makes the buffer smaller by realloc(). */
    if (!fclose(f) && !failed && *text)
        return GF_OK;
    free(*text);
    *text = NULL;
    return gf_fail(GF_ENOMEM, "out of memory");
}
