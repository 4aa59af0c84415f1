/* The whole test framework: named cases of checks, counted; the last line is 'N passed, N failed'.
 *
 *     int main(void) {
 *         RUN("a strip that ends early is refused", test_strip());
 *         for (int i = 0; i < N; i++)
 *             RUN(case_name("%s goes there and back", rows[i].name), test_row(&rows[i]));
 *         return TEST_END();
 *     }
 */
#ifndef GF_TESTS_TEST_H
#define GF_TESTS_TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_passed, test_failed;
__attribute__((unused)) static int test_known, test_cases;
__attribute__((unused)) static struct {
    char name[256];            /* "PROGRAM: what holds" */
    int passed, failed, known; /* as the case began */
    int in_cases, failed_in_cases;
} test_case;

/* Runs the call as a case of this name, which says what holds. TEST_ONLY=TEXT in the environment selects the
 * cases whose 'PROGRAM: NAME' contains TEXT; PROGRAM is the main file's name without test_. */
#define RUN(name, ...) \
    do { \
        if (case_begin(__BASE_FILE__, name)) { \
            __VA_ARGS__; \
            case_end(); \
        } \
    } while (0)

__attribute__((unused)) static void case_call(const char *file, const char *name) {
    const char *slash = strrchr(file, '/');
    file = slash ? slash + 1 : file;
    file += strncmp(file, "test_", 5) ? 0 : 5;
    snprintf(test_case.name, sizeof test_case.name, "%.*s: %s", (int)strcspn(file, "."), file,
             name);
}

__attribute__((unused)) static bool case_begin(const char *file, const char *name) {
    const char *only = getenv("TEST_ONLY");
    case_call(file, name);
    if (only && !strstr(test_case.name, only))
        return false;
    test_case.passed = test_passed;
    test_case.failed = test_failed;
    test_case.known = test_known;
    test_cases++;
    fflush(stdout); /* before the case forks */
    return true;
}

__attribute__((unused)) static void case_end(void) {
    const int passed = test_passed - test_case.passed, failed = test_failed - test_case.failed,
              known = test_known - test_case.known;
    test_case.in_cases += passed + failed;
    test_case.failed_in_cases += failed;
    printf("%sok %d - %s%s\n", failed ? "not " : "", test_cases, test_case.name,
           passed || failed || known ? "" : " # SKIP no check ran");
    fflush(stdout);
}

/* A case's name with a row's values in it; valid until the next call. */
__attribute__((unused, format(printf, 1, 2))) static const char *case_name(const char *format,
                                                                           ...) {
    static char text[sizeof test_case.name];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return text;
}

/* Whether the i-th of a list is among those that this run takes, which are one in `of`: SEED=N in the environment
 * (1) chooses them, so that the seeds 1 to `of` take all. LONG=1 takes all at once. */
__attribute__((unused)) static bool case_takes(long long i, int of) {
    static bool printed;
    const char *text = getenv("SEED");
    const long long seed = text ? atoll(text) : 1;
    if (getenv("LONG"))
        return true;
    if (!printed)
        printf("SEED=%lld chooses a sample; LONG=1 takes all\n", seed);
    printed = true;
    return (i + 1 - seed) % of == 0;
}

/* One check; a failed one prints where and what, and the program continues. */
#define CHECK(condition) CHECK_MSG(condition, "%s", #condition)

/* The same with a message of one's own: CHECK_MSG(a == b, "n=%d", n). */
#define CHECK_MSG(condition, ...) \
    do { \
        if (condition) { \
            test_passed++; \
        } else { \
            test_failed++; \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
        } \
    } while (0)

/* An integer that should equal another one; prints both when it does not. */
#define CHECK_EQ(got, expected) \
    do { \
        long long got_ = (long long)(got), expected_ = (long long)(expected); \
        CHECK_MSG(got_ == expected_, "%s == %s: expected %lld, got %lld", #got, #expected, \
                  expected_, got_); \
    } while (0)

/* The same with texts. */
#define CHECK_STR(got, expected) \
    do { \
        const char *got_ = (got), *expected_ = (expected); \
        CHECK_MSG(got_ && !strcmp(got_, expected_), "%s: expected '%s', got '%s'", #got, \
                  expected_, got_ ? got_ : "(null)"); \
    } while (0)

/* A text that should contain another one. */
#define CHECK_HAS(got, part) \
    do { \
        const char *got_ = (got), *part_ = (part); \
        CHECK_MSG(got_ &&strstr(got_, part_), "%s: expected '%s' in '%s'", #got, part_, \
                  got_ ? got_ : "(null)"); \
    } while (0)

/* A defect that is still there: counted apart, and a failure once the condition holds. */
#define CHECK_KNOWN_TO_FAIL(condition, ...) \
    do { \
        if (condition) { \
            test_failed++; \
            fprintf(stderr, "%s:%d: passes, though listed as known to fail: ", __FILE__, \
                    __LINE__); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
        } else { \
            test_known++; \
        } \
    } while (0)

/* Adds checks that were counted elsewhere. */
#define TEST_ADD(passed, failed) (test_passed += (passed), test_failed += (failed))

/* In main(): states a need of the cases, such as a folder. Without it the program ends with a failure. */
#define NEED(condition) \
    do { \
        if (!(condition)) { \
            CHECK_MSG(false, "needed: %s", #condition); \
            exit(TEST_END()); \
        } \
    } while (0)

/* The last line of a test program's main(): return TEST_END(); */
#define TEST_END() case_last(__BASE_FILE__)

__attribute__((unused)) static int case_last(const char *file) {
    if (test_passed + test_failed > test_case.in_cases) {
        case_call(file, "checks outside a case");
        printf("%sok %d - %s\n", test_failed > test_case.failed_in_cases ? "not " : "",
               ++test_cases, test_case.name);
    }
    if (test_known)
        printf("%d known to fail\n", test_known);
    printf("%d passed, %d failed\n", test_passed, test_failed);
    return test_failed != 0;
}

#endif
