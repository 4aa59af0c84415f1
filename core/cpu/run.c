/* Runs a plan's passes: distributes tiles to threads, joins passes that share a plane or a team,
 * and collects their results. */
#include "core/cpu/plan.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "core/base/host/clock.h"
#include "core/base/value/status.h"

/* Starting a team takes longer than waking it, many times longer on a busy machine, and a plan's
 * first run mostly waits for fresh memory. */
int gf_cpu_team_for(const struct gf_job *job, bool first, int threads) {
    return gf_cpu_points(job) < (first ? 1 << 19 : GF_CPU_WORTH_A_TEAM) ? 1 : threads;
}

/* a filter's three passes */
enum { MOST_JOINED = 3 };

/* Tiles that a thread takes at a time: enough to amortise the hand-out, few enough that all threads
 * finish at about the same time. */
static int64_t tiles_at_once(const struct gf_cpu_pass *pass, int64_t tiles, int threads) {
    enum { WORTH_HANDING_OUT = 1 << 18, SHARES_A_THREAD = 16 };
    int64_t bytes = (pass->summary.bytes_read + pass->summary.bytes_written) / (tiles + 1) + 1;
    int64_t enough = WORTH_HANDING_OUT / bytes, most = tiles / ((int64_t)SHARES_A_THREAD * threads);
    return gf_max(gf_min(enough, most), 1);
}

/* A run whose caller may end it. */
struct watch {
    const struct gf_bound *bound;
    double last; /* by the clock in ms, when it was asked */
    atomic_bool over;
};

/* Passes that run plane by plane. */
struct joined {
    const struct gf_cpu_bound *b;
    const struct gf_cpu_pass *pass; /* the first */
    int count;
    int64_t tiles[MOST_JOINED]; /* per plane */
    int64_t chunks, at_once;    /* to hand out; number taken at a time */
    struct gf_feed *feed;       /* of the first pass, or NULL */
    struct watch *watch;        /* NULL: the run does not end early */
};

/* True once the caller wants the end, whom the first thread asks from time to time. */
static bool is_over(const struct joined *j, int thread, int64_t chunk) {
    enum { MS = 20 };
    struct watch *w = j->watch;
    if (!w)
        return false;
    const double now = thread ? 0 : gf_now_ms();
    if (!thread && now - w->last >= MS) {
        const double pass = (double)(j->pass - j->b->pass),
                     of_it = (double)chunk / (double)j->chunks;
        w->last = now;
        if (w->bound->tick(w->bound->user, (pass + j->count * of_it) / j->b->plan->n_passes))
            w->over = true;
    }
    return w->over;
}

/* Joined passes that one team runs in sequence. */
enum { MOST_TOGETHER = 4 };

static void produce(struct gf_feed *feed) {
    const double start = gf_now_ms();
    feed->complete = feed->produce(feed->user);
    feed->ms = gf_now_ms() - start;
}

/* Runs chunk c while the input is produced: tiles in the order of their first rows, regardless of
 * channel. */
static void run_fed(const struct joined *j, const struct gf_cpu_pass_args *args, int64_t c,
                    void *scratch, struct gf_cpu_stats *stats) {
    const struct gf_cpu_kernels *kernels = j->b->plan->kernels;
    int64_t lines = gf_cpu_tile_lines(args, kernels->lanes);
    int64_t planes = args->n_outer[0] * args->n_outer[1];
    int64_t a_plane = j->tiles[0] / planes, tile = c / planes, end = (tile + 1) * lines;
    if (j->feed->await(j->feed->user, gf_min(end, args->n_lane)))
        kernels->run(args, c % planes * a_plane + tile, scratch, stats);
}

/* Runs chunk c: a tile, or a plane's tiles pass after pass. */
static void run_chunk(const struct joined *j, const struct gf_cpu_pass_args *args, int64_t c,
                      void *scratch, struct gf_cpu_stats *stats) {
    if (j->feed) {
        run_fed(j, args, c, scratch, stats);
        return;
    }
    if (j->pass->range_sampled) {
        gf_cpu_sampling_tile(j->b, args, c, scratch, stats);
        return;
    }
    for (int i = 0; i < j->count; i++) {
        int64_t per_chunk = j->count > 1 ? j->tiles[i] : 1;
        for (int64_t t = 0; t < per_chunk; t++)
            j->b->plan->kernels->run(&args[i], c * per_chunk + t, scratch, stats);
    }
}

