/* A tile from load to store. */
#ifndef GF_KERNELS_CPU_TILE_H
#define GF_KERNELS_CPU_TILE_H

static int clamp_lanes(long n) {
    return n < 0 ? 0 : n > LANES ? LANES : (int)n;
}

static void run_tile(const struct gf_cpu_pass *pass, long tile, void *scratch,
                     struct gf_cpu_stats *stats) {
    long lines = pass->form == GF_CPU_C2C ? LANES : 2 * LANES;
    long per_row = (pass->n_lane + lines - 1) / lines;
    struct tile t = {.pass = pass, .lane0 = tile % per_row * lines};
    t.outer[1] = tile / per_row % pass->n_outer[1];
    t.outer[0] = tile / per_row / pass->n_outer[1];
    t.count[0] = clamp_lanes(pass->n_lane - t.lane0);
    t.count[1] = pass->form == GF_CPU_C2C ? 0 : clamp_lanes(pass->n_lane - t.lane0 - LANES);

    t.a = scratch;
    t.b = t.a + gf_cpu_scratch_points(pass, LANES);
    load(&t, stats);
    cvec *x = pass->line ? line_run(pass->line, t.a, t.b) : t.a;
    store(&t, x, x == t.a ? t.b : t.a, stats);
    if (pass->destination.stream)
        vec_stream_end();
}

#endif
