/* The reference backend: the generic load step, one FFTW plan, the generic store step.
 *
 * FFTW is found at run time; the few declarations needed are these, from its documented interface.
 * Its planner keeps global state and is not thread safe, hence the lock around all of it. */
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/backend.h"
#include "core/dl.h"
#include "core/status.h"
#include "core/steps.h"

struct iodim {
    ptrdiff_t n, in_stride, out_stride;
};

enum { FORWARD_SIGN = -1, INVERSE_SIGN = 1 };
enum { MEASURE = 0, DESTROY_INPUT = 1, PATIENT = 1 << 5, ESTIMATE = 1 << 6 };

/* float and double differ in the prefix of the names only. */
struct fftw {
    void *(*plan_dft)(int rank, const struct iodim *dims, int batch_rank, const struct iodim *batch,
                      void *in, void *out, int sign, unsigned flags);
    void *(*plan_r2c)(int rank, const struct iodim *dims, int batch_rank, const struct iodim *batch,
                      void *in, void *out, unsigned flags);
    void *(*plan_c2r)(int rank, const struct iodim *dims, int batch_rank, const struct iodim *batch,
                      void *in, void *out, unsigned flags);
    void (*run_dft)(const void *plan, void *in, void *out);
    void (*run_r2c)(const void *plan, void *in, void *out);
    void (*run_c2r)(const void *plan, void *in, void *out);
    void (*destroy)(void *plan);
    int (*import_wisdom)(const char *path);
    int (*export_wisdom)(const char *path);
    const char *version;
    int (*init_threads)(void);
    void (*plan_with_nthreads)(int threads);
};

#define SYMBOL(prefix, field, name)                                                                \
    { prefix name, offsetof(struct fftw, field) }
#define SYMBOLS(prefix)                                                                            \
    SYMBOL(prefix, plan_dft, "plan_guru64_dft"), SYMBOL(prefix, plan_r2c, "plan_guru64_dft_r2c"),  \
        SYMBOL(prefix, plan_c2r, "plan_guru64_dft_c2r"), SYMBOL(prefix, run_dft, "execute_dft"),   \
        SYMBOL(prefix, run_r2c, "execute_dft_r2c"), SYMBOL(prefix, run_c2r, "execute_dft_c2r"),    \
        SYMBOL(prefix, destroy, "destroy_plan"),                                                   \
        SYMBOL(prefix, import_wisdom, "import_wisdom_from_filename"),                              \
        SYMBOL(prefix, export_wisdom, "export_wisdom_to_filename"),                                \
        SYMBOL(prefix, version, "version")
#define THREAD_SYMBOLS(prefix)                                                                     \
    SYMBOL(prefix, init_threads, "init_threads"),                                                  \
        SYMBOL(prefix, plan_with_nthreads, "plan_with_nthreads")

static const struct {
    const char *soname[2], *threads_soname[3], *wisdom;
    struct gf_dl_symbol symbol[11], threads_symbol[3];
} library[2] = {
    [GF_SINGLE] = {{"libfftw3f.so.3"},
                   {"libfftw3f_omp.so.3", "libfftw3f_threads.so.3"},
                   "fftw-single.wisdom",
                   {SYMBOLS("fftwf_")},
                   {THREAD_SYMBOLS("fftwf_")}},
    [GF_DOUBLE] = {{"libfftw3.so.3"},
                   {"libfftw3_omp.so.3", "libfftw3_threads.so.3"},
                   "fftw-double.wisdom",
                   {SYMBOLS("fftw_")},
                   {THREAD_SYMBOLS("fftw_")}},
};

