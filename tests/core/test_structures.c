/* filter --auto-notch on made pictures: regular structures stay as they are, bit for bit, and interference
 * goes, over shapes and over structures. The program is $GPUFFT, ./gpufft without it.
 *
 *     build/test_structures         a sample
 *     build/test_structures long    416 pictures of structures, and 144 with interference
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/core/regular_structures.h"
#include "tests/test.h"

enum { SIDE = 800, MANY_THINGS = 416, MANY_WAVES = 144, NAME = 128 };

static char folder[] = "/tmp/gpufft-structures-XXXXXX";

static void path_of(char *path, const char *part, int i) {
    snprintf(path, NAME, "%s/%s/%04d.pnm", folder, part, i);
}

static void save(struct gf_made_picture *p, const char *part, int i) {
    char path[NAME];
    path_of(path, part, i);
    CHECK_MSG(gf_made_save(p, path), "%s cannot be written", path);
}

/* All pictures of in/ to out/. */
static void filter(void) {
    const char *program = getenv("GPUFFT");
    char line[512];
    snprintf(line, sizeof line, "%s filter %s/in --auto-notch --quiet --out='%s/out/{stem}.pnm'",
             program ? program : "./gpufft", folder, folder);
    CHECK(system(line) == 0);
}

/* Compares the output of picture i with the picture `part`/i. */
static double psnr(const char *part, int i) {
    struct gf_made_picture a, b;
    char path[NAME];
    path_of(path, part, i);
    bool fine = gf_made_load(path, &a);
    path_of(path, "out", i);
    fine = gf_made_load(path, &b) && fine;
    double db = fine ? gf_made_psnr(&a, &b) : 0;
    gf_made_free(&a);
    gf_made_free(&b);
    return db;
}

static void clear(void) {
    static const char *const part[] = {"clean", "in", "out"};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < MANY_THINGS; i++) {
            char path[NAME];
            path_of(path, part[k], i);
            unlink(path);
        }
}

/* ---- structures ---- */

static void check_things(const int *number, int n) {
    char line[NAME];
    for (int i = 0; i < n; i++) {
        struct gf_made_picture p;
        CHECK(gf_made_thing(number ? number[i] : i, SIDE, &p));
        save(&p, "in", i);
        gf_made_free(&p);
    }
    filter();
    for (int i = 0; i < n; i++) {
        int k = number ? number[i] : i;
        snprintf(line, sizeof line, "picture %d, %s", k, gf_made_kind(k));
        CHECK_MSG(psnr("in", i) == 99, "%s: %.1f dB of it are left", line, psnr("in", i));
    }
    clear();
}

/* ---- interference ---- */

/* Every third picture is of a structure. */
static bool make_base(int i, struct gf_made_picture *p) {
    return i % 3 == 2 ? gf_made_thing(32 * i + 9 + i % 11, SIDE / 2, p)
                      : gf_made_shapes(i, 400 + i % 7 * 30, 350 + i % 5 * 30, p);
}

/* How many of n are better by `least` dB; none may be worse. */
static int count_better(int n, double least) {
    int better = 0;
    for (int i = 0; i < n; i++) {
        struct gf_made_picture p;
        CHECK(make_base(i, &p));
        save(&p, "clean", i);
        gf_made_interfere(i, &p);
        save(&p, "in", i);
        gf_made_free(&p);
    }
    filter();
    for (int i = 0; i < n; i++) {
        struct gf_made_picture a, b;
        char path[NAME];
        path_of(path, "clean", i);
        bool fine = gf_made_load(path, &a);
        path_of(path, "in", i);
        fine = gf_made_load(path, &b) && fine;
        double before = fine ? gf_made_psnr(&a, &b) : 99, after = psnr("clean", i);
        gf_made_free(&a);
        gf_made_free(&b);
        CHECK_MSG(after > before - 0.2, "interference %d: %.1f dB, %.1f before", i, after, before);
        better += after >= before + least;
        if (getenv("SHOW"))
            printf("%d: %.1f dB, %.1f before\n", i, after, before);
    }
    clear();
    return better;
}

static void test_waves(bool all) {
    const int n = all ? MANY_WAVES : 12, better = count_better(n, 6);
    CHECK_MSG(better >= (all ? 96 : 8), "%d of %d are better by 6 dB", better, n);
}

int main(int argc, char **argv) {
    /* One of each kind, all changed where edges and light are not looked at; and walls. */
    static const int sample[] = {9,   27,  40,  49,  62,  110, 148, 173, 186, 191, 211,
                                 225, 231, 245, 246, 249, 252, 290, 299, 320, 324, 358,
                                 364, 370, 389, 400, 407, 408, 64,  288, 192, 160};
    const bool all = argc > 1 && !strcmp(argv[1], "long");
    char path[NAME];
    NEED(mkdtemp(folder));
    for (const char *const *part = (const char *const[]){"clean", "in", "out", NULL}; *part;
         part++) {
        snprintf(path, sizeof path, "%s/%s", folder, *part);
        NEED(!mkdir(path, 0700));
    }
    RUN("pictures of regular structures stay as they are", if (all) check_things(NULL, MANY_THINGS);
        else check_things(sample, (int)(sizeof sample / sizeof *sample)));
    RUN("a chessboard with waves as pure as interference, and structures that look printed, stay",
        check_things((const int[]){784, 875, 957, 965, 1160}, 5));
    if (all)
        RUN("graph paper with weak lines stays", check_things((const int[]){655}, 1));
    RUN("interference over shapes and structures is removed", test_waves(all));
    for (const char *const *part = (const char *const[]){"clean", "in", "out", "", NULL}; *part;
         part++) {
        snprintf(path, sizeof path, "%s/%s", folder, *part);
        rmdir(path);
    }
    return TEST_END();
}
