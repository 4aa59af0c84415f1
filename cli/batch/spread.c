/* One volume, several processes: the checks before the work, the output's file, the report. */
#include "cli/batch/spread.h"

#include <limits.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/backend_options.h"
#include "cli/log.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/mpi/volume.h"
#include "core/session/backends.h"
#include "formats/io_keeper.h"
#include "formats/volume.h"

/* All CPUs that a process may use, unless the launcher lets each of a machine's use all. */
static int threads_of(const struct gf_settings *s, const struct gf_launcher *launcher) {
    cpu_set_t set;
    const int most = omp_get_max_threads(), share = launcher->local_size;
    if (s->threads)
        return s->threads;
    bool all = !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) == most &&
               most == sysconf(_SC_NPROCESSORS_ONLN);
    return !all || share < 2 ? most : most / share > 1 ? most / share : 1;
}

/* What the options and the files' types alone make impossible. */
static int check(const struct gf_task *t) {
    const struct gf_product *p = &t->product[0];
    const struct gf_write_options options = gf_settings_write_options(t->s);
    int rc = gf_spread_check(&t->job);
    const char *why = rc ? NULL : gf_volume_refuses(p->path, p->format, &options);
    if (why)
        return gf_fail(GF_EUNSUPP, "%s", why);
    if (!rc && (p->where->has_page || p->alpha_plane))
        rc = gf_fail(GF_EUNSUPP, "several processes write one .npy, .raw or .tif file");
    if (!rc && t->has_alpha)
        rc = gf_fail(GF_EUNSUPP, "several processes share a volume without alpha");
    if (!rc && t->s->nan == GF_NAN_MEAN)
        rc = gf_fail(GF_EUNSUPP, "--nan=mean: no process has all samples; --nan=zero does");
    return rc;
}

/* Numbers that have to be the same for all processes, lest they mix what they make: who has this file
 * under that name, and which job its header asks for. */
static int compare_inputs(const struct gf_task *t, struct gf_ranks *ranks, const char *backend) {
    enum { N = 15 + GF_MAX_RANK };
    const struct gf_job *j = &t->job;
    struct stat st = {0};
    int different = 0;
    int rc = stat(t->read[0], &st) ? gf_fail_errno(GF_EIO, NULL) : 0;
    int64_t *all = malloc((size_t)ranks->size * N * sizeof *all);
    int64_t own[N] = {
        st.st_size,      st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
        t->skipped,      j->in_dtype,       j->axes,
        j->norm,         j->precision,      j->in_half,
        j->in_shift,     j->real,           j->channels,
        j->out[0].dtype, j->out[0].half,    (int64_t)gf_hash_text(GF_HASH_START, backend)};
    for (int i = 0; i < j->ndim; i++)
        own[15 + i] = j->shape[i];
    rc = gf_ranks_agree(ranks, all ? rc : gf_fail(GF_ENOMEM, "out of memory"));
    if (!rc)
        rc = gf_ranks_gather(ranks, own, sizeof own, all);
    for (int i = 1; i < ranks->size && !rc && !different; i++)
        different = memcmp(all, all + i * N, sizeof own) ? i : 0;
    free(all);
    if (!different)
        return rc;
    ranks->speaker = 0;
    return gf_fail(GF_EINVAL,
                   "rank %d finds another file by this name, or an output that is up to date for "
                   "one alone",
                   different);
}

/* Each process adds up a share of the input, which its record has the sum of. */
static int check_sum(const struct gf_task *t, struct gf_ranks *ranks) {
    struct share {
        uint32_t crc;
        int64_t bytes;
    } own, *all;
    int64_t bytes = 0;
    uint32_t crc = 0, sum = 0;
    const struct gf_file *file = t->reader.file[0];
    if (!gf_file_recorded_sum(file, &bytes, &crc)) /* as the others find it */
        return 0;
    int64_t begin = bytes / ranks->size * ranks->rank;
    int64_t end = ranks->rank == ranks->size - 1 ? bytes : begin + bytes / ranks->size;
    memset(&own, 0, sizeof own);
    own.bytes = end - begin;
    all = malloc((size_t)ranks->size * sizeof *all);
    int rc = all ? gf_file_sum(file, begin, end, &own.crc) : gf_fail(GF_ENOMEM, "out of memory");
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_ranks_gather(ranks, &own, sizeof own, all);
    for (int i = 0; i < ranks->size && !rc; i++)
        sum = gf_sum_join(sum, all[i].crc, all[i].bytes);
    free(all);
    ranks->speaker = 0;
    return !rc && sum != crc
               ? gf_fail(GF_EFORMAT, "its record (.json beside it) is another file's: "
                                     "the checksums differ")
               : rc;
}

