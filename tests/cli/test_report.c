/* Reports: what forms make of every kind of value, and which of them JSON lacks; every real in JSON reads back as it
 * was, in the fewest digits of three tries, and the rest is what jansson would write. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.c" /* tests are linked without cli/ */
#include "cli/text.c"
#include "tests/formats/files.h"
#include "tests/test.h"

static char line_printed[1024];

void gf_log_line(const char *line) {
    snprintf(line_printed, sizeof line_printed, "%s", line);
}

void gf_log_lost(int error) {
    (void)error;
    strcpy(line_printed, "lost");
}

static void check_text(const json_t *o, const char *form, const char *want) {
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    CHECK(f != NULL);
    write_report(f, form, o);
    fclose(f);
    CHECK_MSG(!strcmp(text, want), "%s: '%s', not '%s'", form, text, want);
    free(text);
}

static void test_numbers(void) {
    json_t *o =
        GF_REPORT(GF_KEY("n", 1), GF_KEY("size", (int64_t)3 << 29), GF_KEY("x", 12.345),
                  GF_KEY("ms", 0.001234), GF_KEY("inf", (double)INFINITY), GF_REAL("nan", NAN),
                  GF_KEY("shape", gf_json_shape((int64_t[]){3, 4}, 2)));
    check_text(o, "{n}{n:4d}{n:-3d}|", "1   11  ");
    check_text(o, "{n#page}, {size#byte}, {size:B}", "1 page, 1610612736 bytes, 1.5 GiB");
    check_text(o, "{x} {x:.3g} {x:+.0f}% {x:8.1e} {x:.2g*1e-3}", "12.345 12.3 +12%  1.2e+01 0.012");
    check_text(o, "{x:8.3n}{size:12.3n}{ms:9.4n}{ms:9.4m}",
               "    12.3  1610612736   0.00120.0012340");
    check_text(o, "{inf:.3g} {inf:6.1e} {nan} {shape}", "inf    inf nan 3x4");
    gf_report_print(true, NULL, o);
    CHECK_MSG(!strcmp(line_printed, "{\"n\":1,\"size\":1610612736,\"x\":12.345,\"ms\":0.001234,"
                                    "\"nan\":null,\"shape\":[3,4],\"version\":2}"),
              "%s", line_printed);
}

static void test_choices(void) {
    json_t *o = GF_REPORT(GF_BOOL("on", 2), GF_BOOL("off", 0), GF_KEY("text", "a\"b"),
                          GF_KEY("none", (const char *)NULL), GF_KEY("empty", ""),
                          GF_KEY_IF(false, "absent", (abort(), 1)), GF_KEY(".own", "here"),
                          GF_KEY_OR_NULL(false, "null", 3), GF_TRUE_IF(true, "sure"));
    check_text(o, "{?on yes|no}{?off yes|no}{?text , t}{?none n|, -}{?empty e|.}{?own {own}}",
               "yesno, t, -.here");
    check_text(o, "{?on {?off a|{?text b}}|c}{?off |d}{absent}{none}||{?off yes|}", "bd|");
    check_text(o, "{text:q},{text:5s},{text:-5s},{empty:q}", "\"a\"\"b\",  a\"b,a\"b  ,\"\"");
    gf_report_print(true, NULL, o);
    CHECK_MSG(!strcmp(line_printed, "{\"on\":true,\"off\":false,\"text\":\"a\\\"b\",\"none\":null,"
                                    "\"empty\":\"\",\"null\":null,\"sure\":true,\"version\":2}"),
              "%s", line_printed);
}

static void test_members(void) {
    json_t *list = json_array(), *none = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(list, GF_REPORT(GF_KEY("i", i), GF_KEY_IF(i == 1, "own", "its")));
    json_t *o = GF_REPORT(GF_KEY("list", list), GF_KEY("none", none), GF_KEY("own", "around"),
                          GF_KEY("object", GF_REPORT(GF_KEY("i", 7))));
    check_text(o, "{*list {?@ , }{i} {own}}; {*none x}{*object {i}}{*absent y}{i}.",
               "0 around, 1 its, 2 around; 7.");
    json_decref(o);
}

