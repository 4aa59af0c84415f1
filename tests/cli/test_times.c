/* Medians of a row's times, and which rows are measured again. */
#include "cli/bench/times.c" /* tests are linked without cli/ */
#include "tests/test.h"

static void test_medians(void) {
    double odd[] = {5, 1, 3}, even[] = {4, 1, 2, 8}, ten[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    struct gf_times t = gf_times_of(odd, 3);
    CHECK(t.runs == 3 && t.median == 3 && t.least == 1 && t.p90 == 5);
    t = gf_times_of(even, 4);
    CHECK(t.median == 3 && t.least == 1 && t.p90 == 8);
    t = gf_times_of(ten, 10);
    CHECK(t.median == 5.5 && t.least == 1 && t.p90 == 9);
    t = gf_times_of(ten, 0);
    CHECK(!t.runs && !gf_times_are_noisy(&t));
}

static void test_noise(void) {
    const struct gf_times quiet = {5, 2, 1, 9}, noisy = {5, 2.1, 1, 2.2}, steady = {5, 3, 2.9, 3};
    CHECK(!gf_times_are_noisy(&quiet));
    CHECK(gf_times_are_noisy(&noisy));
    CHECK(gf_times_quieter(&noisy, &quiet) == &quiet);
    CHECK(gf_times_quieter(&quiet, &noisy) == &quiet);
    CHECK(gf_times_quieter(&quiet, &steady) == &steady);
    CHECK(gf_times_quieter(&quiet, &quiet) == &quiet);
}

static void test_trend(void) {
    const struct gf_trend none = {0}, row = {3, 1 << 20, 10e9};
    struct gf_trend next = row;
    next.points *= 2;
    CHECK(!gf_trend_breaks(&none, &row));
    next.rate = row.rate / 3.9;
    CHECK(!gf_trend_breaks(&row, &next));
    next.rate = row.rate / 4.1;
    CHECK(gf_trend_breaks(&row, &next));
    CHECK(!gf_trend_breaks(&next, &row));
    next.points = row.points / 16;
    CHECK(gf_trend_breaks(&row, &next));
    next.points = row.points * 17;
    CHECK(!gf_trend_breaks(&row, &next));
    next.points = row.points / 17;
    CHECK(!gf_trend_breaks(&row, &next));
    next.points = row.points;
    next.axes = 1;
    CHECK(!gf_trend_breaks(&row, &next));
}

int main(void) {
    RUN("a row is off the trend if its rate jumps and its size does not", test_trend());
    RUN("medians, least times and 90th percentiles are those of sorted times", test_medians());
    RUN("a row with scattered times is noisy, and the quieter of two rows is kept", test_noise());
    return TEST_END();
}