/* Where the output's samples are, as the first process knows it. The caller frees frame->at. */
static int share_frame(struct gf_ranks *ranks, const struct gf_volume *volume,
                       struct gf_frame *frame) {
    const int64_t *strips = frame->at;
    int64_t n = ranks->rank == 0 ? gf_volume_strips(volume) : 0;
    frame->at = NULL;
    int rc = gf_ranks_share(ranks, frame, sizeof *frame, 0);
    if (!rc)
        rc = gf_ranks_share(ranks, &n, sizeof n, 0);
    if (rc || !n)
        return rc;
    frame->at = malloc((size_t)n * sizeof *frame->at);
    rc = gf_ranks_agree(ranks, frame->at ? 0 : gf_fail(GF_ENOMEM, "out of memory"));
    if (!rc && ranks->rank == 0)
        memcpy(frame->at, strips, (size_t)n * sizeof *frame->at);
    return rc ? rc : gf_ranks_share(ranks, frame->at, n * (int64_t)sizeof *frame->at, 0);
}

/* The first process makes the file; all learn where its temporary is. */
static int create(const struct gf_task *t, struct gf_ranks *ranks, struct gf_volume **volume,
                  char path[PATH_MAX], struct gf_frame *frame) {
    const struct gf_product *p = &t->product[0];
    const struct gf_write_options options = gf_settings_write_options(t->s);
    struct gf_image image = p->image;
    const char *temporary;
    int rc = 0;
    if (ranks->rank == 0) {
        if (p->has_record)
            rc = gf_record_format(&p->record, &image.record);
        if (!rc)
            rc = gf_volume_create(p->path, p->format, &image, &options, t->s->clobber, volume);
        free(image.record);
        if (!rc)
            rc = gf_volume_lend(*volume, &temporary, frame);
        char *whole = rc ? NULL : realpath(temporary, NULL);
        if (!rc && (!whole || strlen(whole) >= PATH_MAX))
            rc = gf_fail(GF_EIO, "cannot find the temporary");
        if (!rc)
            strcpy(path, whole);
        free(whole);
    }
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = gf_ranks_share(ranks, path, PATH_MAX, 0);
    return rc ? rc : share_frame(ranks, *volume, frame);
}

static int name_nonfinite(const struct gf_task *t, const struct gf_spread *s) {
    int64_t at[4], rest = s->first_nonfinite;
    for (int i = 3; i >= 0; i--) {
        at[i] = rest % t->image.px.shape[i];
        rest /= t->image.px.shape[i];
    }
    char channel[32] = "";
    if (t->image.px.shape[3] > 1)
        snprintf(channel, sizeof channel, ", %lld", (long long)at[3]);
    return gf_fail(GF_EINVAL,
                   "%lld sample%s NaN or Inf, the first at [%lld, %lld, %lld%s]; see --nan=zero",
                   (long long)s->nonfinite, s->nonfinite == 1 ? " is" : "s are", (long long)at[0],
                   (long long)at[1], (long long)at[2], channel);
}

static int commit(const struct gf_spread *s, struct gf_ranks *ranks, struct gf_volume **volume) {
    int rc = 0;
    if (ranks->rank == 0) {
        rc = gf_volume_written(*volume, s->crc32);
        if (!rc) {
            rc = gf_volume_commit(*volume);
            *volume = NULL;
        }
    }
    return gf_ranks_agree(ranks, rc);
}

static struct gf_spread_file file_of(const char *path, const struct gf_frame *frame) {
    return (struct gf_spread_file){
        .path = path, .at = frame->base, .strip = frame->at, .strip_rows = frame->rows};
}

