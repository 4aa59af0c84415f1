/* Messages between threads, and lengths whose radices are many. */
#include <string.h>

#include "core/base/value/factor.h"
#include "core/base/value/status.h"
#include "tests/test.h"

/* The first failure of several threads comes back with its message, whichever thread had it. */
static void test_failure(void) {
    for (int which = 0; which < 8; which++) {
        struct gf_failure failed = {0};
        gf_fail(GF_EIO, "of before");
#pragma omp parallel for num_threads(8) schedule(static, 1)
        for (int i = 0; i < 8; i++)
            gf_failure_keep(&failed, i == which ? gf_fail(GF_EFORMAT, "number %d", i) : 0);
        char expected[32];
        snprintf(expected, sizeof expected, "number %d", which);
        CHECK_EQ(gf_failure_return(&failed), GF_EFORMAT);
        CHECK(!strcmp(gf_message(), expected));
    }
    struct gf_failure none = {0};
    gf_failure_keep(&none, 0);
    CHECK_EQ(gf_failure_return(&none), 0);
    struct gf_failure two = {0};
    gf_failure_keep(&two, gf_fail(GF_ENOMEM, "the first"));
    gf_failure_keep(&two, gf_fail(GF_EIO, "the second"));
    CHECK_EQ(gf_failure_return(&two), GF_ENOMEM);
    CHECK(!strcmp(gf_message(), "the first"));
}

/* The product of radices and rest is the length, of the longest as well. */
static void test_radices(void) {
    const int64_t base[] = {2, 3, 5, 6, 31};
    for (size_t i = 0; i < sizeof base / sizeof *base; i++)
        for (int64_t n = base[i]; n > 0 && n < INT64_MAX / base[i]; n *= base[i]) {
            const struct gf_radices r = gf_factor_radices(n);
            int64_t product = r.rest;
            CHECK(r.n <= GF_MAX_STAGES);
            for (int k = 0; k < r.n; k++)
                product *= r.radix[k];
            CHECK_EQ(product, n);
            CHECK(r.rest == 1 || n > 800000000000);
        }
}

int main(void) {
    RUN("the first failure of several threads comes back with its message", test_failure());
    RUN("the product of radices and rest is the length", test_radices());
    return TEST_END();
}