/* Loaded once and kept: a library with threads of its own must not be unloaded. */
static struct {
    bool tried, present, wisdom_read;
    char reason[GF_REASON];
    struct fftw f;
} loaded[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char remedy[] = "apt install libfftw3-single3 libfftw3-double3";

/* The lock is held. */
static void load_library(enum gf_precision p) {
    void *handle = NULL, *threads = NULL;
    struct fftw *f = &loaded[p].f;
    if (loaded[p].tried)
        return;
    loaded[p].tried = true;
    if (gf_dl_open(library[p].soname, library[p].symbol, f, &handle)) {
        snprintf(loaded[p].reason, GF_REASON, "%s; %s", gf_message(), remedy);
        return;
    }
    loaded[p].present = true;
    if (gf_dl_open(library[p].threads_soname, library[p].threads_symbol, f, &threads) ||
        !f->init_threads())
        f->plan_with_nthreads = NULL; /* works all the same, on one thread */
}

/* NULL when it is not there, with loaded[p].reason set. */
static const struct fftw *fftw_of(enum gf_precision p) {
    pthread_mutex_lock(&lock);
    load_library(p);
    pthread_mutex_unlock(&lock);
    return loaded[p].present ? &loaded[p].f : NULL;
}

static int fftw_probe(char reason[GF_REASON]) {
    const struct fftw *f = fftw_of(GF_SINGLE), *d = fftw_of(GF_DOUBLE), *any = f ? f : d;
    if (!any) {
        snprintf(reason, GF_REASON, "%s", loaded[GF_SINGLE].reason);
        return GF_EABSENT;
    }
    snprintf(reason, GF_REASON, "%.60s%s%s", any->version,
             any->plan_with_nthreads ? "" : ", one thread (no libfftw3f_omp or _threads)",
             f && d ? "" : (f ? ", single precision only" : ", double precision only"));
    return 0;
}

/* ---- wisdom: what the slow planning modes found out, kept from run to run ---- */

/* Makes the directory and sees to it that nobody else can write into it. */
static bool cache_path(const char *name, char *path, size_t size) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct stat st;
    int n;
    if (cache && cache[0] == '/') {
        n = snprintf(path, size, "%s", cache);
    } else {
        if (!home || home[0] != '/')
            return false;
        n = snprintf(path, size, "%s/.cache", home);
    }
    if (n < 0 || (size_t)n + strlen(name) + 32 > size)
        return false;
    if (mkdir(path, 0700) && errno != EEXIST)
        return false;
    n += snprintf(path + n, size - (size_t)n, "/gpufft");
    if (mkdir(path, 0700) && errno != EEXIST)
        return false;
    if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
        return false;
    snprintf(path + n, size - (size_t)n, "/%s", name);
    return true;
}

/* The lock is held. A damaged file is as good as none: FFTW checks what it reads. */
static void read_wisdom(const struct fftw *f, enum gf_precision p) {
    char path[1024];
    if (cache_path(library[p].wisdom, path, sizeof path))
        f->import_wisdom(path);
}

/* The lock is held. Readers see the old file or the new one; losing a race loses some wisdom. */
static void write_wisdom(const struct fftw *f, enum gf_precision p) {
    char path[1024], temporary[1040];
    if (!cache_path(library[p].wisdom, path, sizeof path))
        return;
    f->import_wisdom(path); /* what others have learned meanwhile */
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return;
    close(fd);
    if (!f->export_wisdom(temporary) || rename(temporary, path))
        unlink(temporary);
}

/* ---- context and plan ---- */

struct context {
    int threads;
    unsigned flags;
    const char *mode;
};

struct impl {
    const struct fftw *f;
    void *plan;
    struct gf_work before, after;
    void *buffer[2]; /* taken at the first run; the second only when not in place */
    bool in_place, executes_r2c, executes_c2r;
};

static int fftw_open(const struct gf_backend_options *options, void **context) {
    static const struct {
        const char *name;
        unsigned flags;
    } modes[] = {{"estimate", ESTIMATE}, {"measure", MEASURE}, {"patient", PATIENT}};
    const char *name = options && options->fftw_plan ? options->fftw_plan : "estimate";
    int threads = options ? options->threads : 0;
    *context = NULL;
    size_t i = 0;
    while (i < 3 && strcmp(name, modes[i].name))
        i++;
    if (i == 3)
        return gf_fail(GF_EUSAGE,
                       "no FFTW planning mode '%s'; there are estimate, measure, patient", name);
    if (!fftw_of(GF_SINGLE) && !fftw_of(GF_DOUBLE))
        return gf_fail(GF_EABSENT, "%s", loaded[GF_SINGLE].reason);
    struct context *c = malloc(sizeof *c);
    if (!c)
        return gf_fail(GF_ENOMEM, "no memory for the FFTW backend");
    c->threads = threads > 0 ? threads : omp_get_max_threads();
    c->flags = modes[i].flags;
    c->mode = modes[i].name;
    *context = c;
    return 0;
}

static void fftw_close(void *context) {
    free(context);
}

/* The transformed axes into dims, the halved one last as FFTW wants it; the others and the
 * channels into batch. */
