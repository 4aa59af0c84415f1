/* Names as the build for Windows takes them. */
#include "core/base/host/windows/names.h"
#include "tests/test.h"

static bool is_path(const char *path, const char *expected) {
    char out[64];
    return gf_windows_path(path, out, sizeof out) && !strcmp(out, expected);
}

static void test_paths(void) {
    CHECK(is_path("C:/a/b.png", "C:\\a\\b.png"));
    CHECK(is_path("//host/share/a.png", "\\\\host\\share\\a.png"));
    CHECK(is_path("a/b.png", "a\\b.png"));
    CHECK(is_path("/dev/null", "NUL"));
    CHECK(is_path("C:", "C:\\"));
    CHECK(is_path("C:a", "C:a"));
    CHECK(is_path("1:", "1:"));
    char out[8], back[] = "C:\\a\\b";
    CHECK(gf_windows_path("1234567", out, sizeof out));
    CHECK(!gf_windows_path("12345678", out, sizeof out));
    gf_windows_to_slashes(back);
    CHECK_STR(back, "C:/a/b");
}

/* ASCII in UTF-16. */
static bool matches(const char *pattern, const char *name) {
    uint16_t wide[2][32] = {0};
    const char *text[2] = {pattern, name};
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; text[t][i]; i++)
            wide[t][i] = (unsigned char)text[t][i];
    return gf_windows_matches(wide[0], wide[1]);
}

static void test_wildcards(void) {
    CHECK(matches("*.png", "a.png"));
    CHECK(matches("*.png", "A.PNG"));
    CHECK(matches("*", "a"));
    CHECK(matches("a*b*c", "abbcbc"));
    CHECK(matches("?.png", "b.png"));
    CHECK(matches(".*", ".hidden"));
    CHECK(!matches("*.png", "a.pngx"));
    CHECK(!matches("?.png", ".png"));
    CHECK(!matches("?", ""));
    CHECK(!matches("*", ".hidden"));
    CHECK(!matches("a*b*c", "abbcb"));
    const uint16_t any[] = {'?', 0}, one[] = {0x65e5, 0}, pair[] = {0xd83d, 0xde00, 0};
    CHECK(gf_windows_matches(any, one));
    CHECK(!gf_windows_matches(one, any));
    CHECK(!gf_windows_matches(any, pair)); /* two units of UTF-16, as Windows counts them */
}

static void test_libraries(void) {
    CHECK_STR(gf_windows_library("libOpenCL.so.1"), "OpenCL.dll");
    CHECK_STR(gf_windows_library("libnvrtc.so.12"), "nvrtc64_120_0.dll");
    CHECK_STR(gf_windows_library("libOpenCL.so"), "");
    CHECK_STR(gf_windows_library("C:/mkl/mkl_rt.2.dll"), "C:/mkl/mkl_rt.2.dll");
}

int main(void) {
    RUN("paths with slashes, drives and shares become Windows' own", test_paths());
    RUN("* and ? match names in UTF-16 as a shell's do", test_wildcards());
    RUN("libraries are called by their names there", test_libraries());
    return TEST_END();
}
