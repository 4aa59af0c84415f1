/* Kernel sources made flat, from the program and from a folder. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/environment.h"
#include "core/gpu/cache/kernel_source.h"
#include "core/base/value/status.h"
#include "tests/formats/files.h"
#include "tests/test.h"

static void put(const char *name, const char *text) {
    file_put(name, text, strlen(text));
}

static void check_source(const char *file, const char *expected) {
    char *text = NULL;
    int rc = gf_kernel_source(gf_environment(), file, &text);
    CHECK_MSG(!rc, "%s: %s", file, gf_message());
    CHECK_MSG(text && !strcmp(text, expected), "%s: %s", file, text ? text : "nothing");
    free(text);
}

static void check_no_source(const char *file, const char *message) {
    char *text = NULL;
    CHECK_MSG(gf_kernel_source(gf_environment(), file, &text) != 0, "%s", file);
    CHECK(text == NULL);
    CHECK_MSG(strstr(gf_message(), message), "%s: %s", file, gf_message());
    free(text);
}

static void test_embedded(void) {
    for (const struct gf_kernel_file *f = gf_kernel_files; f->name; f++) {
        char path[128], marker[128], *text = NULL;
        int rc = gf_kernel_source(gf_environment(), f->name, &text);
        CHECK_MSG(!rc, "%s: %s", f->name, gf_message());
        snprintf(marker, sizeof marker, "#line 1 \"kernels/%s\"\n", f->name);
        CHECK_MSG(text && !strncmp(text, marker, strlen(marker)), "%s", f->name);
        CHECK_MSG(text && !strstr(text, "#include \""), "%s", f->name);
        free(text);

        snprintf(path, sizeof path, "kernels/%s", f->path);
        FILE *on_disk = fopen(path, "r");
        if (!on_disk) /* run from elsewhere */
            continue;
        const unsigned char *at = f->text;
        int c;
        while ((c = getc(on_disk)) != EOF && c == *at)
            at++;
        CHECK_MSG(c == EOF && !*at, "%s", f->name);
        fclose(on_disk);
    }
    check_no_source("nothing.cl", "nothing.cl");
    check_no_source("../core/gpu/gpu.h", "gpu.h");
    check_no_source("", "");
}

static void test_sources(void) {
    put("b.h", "// b, without an end of line");
    put("a.cl", "int a;\n#include \"b.h\"\n  #  include\t\"kernels/b.h\" // again\n"
                "#include <math.h>\n// #include \"none.h\"\nlast\n");
    check_source("a.cl", "#line 1 \"kernels/a.cl\"\nint a;\n"
                         "#line 1 \"kernels/b.h\"\n// b, without an end of line\n"
                         "#line 3 \"kernels/a.cl\"\n"
                         "#line 1 \"kernels/b.h\"\n// b, without an end of line\n"
                         "#line 4 \"kernels/a.cl\"\n"
                         "#include <math.h>\n// #include \"none.h\"\nlast\n");
    put("empty.h", "");
    put("c.cl", "#include \"empty.h\"\n\nend");
    check_source("c.cl", "#line 1 \"kernels/c.cl\"\n#line 1 \"kernels/empty.h\"\n"
                         "#line 2 \"kernels/c.cl\"\n\nend\n");
    /* A file with a guard comes once, unless a condition decides about it, or its guard is given up. */
    put("g.h", "/* g */\n#ifndef G_H\n#define G_H\ng\n#endif\n");
    put("h.cl", "#if A\n#include \"g.h\"\n#endif\n#include \"g.h\"\n#include \"g.h\"\n#undef "
                "G_H\n#include \"g.h\"\n");
#define G "#line 1 \"kernels/g.h\"\n/* g */\n#ifndef G_H\n#define G_H\ng\n#endif\n"
    check_source("h.cl",
                 "#line 1 \"kernels/h.cl\"\n#if A\n" G "#line 3 \"kernels/h.cl\"\n#endif\n" G
                 "#line 5 \"kernels/h.cl\"\n#line 6 \"kernels/h.cl\"\n#undef G_H\n" G
                 "#line 8 \"kernels/h.cl\"\n");
    put("i.h", "#ifndef I_H\n#define J_H\n#endif\n"); /* no guard */
    put("i.cl", "#include \"i.h\"\n#include \"i.h\"\n");
    check_source(
        "i.cl",
        "#line 1 \"kernels/i.cl\"\n#line 1 \"kernels/i.h\"\n#ifndef I_H\n#define J_H\n#endif\n"
        "#line 2 \"kernels/i.cl\"\n#line 1 \"kernels/i.h\"\n#ifndef I_H\n#define J_H\n#endif\n"
        "#line 3 \"kernels/i.cl\"\n");
    /* Lists of names; a guard in one is given up. */
    put("j.cl",
        "#include \"g.h\"\n#pragma undef G_H\tB\n#include \"g.h\"\n#pragma rename next_ a b\n"
        "#pragma unroll");
    check_source("j.cl",
                 "#line 1 \"kernels/j.cl\"\n" G "#line 2 \"kernels/j.cl\"\n"
                 "#undef G_H\n#undef B\n#line 3 \"kernels/j.cl\"\n" G "#line 4 \"kernels/j.cl\"\n"
                 "#undef a\n#define a next_a\n#undef b\n#define b next_b\n"
                 "#line 5 \"kernels/j.cl\"\n#pragma unroll\n");
    check_no_source("none.cl", "none.cl");
    put("d.cl", "\n\n#include \"gone.h\"\n");
    check_no_source("d.cl", "gone.h");
    check_no_source("d.cl", "kernels/d.cl:3");
    put("e.cl", "#include \"e.cl\"\n");
    check_no_source("e.cl", "too deep");
    put("f.cl", "#include \"../etc/passwd\"\n");
    check_no_source("f.cl", "passwd");
}

int main(void) {
    unsetenv("GPUFFT_KERNEL_DIR");
    gf_environment_read();
    RUN("every source is in the program and flat", test_embedded());
    scratch_enter();
    setenv("GPUFFT_KERNEL_DIR", ".", 1);
    gf_environment_read();
    RUN("sources of a folder are made flat", test_sources());
    setenv("GPUFFT_KERNEL_DIR", "/dev/null/nowhere", 1);
    gf_environment_read();
    RUN("a folder that is not there is named", check_no_source("a.cl", "GPUFFT_KERNEL_DIR"));
    scratch_leave();
    return TEST_END();
}
