/* Loads FFTW or MKL, locks the planner and keeps its wisdom. */
#include "core/vendor/fftw_library.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/host/dl.h"
#include "core/store/store.h"

#define SYMBOL(prefix, field, name) \
    { prefix name, offsetof(struct gf_fftw, field) }
/* Names for float and double differ only in their prefix. */
#define SYMBOLS(prefix) \
    SYMBOL(prefix, plan_dft, "plan_guru64_dft"), SYMBOL(prefix, plan_r2c, "plan_guru64_dft_r2c"), \
        SYMBOL(prefix, plan_c2r, "plan_guru64_dft_c2r"), SYMBOL(prefix, run_dft, "execute_dft"), \
        SYMBOL(prefix, run_r2c, "execute_dft_r2c"), SYMBOL(prefix, run_c2r, "execute_dft_c2r"), \
        SYMBOL(prefix, destroy, "destroy_plan"), SYMBOL(prefix, set_timelimit, "set_timelimit"), \
        SYMBOL(prefix, version, "version")
#define WISDOM_SYMBOLS(prefix) \
    SYMBOL(prefix, import_wisdom, "import_wisdom_from_string"), \
        SYMBOL(prefix, export_wisdom, "export_wisdom_to_string"), \
        SYMBOL(prefix, forget_wisdom, "forget_wisdom")
#define THREAD_SYMBOLS(prefix) \
    SYMBOL(prefix, init_threads, "init_threads"), \
        SYMBOL(prefix, plan_with_nthreads, "plan_with_nthreads")

static const struct gf_dl_symbol symbols[2][10] = {
    [GF_SINGLE] = {SYMBOLS("fftwf_")},
    [GF_DOUBLE] = {SYMBOLS("fftw_")},
};
static const struct gf_dl_symbol wisdom_symbols[2][4] = {
    [GF_SINGLE] = {WISDOM_SYMBOLS("fftwf_")},
    [GF_DOUBLE] = {WISDOM_SYMBOLS("fftw_")},
};
static const struct gf_dl_symbol thread_symbols[2][3] = {
    [GF_SINGLE] = {THREAD_SYMBOLS("fftwf_")},
    [GF_DOUBLE] = {THREAD_SYMBOLS("fftw_")},
};
static const struct gf_dl_symbol mkl_symbols[] = {
    SYMBOL("MKL_", set_threads, "Set_Num_Threads"),
    SYMBOL("MKL_", set_layer, "Set_Threading_Layer"),
    {NULL, 0},
};

/* Makes MKL use GNU's OpenMP, as this program does: threads of two runtimes would compete for
 * CPUs. */
enum { MKL_THREADING_GNU = 3 };

#define MKL_SONAMES \
    { "libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so" }

static const struct library {
    const char *soname[5], *threads_soname[3], *wisdom;
} library[GF_FFTW_N_MAKERS][2] = {
    [GF_FFTW_OWN] = {[GF_SINGLE] = {{"libfftw3f.so.3"},
                                    {"libfftw3f_omp.so.3", "libfftw3f_threads.so.3"},
                                    "fftw-single.wisdom"},
                     [GF_DOUBLE] = {{"libfftw3.so.3"},
                                    {"libfftw3_omp.so.3", "libfftw3_threads.so.3"},
                                    "fftw-double.wisdom"}},
    [GF_FFTW_MKL] =
        {[GF_SINGLE] = {MKL_SONAMES, {NULL}, NULL}, [GF_DOUBLE] = {MKL_SONAMES, {NULL}, NULL}},
};
static const char *const remedy[GF_FFTW_N_MAKERS] = {
    [GF_FFTW_OWN] = GF_HERE("apt install libfftw3-single3 libfftw3-double3",
                            "put FFTW's DLLs into a folder of PATH"),
    [GF_FFTW_MKL] = "pip install mkl, then --mkl=PATH or LD_LIBRARY_PATH",
};

