/* Shares one input between processes: divides the machine, checks that all have the same input. */
#include "cli/batch/spread.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/batch/pages.h"
#include "cli/batch/shared_output.h"
#include "cli/batch/slabs.h"
#include "core/base/value/hash.h"
#include "core/base/host/memory.h"
#include "formats/io/keeper.h"

/* ---- settings ---- */

/* All CPUs that the process may use; an equal share if the launcher bound none. */
static int threads_of(const struct gf_settings *s, const struct gf_launcher *launcher) {
    cpu_set_t set;
    const int most = omp_get_max_threads(), share = launcher->local_size;
    if (s->threads)
        return s->threads;
    bool all = !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) == most &&
               most == sysconf(_SC_NPROCESSORS_ONLN);
    return !all || share < 2 ? most : most / share > 1 ? most / share : 1;
}

int gf_spread_settings(struct gf_settings *s, const struct gf_launcher *launcher) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    struct gf_request_device *d = s->request.device;
    const int share = launcher->local_size > 1 ? launcher->local_size : 1;
    s->threads = threads_of(s, launcher);
    s->max_memory = s->max_memory ? s->max_memory : gf_memory_available() / share;
    if (!s->backend || !strcmp(s->backend, "auto"))
        s->backend = gf_backend_openmp.name;
    int rc = gf_settings_request(s);
    const bool chooses = !rc && !gf_backend_options_of(s).device && !s->request.list;
    const int n = chooses ? gf_backend_devices(gf_environment(), d->backend, props) : 0;
    if (n > 0)
        snprintf(d->device, sizeof d->device, "%d", launcher->local_rank % n);
    return rc;
}

/* ---- checks ---- */

/* Compares what all processes must have in common: the input file, and the job from its header. */
static int compare_inputs(const struct gf_task *t, struct gf_ranks *ranks) {
    enum { N = 15 + GF_MAX_RANK };
    const struct gf_job *j = &t->op.job;
    struct stat st = {0};
    int different = 0;
    int rc = gf_path_stat(t->read[0], &st) ? gf_fail_errno(GF_EIO, NULL) : 0;
    int64_t *all = malloc((size_t)ranks->size * N * sizeof *all);
    int64_t own[N] = {
        st.st_size,      st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
        t->state,        j->in_dtype,       j->axes,
        j->norm,         j->precision,      j->in_half,
        j->in_shift,     j->real,           j->channels,
        j->out[0].dtype, j->out[0].half,    (int64_t)gf_hash_text(GF_HASH_START, t->s->backend)};
    for (int i = 0; i < j->ndim; i++)
        own[15 + i] = j->shape[i];
    rc = gf_ranks_agree(ranks, all ? rc : gf_no_memory());
    if (!rc)
        rc = gf_ranks_gather(ranks, own, sizeof own, all);
    for (int i = 1; i < ranks->size && !rc && !different; i++)
        different = memcmp(all, all + i * N, sizeof own) ? i : 0;
    free(all);
    if (!different)
        return rc;
    ranks->speaker = 0;
    return gf_fail(GF_EINVAL,
                   "rank %d sees a different file, or only some ranks consider the output current",
                   different);
}

/* All processes sum the input, if it has a record, and come to the same sum. */
static int sum_input(void *user, const struct gf_chain *data, int64_t bytes, uint32_t *crc) {
    struct gf_ranks *ranks = user;
    int rc = gf_shared_sum(ranks, data, 0, bytes, crc);
    ranks->speaker = rc ? ranks->speaker : 0;
    return rc;
}

/* ---- the task ---- */

static int look(struct gf_task *t, struct gf_ranks *ranks) {
    struct stat st;
    int rc = gf_task_is_at_hand(t) ? gf_task_advance(t, GF_TASK_DESCRIBED) : 0;
    /* Rank 0 decides: machines may have different notes of how outputs were made. */
    bool skipped = t->state == GF_TASK_SKIPPED;
    const int shared = gf_ranks_share(ranks, &skipped, sizeof skipped, 0);
    rc = rc ? rc : shared;
    if (skipped)
        t->state = GF_TASK_SKIPPED;
    else if (t->state == GF_TASK_SKIPPED)
        t->state = GF_TASK_DESCRIBED;
    if (rc || skipped)
        return rc;
    if (t->state == GF_TASK_NAMED)
        return gf_path_stat(t->read[0], &st)
                   ? gf_fail_errno(GF_EIO, NULL)
                   : gf_fail(GF_EUNSUPP, "a pipe, which one process can read");
    const char *why = t->hooks->stream     ? NULL
                      : gf_task_at_once(t) ? gf_task_refuses_outputs(t, false)
                                           : gf_slabs_refuses(t);
    return why ? gf_fail(GF_EUNSUPP, "not by several processes: %s", why) : 0;
}

static int run_pages(struct gf_task *t) {
    int rc = gf_ranks_agree(t->ranks, gf_task_advance(t, GF_TASK_READY));
    return rc ? rc : gf_pages_run(t);
}

int gf_spread_task(struct gf_task *t, struct gf_ranks *ranks) {
    t->ranks = ranks;
    int rc = gf_ranks_agree(ranks, look(t, ranks));
    if (!rc)
        rc = compare_inputs(t, ranks);
    if (!rc && t->state == GF_TASK_DESCRIBED)
        rc = gf_file_check_by(t->reader.file[0], sum_input, ranks);
    if (!rc && t->state == GF_TASK_DESCRIBED)
        rc = t->hooks->stream     ? t->hooks->stream(t)
             : gf_task_at_once(t) ? run_pages(t)
                                  : gf_slabs_run(t);
    if (rc || !gf_series_goes_on(t)) /* it removes what is not renamed */
        gf_keeper_stop();
    return rc;
}
