/* Intel's IPP as an entrant of `gpufft bench`: lines and pictures of its own types, on one thread.
 * Opens IPP's libraries for one kind of CPU, in IPP's order of preference, because its dispatching
 * libraries end the process if a package lacks a name that they look for. */
#include <stdlib.h>

#include "core/base/host/dl.h"
#include "core/base/job/loadstore.h"
#include "core/vendor/bare.h"
#include "core/cpu/code_path.h"

enum { NO_DIVISION = 8, LONGEST = 1 << 28 };

/* IPP's DFT functions, as documented; for powers of two they are as fast as its FFT functions.
 * size() returns bytes of the spec, of init()'s buffer and of a run's. All return 0 or a code. */
struct extent { /* IppiSize */
    int width, height;
};
static struct ipp {
    int (*init)(void);
    const struct {
        int number[4];
        char cpu[4];
        const char *name, *version;
    } * (*version)(void);
    struct lines {
        int (*size)(int n, int flag, int hint, int *spec, int *first, int *work);
        int (*init)(int n, int flag, int hint, void *spec, void *first);
        int (*run[2])(const void *in, void *out, const void *spec, void *work);
    } line[2][2]; /* [real][double] */
    struct {
        int (*size)(struct extent n, int flag, int hint, int *spec, int *first, int *work);
        int (*init)(struct extent n, int flag, int hint, void *spec, void *first);
        int (*run[2])(const void *in, int in_pitch, void *out, int out_pitch, const void *spec,
                      void *work);
    } picture;
} ipp;

#define SYMBOL(field, name) \
    { name, offsetof(struct ipp, field) }
#define FUNCTIONS(of, letter, type, forward, inverse) \
    SYMBOL(of.size, "ipp" letter "DFTGetSize_" type), \
        SYMBOL(of.init, "ipp" letter "DFTInit_" type), \
        SYMBOL(of.run[GF_FORWARD], "ipp" letter "DFTFwd_" forward), \
        SYMBOL(of.run[GF_INVERSE], "ipp" letter "DFTInv_" inverse)

static const struct gf_dl_symbol core[] = {SYMBOL(init, "ippInit"), {0}};
static const struct gf_dl_symbol lines[] = {
    FUNCTIONS(line[0][0], "s", "C_32fc", "CToC_32fc", "CToC_32fc"),
    FUNCTIONS(line[0][1], "s", "C_64fc", "CToC_64fc", "CToC_64fc"),
    FUNCTIONS(line[1][0], "s", "R_32f", "RToCCS_32f", "CCSToR_32f"),
    FUNCTIONS(line[1][1], "s", "R_64f", "RToCCS_64f", "CCSToR_64f"),
    SYMBOL(version, "ippsGetLibVersion"), /* the last: all others are there */
    {0}};
static const struct gf_dl_symbol pictures[] = {
    FUNCTIONS(picture, "i", "C_32fc", "CToC_32fc_C1R", "CToC_32fc_C1R"), {0}};

/* Opens FOLDER/libippPARTCPU.so.12, or leaves the folder to the loader. */
static int open_part(const char *folder, const char *part, const char *cpu,
                     const struct gf_dl_symbol *symbols) {
    char path[1024];
    void *handle;
    snprintf(path, sizeof path, "%s%slibipp%s%s.so.12", folder ? folder : "", folder ? "/" : "",
             part, cpu);
    return gf_dl_open((const char *const[]){path, NULL}, symbols, &ipp, &handle);
}

/* IPP's letters for this CPU. */
static const char *cpu_letters(void) {
    return gf_cpu_kernels_find(32, "v4") ? "k0" : gf_cpu_kernels_find(32, "v3") ? "l9" : "y8";
}

/* Loads IPP for good. Called by one thread. */
static int load(const char *folder) {
    if (!ipp.version && !open_part(folder, "core", "", core) &&
        !open_part(folder, "i", cpu_letters(), pictures) &&
        !open_part(folder, "s", cpu_letters(), lines))
        ipp.init();
    return ipp.version
               ? 0
               : gf_fail(GF_EABSENT, "%.180s; pip install ipp, then --ipp=FOLDER", gf_message());
}

static int ipp_probe(const struct gf_backend *b, const struct gf_environment *env,
                     char reason[GF_REASON]) {
    (void)b, (void)env;
    int rc = load(NULL);
    snprintf(reason, GF_REASON, "%s%.200s%s", rc ? "" : "IPP ",
             rc ? gf_message() : ipp.version()->version, rc ? "" : ", one thread");
    return rc;
}

static int ipp_open(const struct gf_backend *b, const struct gf_backend_options *options,
                    void **context) {
    (void)b;
    int rc = load(options ? options->library : NULL);
    *context = rc ? NULL : &ipp;
    return rc;
}

static void ipp_close(void *context) {
    (void)context;
}

/* "ippSP AVX2 (l9)" without the name of the library. */
static void ipp_code_path(void *context, char text[GF_CODE_PATH]) {
    const char *name = ((struct ipp *)context)->version()->name, *space = strchr(name, ' ');
    snprintf(text, GF_CODE_PATH, "%s", space ? space + 1 : name);
    gf_code_path_note(text);
}