static struct loaded {
    struct gf_fftw f; /* first, so that a pointer to it finds the rest */
    const struct library *library;
    bool tried, present, wisdom_read;
    char reason[GF_REASON];
} loaded[GF_FFTW_N_MAKERS][2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The lock is held. */
static void load(enum gf_fftw_maker maker, enum gf_precision p, const char *path) {
    struct loaded *l = &loaded[maker][p];
    const char *named[2] = {path, NULL};
    const char *const *sonames = path ? named : library[maker][p].soname;
    const char *const *threads = library[maker][p].threads_soname;
    void *handle;
    l->tried = true;
    l->library = &library[maker][p];
    if (gf_dl_open(sonames, symbols[p], &l->f, &handle) ||
        (l->library->wisdom && gf_dl_open(sonames, wisdom_symbols[p], &l->f, &handle))) {
        snprintf(l->reason, GF_REASON, "%s; %s", gf_message(), remedy[maker]);
        return;
    }
    l->present = true;
    if (maker == GF_FFTW_MKL) {
        threads = sonames; /* one library has all */
        if (gf_dl_open(sonames, mkl_symbols, &l->f, &handle))
            l->f.set_threads = NULL;
        else
            l->f.set_layer(MKL_THREADING_GNU);
    }
    if (gf_dl_open(threads, thread_symbols[p], &l->f, &handle) || !l->f.init_threads())
        l->f.plan_with_nthreads = NULL;
}

const struct gf_fftw *gf_fftw_find(enum gf_fftw_maker maker, enum gf_precision p,
                                   const char *path) {
    struct loaded *l = &loaded[maker][p];
    pthread_mutex_lock(&lock);
    if (!l->tried)
        load(maker, p, path);
    pthread_mutex_unlock(&lock);
    if (l->present)
        return &l->f;
    gf_fail(GF_EABSENT, "%s", l->reason);
    return NULL;
}

/* ---- the code for this CPU ---- */

/* Copies the "avx512" of a mapped ".../libmkl_avx512.so.2", MKL's kernels for one kind of CPU.
 * Returns 1 if found. */
static int see_library(struct dl_phdr_info *info, size_t size, void *text) {
    const char *name = strstr(info->dlpi_name, "/libmkl_");
    name = name ? name + strlen("/libmkl_") : "";
    (void)size;
    if (strncmp(name, "def", 3) && strncmp(name, "mc", 2) && strncmp(name, "avx", 3))
        return 0;
    snprintf(text, GF_CODE_PATH, "%.*s", (int)strcspn(name, "."), name);
    return 1;
}

void gf_fftw_code_path(const struct gf_fftw *f, char text[GF_CODE_PATH]) {
    const struct gf_fftw_dim dim = {64, 1, 1};
    static double in[128], out[128];
    *text = 0;
    if (!f->set_threads) { /* "fftw-3.3.10-sse2-avx" */
        const char *sets = strchr(f->version, '-');
        sets = sets ? strchr(sets + 1, '-') : NULL;
        snprintf(text, GF_CODE_PATH, "%s", sets ? sets + 1 : "scalar");
        return;
    }
    gf_fftw_plan_begin(NULL, f, 1, GF_FFTW_ESTIMATE,
                       0); /* MKL loads its kernels for the first plan */
    void *plan = f->plan_dft(1, &dim, 0, NULL, in, out, GF_FFTW_FORWARD, GF_FFTW_ESTIMATE);
    gf_fftw_plan_end(NULL, f, GF_FFTW_ESTIMATE);
    gf_fftw_destroy(f, plan);
    dl_iterate_phdr(see_library, text);
}

/* ---- wisdom: the results of the slow planning modes, kept from run to run ---- */

bool gf_fftw_wisdom_path(const struct gf_environment *env, enum gf_precision p, char *path,
                         size_t size) {
    const char *cache = gf_environment_cache(env);
    int n = cache ? snprintf(path, size, "%s/gpufft/%s", cache, library[GF_FFTW_OWN][p].wisdom) : 0;
    return n > 0 && (size_t)n < size;
}

enum { MOST_WISDOM = 64 << 20 }; /* bytes */

/* The lock is held. FFTW ignores a damaged file. */
static void import_wisdom(const struct loaded *l, const struct gf_store *s) {
    struct stat st;
    size_t bytes;
    char *text = gf_store_load(s, l->library->wisdom, MOST_WISDOM, &st, &bytes);
    if (text)
        l->f.import_wisdom(text);
    free(text);
}

static void read_wisdom(const struct gf_environment *env, const struct loaded *l) {
    struct gf_store s;
    if (l->library->wisdom && gf_store_open(env, &s, true)) {
        import_wisdom(l, &s);
        gf_store_close(&s);
    }
}

/* The lock is held. Replaces the file atomically; a writer that loses a race loses its wisdom. */
static void write_wisdom(const struct gf_environment *env, const struct loaded *l) {
    struct gf_store s;
    if (l->library->wisdom && gf_store_open(env, &s, true)) {
        import_wisdom(l, &s); /* other processes may have added some */
        char *text = l->f.export_wisdom();
        if (text)
            gf_store_replace(&s, l->library->wisdom, &(struct gf_store_part){text, strlen(text)},
                             1);
        free(text);
        gf_store_close(&s);
    }
}

/* ---- planning ---- */

void gf_fftw_plan_begin(const struct gf_environment *env, const struct gf_fftw *f, int threads,
                        unsigned flags, double seconds) {
    struct loaded *l = (struct loaded *)f;
    pthread_mutex_lock(&lock);
    if (flags & GF_FFTW_ESTIMATE) {
        /* Otherwise an estimate would depend on earlier measurements. */
        if (l->wisdom_read)
            f->forget_wisdom();
        l->wisdom_read = false;
    } else if (!l->wisdom_read) {
        read_wisdom(env, l);
        l->wisdom_read = l->library->wisdom;
    }
    if (f->plan_with_nthreads)
        f->plan_with_nthreads(threads);
    if (f->set_threads)
        f->set_threads(threads);
    f->set_timelimit(seconds > 0 ? seconds : -1);
}

void gf_fftw_plan_end(const struct gf_environment *env, const struct gf_fftw *f, unsigned flags) {
    if (!(flags & GF_FFTW_ESTIMATE))
        write_wisdom(env, (const struct loaded *)f);
    pthread_mutex_unlock(&lock);
}

void gf_fftw_destroy(const struct gf_fftw *f, void *plan) {
    pthread_mutex_lock(&lock);
    if (plan)
        f->destroy(plan);
    pthread_mutex_unlock(&lock);
}
