/* A tile from load to store, with or without its packed column. */
#ifndef GF_KERNELS_CPU_TILE_H
#define GF_KERNELS_CPU_TILE_H

/* Stores a single line. Complex numbers of the kernels' precision only need their factor:
 * unpack_lane() has left no imaginary part if they are their own mirror image. */
static void store_line(const struct tile *t, cvec *x, struct gf_cpu_stats *stats) {
    const struct gf_cpu_end *e = &t->pass->destination;
    const int64_t n = t->pass->n;
    if (e->value != GF_CPU_COMPLEX || e->hermitian || sample_size[e->type] != 2 * sizeof(real)) {
        store_half(t, 0, x, n, stats);
        return;
    }
    char *base = outer_at(t, e, false) + axis_at(&e->lane, t->lane0);
    const real factor = (real)e->factor;
    for (int64_t k = 0; k < n; k++) {
        if (k + AHEAD < n)
            __builtin_prefetch(base + axis_at(&e->line, k + AHEAD), 1);
        real *to = (real *)(base + axis_at(&e->line, k));
        to[0] = x[k].re[0] * factor;
        to[1] = x[k].im[0] * factor;
    }
}

/* Processes the packed column's tile and the one at its mirror image on the outer axes. Called for
 * both; one of the calls does both. */
static void run_packed(const struct tile *tile, cvec *room, struct gf_cpu_stats *stats) {
    const struct gf_cpu_pass_args *p = tile->pass;
    const struct gf_cpu_end *e = &p->destination;
    const int64_t n = p->n, points = gf_cpu_scratch_points(p, LANES);
    struct tile t[2] = {*tile, *tile};
    int64_t order = 0, nearest = 0;
    for (int d = 0; d < 2; d++) {
        int64_t i = tile->outer[d], j = e->outer[d].mirrored && i ? p->n_outer[d] - i : i;
        t[1].outer[d] = j;
        order = order ? order : j - i;
        nearest = order && !nearest ? (i < j ? i : j) : nearest;
    }
    /* Pairs alternate in which call works, so that threads with equal shares have equal work. */
    if (order && (order > 0) != (nearest % 2))
        return;
    cvec *spare = room + 2 * points, *x[2], *nyquist[2] = {room + 3 * points, room + 4 * points};
    memset(nyquist[0], 0, (size_t)(2 * points) * sizeof(cvec));
    for (int g = 0; g < (order ? 2 : 1); g++) {
        cvec *a = room + g * points;
        load_work_columns(&t[g], a, 0, n, false);
        x[g] = line_run(p->line, a, spare);
        if (x[g] == spare)
            spare = a;
    }
    if (!order) {
        x[1] = x[0];
        nyquist[1] = nyquist[0];
    }
    unpack_lane(first_lane(x[0]), first_lane(x[1]), first_lane(nyquist[0]), first_lane(nyquist[1]),
                n);
    for (int g = 0; g < (order ? 2 : 1); g++) {
        store_half(&t[g], 0, x[g], n, stats);
        t[g].lane0 = p->n_lane;
        t[g].count[0] = 1;
        store_line(&t[g], nyquist[g], stats);
    }
}

static struct tile tile_of(const struct gf_cpu_pass_args *pass, int64_t tile, void *scratch) {
    int64_t lines = gf_cpu_tile_lines(pass, LANES);
    int64_t apart = pass->unpacks ? LANES : 0; /* lanes of the tile that unpacks, a row's first */
    int64_t per_row = (pass->n_lane - apart + lines - 1) / lines + pass->unpacks;
    struct tile t = {.pass = pass, .lane0 = tile % per_row * lines, .a = scratch};
    if (pass->unpacks && t.lane0)
        t.lane0 += LANES - lines;
    t.outer[1] = tile / per_row % pass->n_outer[1];
    t.outer[0] = tile / per_row / pass->n_outer[1];
    t.count[0] = clamp_lanes(pass->n_lane - t.lane0);
    t.count[1] = pass->form == GF_CPU_C2C ? 0 : clamp_lanes(pass->n_lane - t.lane0 - LANES);
    return t;
}

static void run_block(const struct tile *t, struct gf_cpu_stats *stats) {
    struct points from, to;
    const bool reads = reads_points(t, &from), writes = writes_points(t, &to);
    if (!t->lane0 && (t->pass->packs_within || (t->pass->unpacks_within && !writes))) {
        run_groups(t, 1, t->b, stats);
        return;
    }
    if (reads && writes && from.kind == POINTS_PAIRS && to.kind == POINTS_PAIRS && !t->pass->gain)
        from.kind = to.kind = POINTS_MIXED;
    if (!reads)
        load(t, stats);
    if (t->pass->twist)
        twist(t);
    cvec *x = transform(t, t->a, t->b, reads ? &from : NULL, writes ? &to : NULL);
    if (x)
        store(t, x, x == t->a ? t->b : t->a, stats);
    else if (t->pass->unpacks_within && !t->lane0)
        unpack_written(t);
}

/* Runs adjacent blocks as a group if an array's rows are read for the last time, or must be
 * assembled to bypass the caches; otherwise one by one, as the nearest cache holds no more. */
static void run_blocks(struct tile *t, int count, cvec *room, struct gf_cpu_stats *stats) {
    const struct gf_cpu_pass_args *p = t->pass;
    struct points to;
    if ((p->source.type != GF_CPU_WORK && p->destination.type == GF_CPU_WORK) ||
        (p->destination.stream && !writes_points(t + count - 1, &to))) {
        run_groups(t, count, room, stats);
        return;
    }
    for (int i = 0; i < count; i++) {
        t[i].a = t->a;
        t[i].b = t->a + gf_cpu_scratch_points(p, LANES);
        run_block(t + i, stats);
    }
}

static void run_tile(const struct gf_cpu_pass_args *pass, int64_t tile, void *scratch,
                     struct gf_cpu_stats *stats) {
    int64_t points = gf_cpu_scratch_points(pass, LANES);
    struct tile t[GF_CPU_MAX_GROUPS];
    t[0] = tile_of(pass, tile, scratch);
    if (pass->rows) {
        int64_t lines = gf_cpu_tile_lines(pass, LANES), left = pass->n_lane - t->lane0;
        t->count[0] = (int)(left < lines ? left : lines);
        t->count[1] = 0;
        run_rows(t);
    } else if (pass->unpacks && !t->lane0) {
        run_packed(t, t->a, stats);
    } else if (columns_are_short(t)) {
        run_short_columns(t);
    } else if (pass->groups > 1 || pass->unpacks_within || pass->packs_within) {
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
        run_blocks(t, groups, t->a + groups * points, stats);
    } else {
        t->b = t->a + points;
        run_block(t, stats);
    }
    if (pass->destination.stream)
        vec_stream_end();
}

#endif