static void describe(const struct gf_job *job, const struct gf_work *in, const struct gf_work *out,
                     struct iodim *dims, int *rank, struct iodim *batch, int *batch_rank) {
    ptrdiff_t is[3], os[3];
    is[2] = os[2] = 1;
    is[1] = in->pitch;
    os[1] = out->pitch;
    is[0] = in->pitch * in->extent[1];
    os[0] = out->pitch * out->extent[1];
    *rank = *batch_rank = 0;
    for (int i = 0; i < job->ndim; i++) {
        int a = gf_work_axis(job, i);
        struct iodim d = {job->shape[i], is[a], os[a]};
        if (job->axes >> i & 1)
            dims[(*rank)++] = d;
        else
            batch[(*batch_rank)++] = d;
    }
    batch[(*batch_rank)++] =
        (struct iodim){in->channels, is[0] * in->extent[0], os[0] * out->extent[0]};
}

static int take_buffers(struct impl *m) {
    int64_t a = gf_work_bytes(&m->before), b = gf_work_bytes(&m->after);
    if (m->in_place && b > a)
        a = b;
    if (!m->buffer[0])
        m->buffer[0] = gf_alloc((size_t)a);
    if (!m->buffer[1] && !m->in_place)
        m->buffer[1] = gf_alloc((size_t)b);
    if (!m->buffer[0] || (!m->buffer[1] && !m->in_place))
        return gf_fail(GF_ENOMEM, "no memory for a work buffer of %lld MiB",
                       (long long)((a + (m->in_place ? 0 : b)) >> 20));
    return 0;
}

/* Reals and half spectra share their memory when the halved axis is the rows' own: a row of n
 * reals has the room of n/2 + 1 pairs then. */
static void lay_out(const struct gf_job *job, struct impl *m) {
    gf_work_before(job, &m->before);
    gf_work_after(job, &m->after);
    m->executes_r2c = !m->before.complex;
    m->executes_c2r = !m->after.complex;
    m->in_place = !gf_job_is_real(job) || gf_job_half_axis(job) == job->ndim - 1;
    if (m->in_place && m->executes_r2c)
        m->before.pitch = 2 * m->after.pitch;
    if (m->in_place && m->executes_c2r)
        m->after.pitch = 2 * m->before.pitch;
}

static void make_fftw_plan(const struct context *c, const struct gf_job *job, struct impl *m) {
    static _Alignas(64) char stand_in[2][64];
    struct iodim dims[3], batch[3];
    int rank, batch_rank;
    const struct fftw *f = m->f;
    unsigned flags = c->flags | (m->in_place ? 0 : DESTROY_INPUT);
    /* An estimate does not look at the memory, only at its alignment. */
    void *in = m->buffer[0] ? m->buffer[0] : stand_in[0];
    void *out = m->buffer[1] ? m->buffer[1] : stand_in[1];
    if (m->in_place)
        out = in;
    describe(job, &m->before, &m->after, dims, &rank, batch, &batch_rank);
    pthread_mutex_lock(&lock);
    if (!(c->flags & ESTIMATE) && !loaded[job->precision].wisdom_read) {
        read_wisdom(f, job->precision);
        loaded[job->precision].wisdom_read = true;
    }
    if (f->plan_with_nthreads)
        f->plan_with_nthreads(c->threads);
    if (m->executes_r2c)
        m->plan = f->plan_r2c(rank, dims, batch_rank, batch, in, out, flags);
    else if (m->executes_c2r)
        m->plan = f->plan_c2r(rank, dims, batch_rank, batch, in, out, flags);
    else
        m->plan = f->plan_dft(rank, dims, batch_rank, batch, in, out,
                              job->direction == GF_FORWARD ? FORWARD_SIGN : INVERSE_SIGN, flags);
    if (m->plan && !(c->flags & ESTIMATE))
        write_wisdom(f, job->precision);
    pthread_mutex_unlock(&lock);
}

static int64_t array_bytes(const struct gf_job *job, enum gf_dtype t, const int64_t *shape) {
    int64_t bytes = (int64_t)gf_dtype_size(t);
    for (int i = 0; i <= job->ndim; i++)
        bytes *= shape[i];
    return bytes;
}

