/* JSON lines: every number reads back as it was, in the fewest digits of three tries, and the rest is
 * what jansson would write. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Tests are linked without cli/. */
#include "cli/json.c"
#include "cli/text.c"
#include "tests/formats/files.h"
#include "tests/test.h"

static double read_back(const char *line) {
    json_error_t error;
    json_t *root = json_loads(line, 0, &error);
    double v = json_real_value(json_array_get(root, 0));
    CHECK_MSG(json_is_real(json_array_get(root, 0)), "%s: not a real", line);
    json_decref(root);
    return v;
}

/* The text of [v]. */
static void line_of(json_t *real, char text[64]) {
    json_t *list = json_array();
    json_array_append_new(list, real);
    char *line = gf_json_line(list);
    snprintf(text, 64, "%s", line ? line : "");
    free(line);
    json_decref(list);
}

static void test_known_values(void) {
    static const struct {
        double v;
        const char *text;
    } known[] = {
        {0, "[0.0]"},
        {3, "[3.0]"},
        {-0.5, "[-0.5]"},
        {0.1, "[0.1]"},
        {0.1f, "[0.10000000149011612]"},
        {1.0 / 3, "[0.3333333333333333]"},
        {1e300, "[1e+300]"},
        {5e-324, "[4.94065645841247e-324]"},
        {16777217, "[16777217.0]"},
        {123456789.0f, "[123456792.0]"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        line_of(json_real(known[i].v), text);
        CHECK_MSG(!strcmp(text, known[i].text), "%s, not %s", text, known[i].text);
    }
}

static void test_random(void) {
    uint32_t seed = 3;
    char text[64];
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)random_next(&seed) << 32 | random_next(&seed);
        uint32_t half = random_next(&seed);
        double d;
        float f;
        memcpy(&d, &bits, 8);
        memcpy(&f, &half, 4);
        if (isfinite(d)) {
            line_of(json_real(d), text);
            CHECK_MSG(read_back(text) == d, "%a as %s", d, text);
        }
        if (isfinite(f)) {
            line_of(json_real(f), text);
            CHECK_MSG(read_back(text) == f, "%a as %s", (double)f, text);
        }
    }
}

static void test_rest(void) {
    static const char text[] =
        "{\"a\":[],\"b\":{},\"\\u0001 \\\"\xc3\xa9\":[1,-2,true,false,null,\"x\\ny\",[[{}]]],"
        "\"c\":{\"d\":{\"e\":\"f\"}}}";
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    char *line = gf_json_line(root), *want = json_dumps(root, JSON_COMPACT);
    CHECK_MSG(line && want && !strcmp(line, want), "%s, not %s", line, want);
    CHECK(!gf_json_line(NULL));
    free(line);
    free(want);
    json_decref(root);
}

int main(void) {
    test_known_values();
    test_random();
    test_rest();
    return TEST_END();
}
