/* Text in memory: what was lost on the way is an error, and no text is left. */
#include <stdlib.h>
#include <string.h>

#include "cli/text.c" /* tests are linked without cli/ */
#include "tests/test.h"

int main(void) {
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    fprintf(f, "%d words", 2);
    CHECK_EQ(gf_text_close(f, &text), GF_OK);
    CHECK(text && !strcmp(text, "2 words"));
    free(text);
    /* fclose() was content, but there is no text. */
    text = NULL;
    CHECK_EQ(gf_text_close(fopen("/dev/null", "w"), &text), GF_ENOMEM);
    /* A write failed earlier; closing has nothing more to write. */
    f = fopen("/dev/full", "w");
    setvbuf(f, NULL, _IONBF, 0);
    fputs("lost", f);
    text = strdup("half");
    CHECK_EQ(gf_text_close(f, &text), GF_ENOMEM);
    CHECK(!text);
    return TEST_END();
}