/* The arguments for a thread: a single pass's own or, for joined passes, copies in `room` that
 * point at the thread's plane. */
static const struct gf_cpu_pass_args *take_part(const struct joined *j, int thread,
                                                struct gf_cpu_pass_args room[MOST_JOINED]) {
    const struct gf_cpu_bound *b = j->b;
    if (j->count == 1)
        return &j->pass->args;
    for (int i = 0; i < j->count; i++) {
        room[i] = j->pass[i].args;
        if (i && j->pass[i].from_plane)
            room[i - 1].destination.data = room[i].source.data =
                b->plane_data + (size_t)thread * (size_t)b->plan->plane.bytes;
    }
    return room;
}

static char *scratch_of(const struct gf_cpu_bound *b, int thread) {
    return b->scratch + (size_t)thread * b->plan->scratch_bytes;
}

/* Starting and ending even a team of one takes nearly a microsecond. */
static void run_alone(const struct joined *j, struct gf_cpu_stats *total) {
    struct gf_cpu_pass_args room[MOST_JOINED];
    const struct gf_cpu_pass_args *args = take_part(j, 0, room);
    if (j->feed)
        produce(j->feed);
    for (int64_t c = 0; c < j->chunks && !is_over(j, 0, c); c++)
        run_chunk(j, args, c, scratch_of(j->b, 0), total);
}

/* Runs a thread's share of joined passes. */
static void run_share(const struct joined *j, struct gf_cpu_share *shares, int threads,
                      struct gf_cpu_stats *mine) {
    struct gf_cpu_pass_args room[MOST_JOINED];
    const int me = omp_get_thread_num();
    const struct gf_cpu_pass_args *args = take_part(j, me, room);
    char *scratch = scratch_of(j->b, me);
    if (j->feed) {
        if (me == 0)
            produce(j->feed); /* the others start meanwhile */
#pragma omp for schedule(dynamic) nowait
        for (int64_t c = 0; c < j->chunks; c++)
            run_chunk(j, args, c, scratch, mine);
        return;
    }
    for (int64_t c, end; gf_cpu_share_take(shares, threads, me, j->at_once, &c, &end);)
        for (; c < end && !is_over(j, me, c); c++)
            run_chunk(j, args, c, scratch, mine);
}

static void add_stats(const struct gf_cpu_stats *mine, struct gf_cpu_stats *total) {
    total->largest = fmax(total->largest, mine->largest);
    total->clipped += mine->clipped;
    total->energy += mine->energy;
    total->anti_energy += mine->anti_energy;
}

static void run_team(const struct joined *j, int n, int threads, struct gf_cpu_stats *total) {
    struct gf_cpu_share *shares = j->b->shares;
    for (int i = 0; i < n; i++)
        gf_cpu_share_out(shares + i * threads, threads, j[i].chunks);
#pragma omp parallel num_threads(threads)
    {
        struct gf_cpu_stats mine[MOST_TOGETHER] = {{0}};
        for (int i = 0; i < n; i++) {
            if (i) {
#pragma omp barrier
            }
            run_share(&j[i], shares + i * threads, threads, &mine[i]);
        }
#pragma omp critical(gf_cpu_stats)
        for (int i = 0; i < n; i++)
            add_stats(&mine[i], &total[i]);
    }
}

static int allocate(char **data, int64_t bytes, const char *what) {
    if (!*data && bytes && !(*data = gf_alloc((size_t)bytes)))
        return gf_fail(GF_ENOMEM, "no memory for %s of %lld bytes", what, (long long)bytes);
    return 0;
}

/* A spent input can be the workspace if its rows are contiguous and aligned for vector stores. */
static bool is_writable(const struct gf_array *in, const struct gf_array *out) {
    return gf_array_is_contiguous(in) && (uintptr_t)in->data % 64 == 0 && out->data != in->data;
}

/* Lays out workspace, sample, scratch and shares in the block at b->work_data: small ones share the
 * workspace's huge page. Returns the block's bytes; without b only counts them. */
static int64_t lay_out(const struct gf_cpu_plan *p, int threads, struct gf_cpu_bound *b) {
    const int64_t work = (p->work.bytes + 63) / 64 * 64;
    char *at = b ? b->work_data + work : NULL;
    const int64_t sample = p->sampling ? gf_cpu_sampling_place(p, at, b ? &b->sampled : NULL) : 0;
    const int64_t shares = work + sample + (int64_t)p->scratch_bytes * threads;
    if (b) {
        b->scratch = at + sample;
        b->shares = (struct gf_cpu_share *)(void *)(b->work_data + shares);
    }
    return shares + MOST_TOGETHER * threads * (int64_t)sizeof *b->shares;
}

