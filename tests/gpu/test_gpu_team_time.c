/* The expected times of one device and of several, computed by hand. */
#include <math.h>

#include "core/gpu/team.h"
#include "tests/test.h"

/* By hand: 8 GB there, 16 back, 12 between; passes like copying 100. */
static void test_times(void) {
    const struct gf_gpu_load load = {
        .in = 8e9, .out = 16e9, .exchange = 12e9, .passes = 100e9, .walks = 2};
    struct gf_gpu_load whole = load;
    const struct gf_device_rates rates = {
        .copy = 1e12, .bus = {40e9, 20e9}, .link = 10e9, .open = 0.25};
    whole.fits = true;
    struct gf_plan_times t = gf_gpu_team_predict(&whole, 2, 1, &rates, &rates);
    CHECK_EQ(t.devices, 2);
    CHECK(!t.bus_assumed && !t.link_assumed);
    CHECK(fabs(t.one - (8 / 40. + 0.1 + 16 / 20.)) < 1e-12);
    /* The first walk sends half of each half, 3 GB; the second one copies 8 GB back. */
    CHECK(fabs(t.several - (0.3 + 0.4 + 0.25)) < 1e-12);
    CHECK(fabs(gf_gpu_team_predict(&load, 2, 0, &rates, &rates).one - (12 / 20. + 16 / 20.)) <
          1e-12);
    CHECK(fabs(gf_gpu_team_predict(&load, 4, 0, &rates, &rates).several - (0.225 + 0.2)) < 1e-12);
    const struct gf_device_rates slower = {
        .copy = 1e12, .bus = {20e9, 10e9}, .link = 5e9, .open = 0.25};
    t = gf_gpu_team_predict(&whole, 2, 0, &rates, &slower);
    CHECK(fabs(t.one - (8 / 40. + 0.1 + 16 / 20.)) < 1e-12);
    CHECK(fabs(t.several - (0.6 + 0.8)) < 1e-12);
    CHECK(t.rates.link == 5e9);
    struct gf_device_rates by_host = rates; /* its threads limit the way back, of all devices */
    by_host.locked[0] = by_host.locked[1] = 45e9;
    t = gf_gpu_team_predict(&whole, 2, 0, &by_host, &by_host);
    CHECK(fabs(t.several - (0.3 + 0.8)) < 1e-12);
    CHECK(fabs(gf_gpu_team_predict(&load, 8, 0, &by_host, &by_host).several - (0.13125 + 0.8)) <
          1e-12);
    const struct gf_device_rates none = {.copy = 0};
    t = gf_gpu_team_predict(&load, 2, 1, &none, &none);
    CHECK(t.bus_assumed && t.link_assumed && t.rates.link > 0 && t.rates.link == t.rates.bus[0]);
    CHECK(t.several > t.rates.open);
}

int main(void) {
    RUN("times of one device and of several are those computed by hand", test_times());
    return TEST_END();
}
