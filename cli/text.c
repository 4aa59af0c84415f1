/* Closes a text that was written to memory, with every failure noticed; wraps text. */
#include "cli/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

void gf_text_wrap(FILE *to, const char *words, const char *prefix, int width) {
    const int indent = (int)strlen(prefix);
    int column = indent;
    while (*words) {
        const int word = (int)strcspn(words, " ");
        if (column > indent && column + 1 + word > width) {
            fprintf(to, "\n%s", prefix);
            column = indent;
        }
        column += fprintf(to, "%s%.*s", column > indent ? " " : "", word, words);
        words += word;
        words += strspn(words, " ");
    }
    fputc('\n', to);
}
