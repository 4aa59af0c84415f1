/* A tile from load to store. */
#ifndef GF_KERNELS_CPU_TILE_H
#define GF_KERNELS_CPU_TILE_H

static int clamp_lanes(long n) {
    return n < 0 ? 0 : n > LANES ? LANES : (int)n;
}

/* Complex lines across the workspace's blocks, several blocks side by side: rows are read and
 * written for all of them before the next row, so that memory sees runs of groups * LANES numbers.
 */
static void run_groups(struct tile *t, int groups, cvec *spare, struct gf_cpu_stats *stats) {
    enum { ROWS = 8 };
    const struct gf_cpu_pass *p = t->pass;
    cvec *x[GF_CPU_MAX_GROUPS];
    for (long k = 0; k < p->n; k += ROWS)
        for (int g = 0; g < groups; g++)
            load_work_columns(&t[g], t[g].a, k, k + ROWS < p->n ? k + ROWS : p->n, p->inverse);
    for (int g = 0; g < groups; g++) {
        x[g] = p->line ? line_run(p->line, t[g].a, spare) : t[g].a;
        if (x[g] == spare)
            spare = t[g].a;
    }
    struct columns columns[GF_CPU_MAX_GROUPS];
    bool work = p->destination.type == GF_CPU_WORK;
    for (int g = 0; g < groups && !work; g++) {
        columns[g] = (struct columns){0};
        columns_begin(&t[g], 0, &columns[g]);
    }
    for (long k = 0; k < p->n; k += ROWS)
        for (int g = 0; g < groups; g++) {
            long end = k + ROWS < p->n ? k + ROWS : p->n;
            if (work)
                store_work_columns(&t[g], x[g], k, end, p->inverse);
            else
                columns_store(&t[g], 0, &columns[g], x[g], k, end, p->n);
        }
    for (int g = 0; g < groups && !work; g++)
        mapping_report(&columns[g].m, stats);
}

static void run_tile(const struct gf_cpu_pass *pass, long tile, void *scratch,
                     struct gf_cpu_stats *stats) {
    long lines = gf_cpu_tile_lines(pass, LANES), points = gf_cpu_scratch_points(pass, LANES);
    long per_row = (pass->n_lane + lines - 1) / lines;
    struct tile t[GF_CPU_MAX_GROUPS] = {{.pass = pass, .lane0 = tile % per_row * lines}};
    t->outer[1] = tile / per_row % pass->n_outer[1];
    t->outer[0] = tile / per_row / pass->n_outer[1];
    t->count[0] = clamp_lanes(pass->n_lane - t->lane0);
    t->count[1] = pass->form == GF_CPU_C2C ? 0 : clamp_lanes(pass->n_lane - t->lane0 - LANES);
    t->a = scratch;
    if (pass->groups > 1) {
        int groups = 1;
        for (; groups < pass->groups; groups++) {
            struct tile *next = t + groups;
            *next = *t;
            next->lane0 += groups * LANES;
            next->count[0] = clamp_lanes(pass->n_lane - next->lane0);
            next->a += groups * points;
            if (!next->count[0])
                break;
        }
        run_groups(t, groups, t->a + pass->groups * points, stats);
    } else {
        t->b = t->a + points;
        load(t, stats);
        if (pass->twist)
            twist(t);
        cvec *x = pass->line ? line_run(pass->line, t->a, t->b) : t->a;
        store(t, x, x == t->a ? t->b : t->a, stats);
    }
    if (pass->destination.stream)
        vec_stream_end();
}

#endif
