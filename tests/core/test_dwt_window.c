/* Windows of planes (core/wavelet/window.h), beside what each step and each pair needs by the definition. */
#include "core/wavelet/window.h"
#include "tests/test.h"

enum { MOST = 48, NONE = -1 };

static enum wavelet wavelet;

static struct gf_job job_of(int64_t n, int levels, enum gf_boundary b) {
    return (struct gf_job){.op = GF_DWT,
                           .direction = GF_FORWARD,
                           .ndim = 3,
                           .shape = {n, 8, 8},
                           .channels = 1,
                           .axes = 7,
                           .wavelet = {.name = wavelet, .levels = levels, .boundary = b}};
}

/* The planes of step k: 2 k - s .. 2 k - s + taps - 1 of the line, which is continued as its boundary has it. */
static void planes_of(int64_t k, int64_t n, int taps, enum gf_boundary b, int64_t plane[]) {
    for (int j = 0; j < taps; j++) {
        int64_t i = 2 * k - (b == GF_PERIODIC ? taps / 2 - 1 : taps - 2) + j;
        while (b == GF_PERIODIC && i < 0)
            i += n + n % 2; /* an odd line has its last sample twice */
        while (b == GF_PERIODIC && i >= n + n % 2)
            i -= n + n % 2;
        if (b == GF_PERIODIC && i == n)
            i = n - 1;
        while (b == GF_SYMMETRIC && (i < 0 || i >= n))
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        plane[j] = i < 0 || i >= n ? NONE : i;
    }
}

/* Plane after plane: a step is ready when the last of its planes has come, and not before; each of them is
 * then still in its slot; and every step is taken once. */
static void check_steps(const struct gf_dwt_window *w) {
    int64_t slot[GF_DWT_SLOTS], done = 0;
    bool here[MOST] = {false}, taken[MOST] = {false};
    for (int i = 0; i < GF_DWT_SLOTS; i++)
        slot[i] = NONE;
    for (int64_t came = 1; came <= w->planes; came++) {
        const int64_t next = (came - 1 + w->first) % w->planes;
        here[next] = true;
        slot[gf_dwt_window_slot(w, next)] = next;
        const int64_t ready = gf_dwt_window_ready(w, came);
        for (; done < w->steps; done++) {
            const int64_t k = gf_dwt_window_step(w, done);
            int64_t plane[GF_DWT_MOST_TAPS];
            bool all = true;
            planes_of(k, w->planes, w->taps, w->boundary, plane);
            for (int j = 0; j < w->taps; j++) {
                CHECK_EQ(gf_dwt_window_plane(w, k, j), plane[j]);
                all = all && (plane[j] == NONE || here[plane[j]]);
            }
            /* Steps around a line's end may wait for its last plane. */
            CHECK_MSG(all || done >= ready, "step %d of %d planes, boundary %d", (int)k,
                      (int)w->planes, w->boundary);
            CHECK_MSG(!all || done < ready || w->taps != 4,
                      "step %d of %d planes, boundary %d waits", (int)k, (int)w->planes,
                      w->boundary);
            if (done >= ready)
                break;
            for (int j = 0; j < w->taps; j++)
                CHECK(plane[j] == NONE || slot[gf_dwt_window_slot(w, plane[j])] == plane[j]);
            CHECK(!taken[k]);
            taken[k] = true;
        }
    }
    CHECK_EQ(done, w->steps);
    int used = 0;
    for (int i = 0; i < GF_DWT_SLOTS; i++)
        used += slot[i] != NONE;
    CHECK(gf_dwt_window_slots(w) >= used && (w->taps != 4 || gf_dwt_window_slots(w) == used));
}

/* Chunks have every step once, in order, and each the planes of its own: those of a line's end are the chunk's
 * where it ends there too. */
static void check_chunks(const struct gf_dwt_window *w, int64_t each) {
    const int64_t n = gf_dwt_window_chunks(w, each), periodic = w->boundary == GF_PERIODIC;
    int64_t next = periodic ? w->whole : 0;
    for (int64_t i = 0; i < n; i++) {
        struct gf_dwt_chunk c;
        gf_dwt_window_chunk(w, each, i, &c);
        CHECK_EQ(c.step, next);
        CHECK(c.end - c.step <= each + w->taps - 2 && c.plane % 2 == 0);
        CHECK(!periodic || c.extent % 2 == 0);
        for (int64_t k = c.step; k < c.end; k++)
            for (int j = 0; j < w->taps; j++) {
                const int64_t line = 2 * k - w->offset + j, at = line - c.plane;
                const bool inside = at >= 0 && at < c.planes;
                const bool begins = line < 0 && !i, ends = line >= w->planes && i == n - 1;
                CHECK_MSG(inside || (!periodic && (begins || ends)),
                          "step %d of chunk %d, %d planes, boundary %d", (int)k, (int)i,
                          (int)w->planes, w->boundary);
            }
        const struct gf_job alone = job_of(c.extent, 1, w->boundary);
        struct gf_dwt_window own;
        gf_dwt_window(&alone, 1, &own);
        CHECK_EQ(c.bands, own.steps);
        CHECK(c.planes <= 2 * (c.end - c.step) + w->taps - 1);
        if (!periodic)
            CHECK(c.plane + c.extent <= w->planes &&
                  (i < n - 1 || c.plane + c.extent == w->planes));
        next = c.end;
    }
    CHECK_EQ(next, w->steps + (periodic ? w->whole : 0));
}

