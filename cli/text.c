/* Text in memory, with every write checked; UTF-8 in a text. */
#include "cli/text.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/value/status.h"
#include "formats/files.h"

int gf_text_close(FILE *f, char **text) {
    bool failed = ferror(f);
    /* glibc's fclose() shrinks the buffer by realloc(), and may succeed and leave NULL. */
    if (!fclose(f) && !failed && *text)
        return GF_OK;
    free(*text);
    *text = NULL;
    return gf_no_memory();
}

int gf_text_open(struct gf_text *t) {
    t->text = NULL;
    t->f = open_memstream(&t->text, &t->size);
    return t->f ? 0 : gf_no_memory();
}

int gf_text_save(struct gf_text *t, int rc, const char *path, bool clobber) {
    const int closed = gf_text_close(t->f, &t->text);
    rc = rc ? rc : closed;
    if (!rc)
        rc = gf_file_write(path, t->text, t->size, clobber);
    free(t->text);
    return rc;
}

int gf_text_sequence(const unsigned char *p) {
    int n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}
