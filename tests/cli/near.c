/* Whether an .npy file is as near to an exact result as another one. Not linked to the program.
 *
 *     near EXACT ONE OTHER [TIMES]
 *     near within TOLERANCE EXACT OTHER
 *
 * prints the relative L2 errors of ONE and OTHER, and succeeds if OTHER's is at most TIMES (2) that of ONE or the step
 * of its type at 1, as most of an error may be the rounding of one number; or at most TOLERANCE, which of nothing but
 * zeros or a few samples says nothing and fails.
 * For integers EXACT is not read: ONE and OTHER differ by at most one step, in one sample of a hundred. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct numbers {
    char *file;   /* all of it; freed at exit */
    char type[4]; /* u1, f4, c8 and so on */
    const char *data, *shape;
    size_t n, size;
};

static void fail(const char *name, const char *why) {
    fprintf(stderr, "near: %s: %s\n", name, why);
    exit(2);
}

static char *read_all(const char *name, size_t *bytes) {
    FILE *f = fopen(name, "rb");
    char *all = NULL;
    size_t room = 0, got;
    *bytes = 0;
    if (!f)
        fail(name, "cannot be opened");
    do {
        room = 2 * room + 4096;
        all = realloc(all, room);
        if (!all)
            fail(name, "out of memory");
        got = fread(all + *bytes, 1, room - *bytes, f);
        *bytes += got;
    } while (*bytes == room);
    fclose(f);
    return all;
}

/* Little-endian files of version 1, as the program writes them. */
static struct numbers numbers_of(const char *name) {
    struct numbers a = {.n = 0};
    size_t bytes;
    a.file = read_all(name, &bytes);
    if (bytes < 10 || memcmp(a.file, "\x93NUMPY\x01", 7))
        fail(name, "no .npy file of version 1");
    const size_t header = 10 + (size_t)((unsigned char)a.file[8] | (unsigned char)a.file[9] << 8);
    const char *descr = header < bytes ? strstr(a.file + 10, "'descr': '") : NULL;
    if (!descr)
        fail(name, "no type");
    snprintf(a.type, sizeof a.type, "%.3s", descr + 11);
    a.type[strcspn(a.type, "'")] = 0;
    a.size = (size_t)atoi(a.type + 1);
    if (!a.size || (bytes - header) % a.size)
        fail(name, "a part of a sample");
    a.shape = strstr(descr, "'shape'");
    char *end = a.shape ? strchr(a.shape, ')') : NULL;
    if (!end)
        fail(name, "no shape");
    *end = 0;
    a.data = a.file + header;
    a.n = (bytes - header) / a.size;
    return a;
}

static double complex number_at(const struct numbers *a, size_t i) {
    const char *at = a->data + i * a->size;
    const bool wide = a->size == (a->type[0] == 'c' ? 16 : 8);
    double d[2] = {0};
    float f[2] = {0};
    if (a->type[0] != 'f' && a->type[0] != 'c')
        fail(a->type, "not a type of floats");
    if (wide)
        memcpy(d, at, a->size);
    else
        memcpy(f, at, a->size);
    return wide ? d[0] + I * d[1] : f[0] + I * f[1];
}

static double error_of(const struct numbers *exact, const struct numbers *a) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < exact->n; i++) {
        const double complex e = number_at(exact, i), d = number_at(a, i) - e;
        sum += creal(d) * creal(d) + cimag(d) * cimag(d);
        all += creal(e) * creal(e) + cimag(e) * cimag(e);
    }
    return all > 0 ? sqrt(sum / all) : sqrt(sum);
}

static bool is_integer(const struct numbers *a) {
    return a->type[0] == 'u' || a->type[0] == 'i';
}

static int step_at(const struct numbers *a, size_t i) {
    const unsigned char *p = (const unsigned char *)a->data + i * a->size;
    if (a->size > 2)
        fail(a->type, "integers of more than 16 bits");
    return a->size == 2 ? p[0] | p[1] << 8 : p[0];
}

static bool steps_agree(const struct numbers *one, const struct numbers *other) {
    size_t differ = 0;
    int most = 0;
    for (size_t i = 0; i < one->n; i++) {
        const int d = abs(step_at(one, i) - step_at(other, i));
        differ += d > 0;
        most = d > most ? d : most;
    }
    printf("%zu of %zu samples differ, by %d at most\n", differ, one->n, most);
    return most <= 1 && 100 * differ <= one->n;
}

static void check_same(const struct numbers *a, const struct numbers *b, const char *name) {
    if (a->n != b->n || strcmp(a->type, b->type) || strcmp(a->shape, b->shape))
        fail(name, "another shape or type");
}

static bool is_within(double tolerance, const char *exact_name, const char *name) {
    enum { LEAST = 21 };
    const struct numbers exact = numbers_of(exact_name), a = numbers_of(name);
    double all = 0;
    check_same(&exact, &a, name);
    for (size_t i = 0; i < exact.n; i++)
        all += cabs(number_at(&exact, i));
    const double e = error_of(&exact, &a);
    printf("error %.3g of %zu samples\n", e, exact.n);
    return exact.n >= LEAST && all > 0 && e <= tolerance;
}

int main(int argc, char **argv) {
    if (argc < 4)
        fail("usage", "near EXACT ONE OTHER [TIMES]; near within TOLERANCE EXACT OTHER");
    if (argc == 5 && !strcmp(argv[1], "within"))
        return !is_within(atof(argv[2]), argv[3], argv[4]);
    const double times = argc > 4 ? atof(argv[4]) : 2;
    const struct numbers one = numbers_of(argv[2]), other = numbers_of(argv[3]);
    check_same(&one, &other, argv[3]);
    if (is_integer(&one))
        return !steps_agree(&one, &other);
    const struct numbers exact = numbers_of(argv[1]);
    if (exact.n != one.n || strcmp(exact.shape, one.shape))
        fail(argv[1], "another shape");
    const double e = error_of(&exact, &one), o = error_of(&exact, &other);
    printf("error %.3g, of the one in memory %.3g: %.2f times\n", o, e, o / e);
    return !(o <= fmax(times * e, e > FLT_EPSILON * 1e-3 ? FLT_EPSILON : DBL_EPSILON));
}