/* Parts have every step of every level once, and have read all that these need. */
static void check_parts(const struct gf_job *job, int n) {
    for (int l = 1; l <= job->wavelet.levels; l++) {
        struct gf_dwt_window all;
        int owners[MOST * 8] = {0};
        gf_dwt_window(job, l, &all);
        for (int i = 0; i < n; i++) {
            struct gf_dwt_part part;
            struct gf_dwt_window w;
            gf_dwt_part(job, n, i, &part);
            gf_dwt_window(&part.job, l, &w);
            int64_t beside = 0;
            for (int64_t k = 0; k < part.job.shape[0]; k++) {
                const int64_t plane = gf_dwt_part_plane(&part, k);
                bool own = false;
                for (int s = 0; s < 2; s++)
                    own |=
                        plane >= part.own[s].first && plane < part.own[s].first + part.own[s].count;
                beside += !own;
            }
            CHECK_EQ(gf_dwt_part_beside(&part), beside);
            for (int64_t k = 0; k < w.steps; k++) {
                int64_t step = k;
                if (gf_dwt_part_step(&part, l, &step))
                    owners[step]++;
            }
        }
        for (int64_t k = 0; k < all.steps; k++)
            CHECK_MSG(owners[k] == 1, "step %d of level %d has %d parts of %d", (int)k, l,
                      owners[k], n);
    }
}

/* A plane is in the pair that is said to make it; and the pairs of a coarser level have the band planes
 * of these pairs, but for the first ones at a periodic line's end. */
static void check_pairs(const struct gf_job *job, int level) {
    const int shared = gf_dwt_taps(&job->wavelet) / 2 - 1;
    const int wrapped = job->wavelet.boundary == GF_PERIODIC ? shared : 0;
    struct gf_dwt_window w, coarser;
    gf_dwt_window(job, level, &w);
    gf_dwt_window(job, level + 1, &coarser);
    for (int64_t j = 0; j < w.planes; j++) {
        const int64_t k = gf_dwt_window_pair(&w, j), first = 2 * k + wrapped;
        CHECK(k >= 0 && k < gf_dwt_window_pairs(&w));
        int64_t at = j;
        while (at < wrapped)
            at += 2 * w.steps; /* a periodic line goes on */
        CHECK(at == first || at == first + 1);
    }
    CHECK_EQ(coarser.planes, w.steps);
    const int64_t pairs = gf_dwt_window_pairs(&w);
    for (int64_t from = 0; from < pairs; from += 3)
        for (int64_t end = from + 1; end <= pairs; end += 2) {
            const struct gf_span s =
                gf_dwt_window_coarser(&coarser, (struct gf_span){from, end - from});
            for (int64_t k = from; k < end + shared; k++) {
                const int64_t band = k % w.steps, pair = gf_dwt_window_pair(&coarser, band);
                CHECK(band < wrapped || (pair >= s.first && pair < s.first + s.count));
            }
            CHECK(s.count <= (end + shared - from) / 2 + 2);
        }
}

static void test_boundary(enum gf_boundary b) {
    for (int64_t n = 1; n <= MOST; n++)
        for (int level = 1; level <= 3; level++) {
            const struct gf_job job = job_of(n, level, b);
            struct gf_dwt_window w;
            gf_dwt_window(&job, level, &w);
            check_steps(&w);
            for (int64_t each = 1; each <= w.steps && each < 9; each++)
                check_chunks(&w, each);
            if (n >= w.taps / 2) {
                const struct gf_job deeper = job_of(n, level + 1, b);
                check_pairs(&deeper, level);
            }
        }
}

static void test_parts(enum gf_boundary b) {
    for (int64_t n = 64; n <= 8 * MOST; n += 13) {
        const struct gf_job job = job_of(n, n < 150 ? 1 : 2, b);
        check_parts(&job, gf_dwt_parts(&job, 2 + (int)(n % 4)));
    }
}

int main(void) {
    for (int b = GF_PERIODIC; b <= GF_ZERO; b++)
        for (int i = 0; i < N_WAVELETS; i++) {
            const char *name = gf_boundary_name((enum gf_boundary)b);
            const int taps = gf_dwt_taps(&(struct gf_wavelet){.name = (enum wavelet)i});
            wavelet = (enum wavelet)i;
            RUN(case_name("%s windows of %d taps have the planes of each step", name, taps),
                test_boundary((enum gf_boundary)b));
            RUN(case_name("%s parts of %d taps have every step once", name, taps),
                test_parts((enum gf_boundary)b));
        }
    return TEST_END();
}