int64_t gf_cpu_bound_bytes(const struct gf_cpu_plan *p, int threads) {
    return lay_out(p, threads, NULL) + p->plane.bytes * threads;
}

static int allocate_all(struct gf_cpu_bound *b, const struct gf_array *in,
                        const struct gf_array *out) {
    const struct gf_cpu_plan *p = b->plan;
    int rc = 0;
    if (!b->scratch && !(rc = allocate(&b->work_data, lay_out(p, b->threads, NULL), "a workspace")))
        lay_out(p, b->threads, b);
    if (!rc && p->work.band && !is_writable(in, out))
        rc = allocate(&b->banded, p->work.row_bytes * p->extent[p->pass[0].lane], "a workspace");
    return rc ? rc : allocate(&b->plane_data, p->plane.bytes * b->threads, "planes");
}

/* Display ranges of the outputs during a run. */
struct ranges {
    double of[GF_MAX_OUTPUTS][2];
    bool read; /* the workspace's sample has been read */
};

/* Computes the output's range from the sample: bins from a few of the pass's lines or, once for all
 * outputs, from the workspace. */
static void sample_range(const struct gf_cpu_bound *b, const struct gf_cpu_pass *pass, int threads,
                         struct ranges *r) {
    int o = pass->output;
    if (pass->range_sampled)
        gf_cpu_sampling_lines(b, pass, threads);
    else if (!r->read)
        gf_cpu_sampling_read(b);
    r->read = true;
    gf_range_find(&b->plan->job, o, &b->sampled.bins, r->of[o]);
}

/* Binds a pass to the run's arrays and to its display range as far as it is known. */
static void bind(const struct gf_cpu_bound *b, struct gf_cpu_pass *pass, const struct gf_array *in,
                 struct gf_array *out, int threads, struct ranges *r) {
    const struct gf_cpu_plan *p = b->plan;
    int o = pass->output;
    gf_cpu_pass_bind(b, pass, in, out);
    if (o >= 0 && pass->range_from_zero)
        r->of[o][1] = gf_cpu_zero_frequency(b, pass, &p->job.out[o]);
    if (o >= 0 && gf_output_samples(&p->job, o))
        sample_range(b, pass, threads, r);
    if (o >= 0 && !pass->args.destination.discard)
        gf_cpu_pass_display(p, pass, r->of[o]);
}

/* True if a display range depends on the data. */
static bool finds_ranges(const struct gf_cpu_plan *p) {
    bool finds = gf_job_samples(&p->job);
    for (int i = 0; i < p->n_passes; i++)
        finds |= p->pass[i].range_from_zero || p->pass[i].args.destination.discard;
    return finds;
}

/* Records the results of a pass that searched the range of output `o`, or wrote it. */
static void note(const struct gf_job *job, int o, bool searched, const struct gf_cpu_stats *found,
                 struct ranges *r, struct gf_report *report) {
    if (found->energy > 0 || found->anti_energy > 0)
        gf_report_energy(found->energy, found->anti_energy, report);
    if (o < 0)
        return;
    if (searched) {
        r->of[o][1] = found->largest;
        return;
    }
    report->clipped[o] = job->out[o].map == GF_MAP_NUMBER ? found->clipped : 0;
    gf_report_range(job, o, r->of[o][0], r->of[o][1], report);
}

/* Writes the seconds of joined passes in the order of summarise(); the first gets the time of
 * all. */
static double *note_seconds(const struct gf_cpu_plan *p, const struct gf_cpu_pass *pass, int count,
                            double took, double *to) {
    for (int k = 0; k < count && !pass->is_column; k++) {
        if (pass[k].output >= 0 && gf_output_samples(&p->job, pass[k].output))
            *to++ = NAN;
        *to++ = k ? NAN : took;
    }
    return to;
}

/* Binds joined passes starting at `first`. Several run plane by plane, so that the next finds its
 * data in cache; a single one runs tile by tile. */