static void test_facts(void) {
    static const struct {
        int64_t at[2];
        double score;
    } peak[] = {{{1, 2}, 0.5}, {{3, 4}, NAN}};
    const double mean = 2, most = INFINITY;
    const bool inverted = true;
    const char names[2][4] = {"a", "bc"};
    struct gf_facts f = {0};
    GF_FACT(&f, "mean", "m", &mean);
    GF_FACT(&f, "inverted", NULL, &inverted);
    GF_FACTS(&f, "place", NULL, 2, 0, 0, peak->at);
    gf_facts_begin(&f, "peaks", GF_FACT_TABLE, 2);
    GF_FACTS(&f, "at", NULL, 2, 2, sizeof *peak, peak->at);
    GF_FACTS(&f, "score", NULL, 0, 2, sizeof *peak, &peak->score);
    GF_FACTS(&f, "name", NULL, 0, 2, sizeof *names, *names);
    gf_facts_end(&f);
    gf_facts_begin(&f, "none", GF_FACT_TABLE, 0);
    gf_facts_end(&f);
    gf_facts_begin(&f, "signals", GF_FACT_LIST, 0);
    gf_facts_begin(&f, NULL, GF_FACT_RECORD, 0);
    GF_FACTS(&f, "scores", NULL, 0, 2, sizeof *peak, &peak->score);
    GF_FACT(&f, "most", NULL, &most);
    GF_FACT(&f, ".why", NULL, &names[1][0]);
    gf_facts_end(&f);
    gf_facts_end(&f);
    json_t *o = gf_report_facts(GF_REPORT(GF_KEY("in", "a.png")), &f);
    check_text(o, "{*peaks {at:-9.2f} {score:.1f} {name};}{*signals {most} {why}}",
               "2.00,1.00 0.5 a;4.00,3.00  bc;inf bc");
    gf_report_print(true, NULL, o);
    CHECK_STR(line_printed, "{\"in\":\"a.png\",\"mean\":2.0,\"inverted\":true,\"place\":[1,2],"
                            "\"peaks\":[{\"at\":[1,2],\"score\":0.5,\"name\":\"a\"},"
                            "{\"at\":[3,4],\"score\":null,\"name\":\"bc\"}],\"none\":[],"
                            "\"signals\":[{\"scores\":[0.5,null]}],\"version\":2}");
    CHECK(!f.fact && !f.n);
}

static void test_bytes(void) {
    json_t *o = GF_REPORT(GF_KEY("name", "\xff\x41\xc3\xa9\xed\xa0\x80"));
    check_text(o, "{name}", "\xef\xbf\xbd\x41\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    json_decref(o);
}

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
    char *line = json_line(list);
    snprintf(text, 64, "%s", line ? line : "");
    free(line);
    json_decref(list);
}

static void test_known_reals(void) {
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

static void test_random_reals(void) {
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

static void test_values(void) {
    static const char text[] =
        "{\"a\":[],\"b\":{},\"\\u0001 \\\"\xc3\xa9\":[1,-2,true,false,null,\"x\\ny\",[[{}]]],"
        "\"c\":{\"d\":{\"e\":\"f\"}}}";
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    char *line = json_line(root), *want = json_dumps(root, JSON_COMPACT);
    CHECK_MSG(line && want && !strcmp(line, want), "%s, not %s", line, want);
    CHECK(!json_line(NULL));
    free(line);
    free(want);
    json_decref(root);
}

int main(void) {
    RUN("reals in JSON have their shortest text", test_known_reals());
    RUN("reals in JSON read back as they were", test_random_reals());
    RUN("a line of JSON is what jansson writes", test_values());
    RUN("forms format numbers, bytes and times", test_numbers());
    RUN("forms choose by what is set, empty or absent", test_choices());
    RUN("forms repeat over lists and enter objects", test_members());
    RUN("facts become numbers, lists, records and tables", test_facts());
    RUN("bytes that are not UTF-8 become replacement characters", test_bytes());
    return TEST_END();
}