/* ---- plans ---- */

struct impl {
    const struct lines *line;
    void *spec, *work;
    int height;                         /* of a picture; 0: lines */
    int64_t in_bytes, out_bytes, count; /* of a transform; how many there are */
};

static void ipp_drop(struct gf_plan *plan) {
    struct impl *m = plan->impl;
    gf_free(m->spec);
    gf_free(m->work);
    free(m);
}

static int ipp_exec(struct gf_bound *b, struct gf_report *report) {
    const struct impl *m = b->plan->impl;
    const int way = b->plan->job.direction, rows = m->height ? m->height : 1;
    const int in_pitch = (int)(m->in_bytes / rows), out_pitch = (int)(m->out_bytes / rows);
    int code = 0;
    (void)report;
    if (!gf_array_is_contiguous(&b->in) || !gf_array_is_contiguous(b->out))
        return gf_fail(GF_EUNSUPP, "IPP is measured on contiguous arrays alone");
    for (int64_t i = 0; i < m->count && !code; i++) {
        const char *from = (const char *)b->in.data + i * m->in_bytes;
        char *to = (char *)b->out->data + i * m->out_bytes;
        code = m->height ? ipp.picture.run[way](from, in_pitch, to, out_pitch, m->spec, m->work)
                         : m->line->run[way](from, to, m->spec, m->work);
    }
    return code ? gf_fail(GF_EBACKEND, "IPP, running: error %d", code) : 0;
}

/* Allocates and fills IPP's tables, and allocates its work memory. */
static int take(struct impl *m, struct extent n, int64_t *bytes) {
    int spec, first, work;
    int code = m->height ? ipp.picture.size(n, NO_DIVISION, 0, &spec, &first, &work)
                         : m->line->size(n.width, NO_DIVISION, 0, &spec, &first, &work);
    if (code)
        return gf_fail(GF_EUNSUPP, "IPP has no plan for this: error %d", code);
    void *once = gf_alloc((size_t)first + 64);
    m->spec = gf_alloc((size_t)spec + 64);
    m->work = gf_alloc((size_t)work + 64);
    *bytes = (int64_t)spec + work;
    int rc = once && m->spec && m->work ? 0 : gf_fail(GF_ENOMEM, "no memory for IPP's tables");
    if (!rc)
        code = m->height ? ipp.picture.init(n, NO_DIVISION, 0, m->spec, once)
                         : m->line->init(n.width, NO_DIVISION, 0, m->spec, once);
    gf_free(once);
    return code ? gf_fail(GF_EBACKEND, "IPP, planning: error %d", code) : rc;
}

static void lay_out(const struct gf_job *job, struct impl *m, struct gf_plan *plan) {
    struct gf_work before, after;
    gf_work_before(job, &before);
    gf_work_after(job, &after);
    m->line = &ipp.line[!before.complex || !after.complex][job->precision == GF_DOUBLE];
    m->count = 1;
    for (int i = 0; i < job->ndim; i++)
        m->count *= job->axes >> i & 1 ? 1 : job->shape[i];
    const int64_t from = gf_work_bytes(&before), to = gf_work_bytes(&after);
    gf_pass_list(plan, from, to, "ipp"); /* how many it has is its own */
    m->in_bytes = from / m->count;
    m->out_bytes = to / m->count;
}

static int ipp_plan(struct gf_plan *plan) {
    static const struct gf_plan_ops ops = {.exec = ipp_exec, .drop = ipp_drop};
    const struct gf_job *job = &plan->job;
    const bool real = job->real || !gf_dtype_is_complex(job->in_dtype);
    const unsigned rest = ~job->axes & ((1u << job->ndim) - 1);
    const int axes = __builtin_popcount(job->axes);
    int rc = gf_bare_check(job);
    if (!rc && (rest & (rest + 1) || axes > 2 || gf_job_points(job) > LONGEST))
        rc = gf_fail(GF_EUNSUPP, "IPP transforms the last axis or the last two, to 2^28 points");
    if (!rc && axes == 2 && (real || job->precision == GF_DOUBLE))
        rc = gf_fail(GF_EUNSUPP, "IPP has no pictures in double precision, and packs the spectra "
                                 "of real ones in a layout of its own");
    struct impl *m = rc ? NULL : gf_plan_impl(plan, &ops, sizeof *m);
    if (!m)
        return rc ? rc : GF_ENOMEM;
    m->height = axes == 2 ? (int)job->shape[job->ndim - 2] : 0;
    lay_out(job, m, plan);
    return take(m, (struct extent){(int)job->shape[job->ndim - 1], m->height},
                &plan->workspace_bytes);
}

const struct gf_backend gf_backend_ipp = {
    .name = "ipp",
    .what = "Intel IPP, for comparison",
    .probe = ipp_probe,
    .open = ipp_open,
    .ops = 1u << GF_FFT,
    .plan = ipp_plan,
    .code_path = ipp_code_path,
    .close = ipp_close,
};