/* The job is there, and possible. */
static int run(struct gf_task *t, struct gf_ranks *ranks, struct gf_spread *s, int64_t limit) {
    const struct gf_shares shares = gf_spread_shares(&t->job, -1, 1);
    const struct gf_grid grid = s->grid.down ? s->grid : gf_grid_choose(&shares, ranks->size);
    struct gf_volume *volume = NULL;
    struct gf_frame in = {.at = NULL}, out = {.at = NULL};
    struct gf_raw_layout layout;
    char path[PATH_MAX] = "";
    int rc = gf_file_layout(t->reader.file[0], &layout, &in);
    if (!rc)
        rc = gf_memory_check(gf_spread_bytes(&t->job, &grid), limit);
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = check_sum(t, ranks);
    if (!rc)
        rc = create(t, ranks, &volume, path, &out);
    if (rc)
        goto out;
    s->in = file_of(t->read[0], &in);
    s->swap = gf_samples_are_swapped(&layout) ? gf_samples_swap : NULL;
    s->out = file_of(path, &out);
    rc = gf_spread_run(s);
    if (rc == GF_EINVAL && s->nonfinite)
        name_nonfinite(t, s);
    if (rc)
        goto out;
    t->report = s->report;
    t->overflowed[0] = s->overflowed;
    gf_log_mute(ranks->rank != 0);
    rc = t->hooks->check ? t->hooks->check(t) : 0; /* the same everywhere */
    if (!rc)
        rc = commit(s, ranks, &volume);
out:
    free(in.at);
    free(out.at);
    gf_volume_abort(volume);
    return rc;
}

/* A process's own device, unless one is named: the next one for each process of a machine. */
static const char *device_of(const struct gf_settings *s, const struct gf_backend *b,
                             const struct gf_launcher *launcher, char text[16]) {
    struct gf_gpu_props props[GF_GPU_MAX_DEVICES];
    const char *asked = gf_backend_options_of(s).device;
    const int n = b->list && !asked ? gf_backend_devices(b, props) : 0;
    snprintf(text, 16, "%d", n > 0 ? launcher->local_rank % n : 0);
    return n > 0 ? text : asked;
}

int gf_spread_task(struct gf_task *t, struct gf_ranks *ranks, const struct gf_launcher *launcher) {
    const struct gf_session *session = t->runner->session;
    const struct gf_backend *b = gf_session_staging(session);
    struct gf_backend_options options = {.threads = threads_of(t->s, launcher)};
    struct gf_spread s = {.ranks = ranks,
                          .backend = b,
                          .grid = {t->s->grid.down, t->s->grid.across},
                          .zero_nonfinite = t->s->nan == GF_NAN_ZERO};
    char device[16];
    const int64_t share = launcher->local_size > 1 ? launcher->local_size : 1;
    const int64_t limit = t->s->max_memory ? t->s->max_memory : gf_memory_available() / share;
    const char *why = t->hooks->refuses_ranks ? t->hooks->refuses_ranks(t->s) : NULL;
    int rc = why ? gf_fail(GF_EUNSUPP, "several processes share a volume: %s", why)
             : b ? gf_task_outline(t)
                 : gf_fail(GF_EUNABLE, "the backend does not share a volume among processes; "
                                       "--backend=openmp does");
    /* Machines may know different things of how the output was made. */
    const int shared = gf_ranks_share(ranks, &t->skipped, sizeof t->skipped, 0);
    rc = rc ? rc : shared;
    if (!rc && !t->skipped && !t->prepared)
        rc = access(t->read[0], R_OK) ? gf_fail_errno(GF_EIO, NULL)
                                      : gf_fail(GF_EUNSUPP, "a pipe, which one process can read");
    if (!rc && !t->skipped)
        rc = check(t);
    if (!rc) {
        options.device = device_of(t->s, b, launcher, device);
        rc = gf_backend_open(b, &options, &s.context);
    }
    if (!rc && b->devices)
        gf_log_verbose("rank %d: %s device %s", ranks->rank, b->name,
                       options.device ? options.device : "0");
    rc = gf_ranks_agree(ranks, rc);
    if (!rc)
        rc = compare_inputs(t, ranks, b->name);
    if (!rc && !t->skipped) {
        s.job = t->job;
        s.job.spend_input = s.job.lean = false;
        t->ranks = ranks->size;
        t->backend = b->name;
        rc = run(t, ranks, &s, limit);
        t->ms_decode = s.ms_read;
        t->ms_transform = s.ms_transform;
        t->ms_encode = s.ms_write;
    }
    if (s.context)
        b->close(s.context);
    gf_keeper_stop();
    return rc;
}