static void list_passes(const struct context *c, const struct impl *m, struct gf_plan *plan) {
    const struct gf_job *job = &plan->job;
    int64_t before = gf_work_bytes(&m->before), after = gf_work_bytes(&m->after);
    int64_t shape[GF_MAX_RANK];
    struct gf_pass *p = plan->pass;
    gf_job_in_shape(job, shape);
    gf_step_load_text(job, p->what, sizeof p->what);
    p->bytes_read = array_bytes(job, job->in_dtype, shape);
    p->bytes_written = before;
    p++;
    for (int i = 0; i < job->ndim; i++) {
        /* FFTW's own order is its secret; one axis after the other is what it amounts to, the
         * halved one first on the way forward and last on the way back. */
        int axis = m->executes_c2r ? i : job->ndim - 1 - i;
        if (!(job->axes >> axis & 1))
            continue;
        bool halves = axis == gf_job_half_axis(job) && gf_job_is_real(job);
        const char *what = m->executes_r2c ? "real -> half spectrum" : "half spectrum -> real";
        snprintf(p->what, sizeof p->what, "fftw (%s): %c, %lld points, %s", c->mode,
                 "zyx"[gf_work_axis(job, axis)], (long long)job -> shape[axis],
                 halves ? what : "complex");
        p->bytes_read = m->executes_c2r || halves ? before : after;
        p->bytes_written = m->executes_r2c || halves ? after : before;
        p++;
    }
    for (int i = 0; i < job->n_out; i++, p++) {
        gf_job_out_shape(job, i, shape);
        if (gf_step_scans(job, i)) {
            snprintf(p->what, sizeof p->what, "range: largest %s", gf_kind_name(job->out[i].kind));
            p->bytes_read = after;
            p++;
        }
        gf_step_store_text(job, i, p->what, sizeof p->what);
        p->bytes_read = after;
        p->bytes_written = array_bytes(job, job->out[i].dtype, shape);
    }
    plan->n_passes = (int)(p - plan->pass);
    plan->workspace_bytes = m->in_place ? (before > after ? before : after) : before + after;
}

static void fftw_unplan(void *context, struct gf_plan *plan) {
    (void)context;
    if (!plan)
        return;
    struct impl *m = plan->impl;
    if (m) {
        pthread_mutex_lock(&lock);
        if (m->plan)
            m->f->destroy(m->plan);
        pthread_mutex_unlock(&lock);
        gf_free(m->buffer[0]);
        gf_free(m->buffer[1]);
    }
    free(m);
    free(plan);
}

static int fftw_plan(void *context, const struct gf_job *job, struct gf_plan **out) {
    const struct context *c = context;
    struct gf_plan *plan = NULL;
    struct impl *m;
    *out = NULL;
    int rc = gf_job_validate(job);
    if (rc)
        return rc;
    const struct fftw *f = fftw_of(job->precision);
    if (!f)
        return gf_fail(GF_EABSENT, "%s", loaded[job->precision].reason);
    plan = calloc(1, sizeof *plan);
    m = calloc(1, sizeof *m);
    if (!plan || !m) {
        free(m);
        rc = gf_fail(GF_ENOMEM, "no memory for a plan");
        goto out;
    }
    plan->job = *job;
    plan->impl = m;
    m->f = f;
    lay_out(job, m);
    if (!(c->flags & ESTIMATE)) { /* measuring overwrites the buffers with trial data */
        rc = take_buffers(m);
        if (rc)
            goto out;
    }
    make_fftw_plan(c, job, m);
    if (!m->plan) {
        rc = gf_fail(GF_EBACKEND, "FFTW made no plan for this transform");
        goto out;
    }
    list_passes(c, m, plan);
    *out = plan;
    plan = NULL;
out:
    fftw_unplan(context, plan);
    return rc;
}

static int fftw_exec(void *context, struct gf_plan *plan, const struct gf_array *in,
                     struct gf_array *out, struct gf_report *report) {
    const struct context *c = context;
    const struct gf_job *job = &plan->job;
    struct impl *m = plan->impl;
    struct gf_report found = {{0}, {0}, 0};
    double scale = gf_job_scale(job);
    int rc = gf_job_check_arrays(job, in, out);
    if (!rc)
        rc = take_buffers(m);
    if (rc)
        return rc;
    m->before.data = m->buffer[0];
    m->after.data = m->buffer[m->in_place ? 0 : 1];
    gf_step_load(job, in, &m->before, c->threads, &found);
    if (m->executes_r2c)
        m->f->run_r2c(m->plan, m->before.data, m->after.data);
    else if (m->executes_c2r)
        m->f->run_c2r(m->plan, m->before.data, m->after.data);
    else
        m->f->run_dft(m->plan, m->before.data, m->after.data);
    for (int i = 0; i < job->n_out; i++) {
        double high = gf_step_range(job, i, &m->after, scale, c->threads);
        gf_step_store(job, i, &m->after, scale, high, &out[i], c->threads, &found);
    }
    if (report)
        *report = found;
    return 0;
}

const struct gf_backend gf_backend_fftw = {
    .name = "fftw",
    .what = "FFTW 3, the reference",
    .probe = fftw_probe,
    .open = fftw_open,
    .plan = fftw_plan,
    .exec = fftw_exec,
    .unplan = fftw_unplan,
    .close = fftw_close,
};
