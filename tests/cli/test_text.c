/* Text in memory: what was lost on the way is an error, and no text is left. */
#include <stdlib.h>
#include <string.h>

#include "cli/text.c" /* tests are linked without cli/ */
#include "tests/test.h"

static void test_complete(void) {
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    fprintf(f, "%d words", 2);
    CHECK_EQ(gf_text_close(f, &text), GF_OK);
    CHECK_STR(text, "2 words");
    free(text);
}

/* fclose() succeeds, but there is no text. */
static void test_absent(void) {
    char *text = NULL;
    CHECK_EQ(gf_text_close(fopen("/dev/null", "w"), &text), GF_ENOMEM);
}

/* A write fails earlier, and fclose() has nothing more to write. */
static void test_failed_write(void) {
    char *text = strdup("half");
    FILE *f = fopen("/dev/full", "w");
    setvbuf(f, NULL, _IONBF, 0);
    fputs("lost", f);
    CHECK_EQ(gf_text_close(f, &text), GF_ENOMEM);
    CHECK(!text);
}

int main(void) {
    RUN("a text is complete once closed", test_complete());
    RUN("a closed stream without a text is out of memory", test_absent());
    RUN("a text of which a write failed is dropped", test_failed_write());
    return TEST_END();
}