static struct joined prepare(struct gf_cpu_bound *b, const struct gf_cpu_run *run, int first,
                             int threads, bool past_caches, struct ranges *r) {
    struct gf_cpu_pass *pass = &b->pass[first];
    struct joined j = {.b = b, .pass = pass, .count = 1, .feed = first ? NULL : run->feed};
    while (pass[j.count - 1].with_next)
        j.count++;
    for (int k = 0; k < j.count; k++) {
        if (!b->is_bound)
            bind(b, pass + k, run->in, run->out, threads, r);
        pass[k].args.destination.stream = pass[k].stream || (past_caches && pass[k].may_stream);
    }
    const int64_t planes = j.count > 1 ? pass->args.n_outer[0] * pass->args.n_outer[1] : 1;
    for (int i = 0; i < j.count; i++)
        j.tiles[i] = gf_cpu_tiles(b->plan->kernels, &pass[i].args) / planes;
    j.chunks = j.count > 1 ? planes : j.tiles[0];
    j.at_once = j.count > 1 ? 1 : tiles_at_once(pass, j.chunks, threads);
    return j;
}

static void note_energy(struct gf_cpu_bound *b, const struct gf_array *in) {
    const struct gf_range_energy e = gf_range_energy(&b->plan->job, in);
    b->sampled.bins.rms = gf_range_rms(&b->plan->job, &e);
}

/* Call allocate_all() first. GF_ECANCELED. */
static int run_all(struct gf_cpu_bound *b, const struct gf_cpu_run *run, int threads,
                   bool past_caches) {
    const struct gf_cpu_plan *p = b->plan;
    const struct gf_job *job = &p->job;
    double *seconds = run->seconds;
    struct ranges r = {.read = false};
    const bool watches = b->asks && b->asks->tick;
    struct watch watch = {.bound = b->asks, .last = watches ? gf_now_ms() : 0};
    const int most = b->is_bound && !run->feed && !seconds && threads > 1 ? MOST_TOGETHER : 1;
    gf_job_given_ranges(job, r.of);
    if (!b->is_bound && !run->feed)
        note_energy(b, run->in);
    for (int i = 0; i < p->n_passes;) {
        struct joined j[MOST_TOGETHER];
        struct gf_cpu_stats found[MOST_TOGETHER] = {{0}};
        const double start = seconds ? gf_now_ms() : 0;
        const int first = i;
        int n = 0;
        for (; n < most && i < p->n_passes; i += j[n++].count) {
            j[n] = prepare(b, run, i, threads, past_caches, &r);
            j[n].watch = watches ? &watch : NULL;
        }
        if (threads == 1)
            run_alone(j, found);
        else
            run_team(j, n, threads, found);
        if (watch.over)
            return gf_fail(GF_ECANCELED, "canceled by the caller");
        if (seconds)
            seconds = note_seconds(p, j->pass, j->count, (gf_now_ms() - start) * 1e-3, seconds);
        if (run->feed && !first)
            note_energy(b, run->in);
        for (int k = 0; k < n; k++)
            note(job, j[k].pass[j[k].count - 1].output, j[k].pass->args.destination.discard,
                 &found[k], &r, run->report);
    }
    b->is_bound = b->is_bound || !finds_ranges(p); /* binding takes longer than a short transform */
    return 0;
}

int gf_cpu_bound_make(const struct gf_cpu_plan *p, int threads, struct gf_cpu_bound **out) {
    const size_t passes = (size_t)p->n_passes * sizeof *p->pass;
    struct gf_cpu_bound *b = calloc(1, sizeof *b + passes);
    if (!b)
        return gf_no_memory();
    b->plan = p;
    b->threads = threads;
    b->ways = p->ways;
    memcpy(b->pass, p->pass, passes);
    *out = b;
    return 0;
}

void gf_cpu_bound_free(struct gf_cpu_bound *b) {
    if (!b)
        return;
    gf_free(b->work_data);
    gf_free(b->plane_data);
    gf_free(b->banded);
    free(b);
}

int gf_cpu_run(struct gf_cpu_bound *b, const struct gf_cpu_run *run) {
    const bool first = !b->scratch;
    int rc = allocate_all(b, run->in, run->out);
    if (rc)
        return rc;
    *run->report = (struct gf_report){0};
    if (first || run->feed || run->seconds || !b->ways.n)
        return run_all(b, run, gf_cpu_team_for(&b->plan->job, first, b->threads), false);
    const unsigned way = gf_cpu_ways_begin(&b->ways);
    rc = run_all(b, run, way & GF_CPU_TEAM ? b->threads : 1, way & GF_CPU_PAST_CACHES);
    if (!rc)
        gf_cpu_ways_end(&b->ways);
    return rc;
}
