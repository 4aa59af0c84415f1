/* The entrants of `gpufft bench`: backends, modes of backends, and libraries to compare with. */

#include "cli/bench/bench.h"
#include "cli/environment.h"
#include "cli/log.h"

static const struct gf_bench_entrant yardsticks[] = {
    {.name = "openmp-1", .backend = &gf_backend_openmp, .threads = 1},
    {.name = "fftw-measure", .backend = &gf_backend_fftw, .fftw_plan = "measure"},
    {.name = "mkl", .backend = &gf_backend_mkl, .library = offsetof(struct gf_settings, bench.mkl)},
    {.name = "ipp", .backend = &gf_backend_ipp, .library = offsetof(struct gf_settings, bench.ipp)},
    {.name = "cuda-natural", .backend = &gf_backend_cuda, .natural_order = true},
    {.name = "cufftxt", .backend = &gf_backend_cufftxt},
    {.name = "cufftxt-perm", .backend = &gf_backend_cufftxt, .natural_order = true},
    {.name = "clfft", .backend = &gf_backend_clfft},
    {.name = "vkfft", .backend = &gf_backend_vkfft},
    {.name = NULL},
};

_Static_assert(sizeof yardsticks / sizeof *yardsticks <= GF_MAX_ENTRANTS - GF_MAX_BACKENDS + 1,
               "the list of entrants has room for all yardsticks");

/* Lists everything that --backend accepts, usable or not. */
static int candidates(struct gf_bench_entrant list[GF_MAX_ENTRANTS]) {
    int n = 0;
    for (int i = 0; gf_backends[i] && n < GF_MAX_BACKENDS; i++)
        list[n++] =
            (struct gf_bench_entrant){.name = gf_backends[i]->name, .backend = gf_backends[i]};
    for (int i = 0; yardsticks[i].name; i++)
        list[n++] = yardsticks[i];
    return n;
}

const char *gf_bench_entrant_name(int i) {
    struct gf_bench_entrant list[GF_MAX_ENTRANTS];
    return i < candidates(list) ? list[i].name : NULL;
}

static int choose(const char *what, const char *word, const struct gf_bench_entrant *list, int n,
                  int *out) {
    const char *names[GF_MAX_ENTRANTS + 1] = {NULL};
    for (int i = 0; i < n; i++)
        names[i] = list[i].name;
    return gf_opt_choose(what, word, names, out);
}

/* Logs the library and version of a yardstick. */
static void note_version(const struct gf_bench_entrant *e) {
    char reason[GF_REASON] = "";
    for (int i = 0; gf_backends[i]; i++)
        if (gf_backends[i] == e->backend) /* `gpufft devices` shows it */
            return;
    if (!e->backend->probe(e->backend, gf_environment(), reason))
        gf_log_note("bench: %s: %s", e->name, reason);
}

bool gf_bench_next_word(const char **at, char *word, size_t size) {
    int n = (int)strcspn(*at, ",");
    if (!**at)
        return false;
    snprintf(word, size, "%.*s", n, *at);
    *at += n + ((*at)[n] == ',');
    return true;
}

/* Finds the devices of the list that can share a transform of this entrant: all or none. */
static int find_together(const struct gf_bench_entrant *e, const char *list, struct gf_request *w) {
    const struct gf_backend *const own[] = {e->backend, NULL};
    w->n = 0;
    return (e->backend->several || e->backend->shares) && gf_request_is_list(NULL, list)
               ? gf_request_list(gf_environment(), w, own, e->backend->name, list)
               : 0;
}

/* Opens the entrant on the devices that share a transform, or else on the first one. */
static int open_devices(struct gf_bench_entrant *e, struct gf_backend_options *options) {
    const char *devices[GF_REQUEST_MOST], *list = options->device;
    char first[GF_REQUEST_DEVICE];
    struct gf_request w;
    const int rc = find_together(e, list, &w);
    if (rc && e->backend->several)
        return rc;
    if (!rc && gf_request_shares(&w)) {
        for (int i = 0; i < w.n; i++)
            devices[i] = w.device[i].device;
        options->devices = devices;
        options->n_devices = w.n;
        options->resident = e->backend->shares;
    } else if (gf_request_is_list(NULL, list)) {
        snprintf(first, sizeof first, "%.*s", (int)strcspn(list, ","), list);
        options->device = strcmp(first, "all") ? first : NULL;
    }
    return e->backend->open(e->backend, options, &e->context);
}

/* Returns the path that --mkl or --ipp gives, or NULL. The probe does not know it; only open()
 * does. */
static const char *library_of(const struct gf_bench_entrant *e, const struct gf_settings *s) {
    return e->library ? *(const char *const *)((const char *)s + e->library) : NULL;
}

int gf_bench_open_entrant(struct gf_bench_entrant *e, const struct gf_settings *s, int threads) {
    struct gf_backend_options options = gf_backend_options_of(s);
    options.no_peer = !s->peer;
    options.natural_order = e->natural_order;
    options.threads = e->threads ? e->threads : threads;
    options.fftw_plan = e->fftw_plan;
    options.plan_seconds = s->bench.plan_seconds;
    options.library = library_of(e, s);
    int rc = open_devices(e, &options);
    if (rc)
        e->context = NULL;
    if (!rc)
        note_version(e);
    if (!rc && e->backend->code_path)
        e->backend->code_path(e->context, e->code_path);
    e->resident = !rc && e->backend->on_device;
    if (e->resident && !(e->device.copy > 0) &&
        e->backend->on_device->measure(e->context, &e->device))
        /* the rows lack the share of copy bandwidth */
        gf_log_note("bench: %s: %s", e->name, gf_message());
    return rc;
}

/* False for a device that is the CPU, unless it is named: the CPU backends already measure it. */
static bool worth_it(const struct gf_bench_entrant *e, const struct gf_settings *s) {
    struct gf_gpu_props props;
    const char *device = gf_backend_options_of(s).device;
    if (!e->backend->list || s->device ||
        gf_backend_device(gf_environment(), e->backend, device, &props) || !props.is_cpu)
        return true;
    gf_log_verbose("bench: %s left out, %s is the CPU; --backend names it", e->name, props.name);
    return false;
}

static bool has_several(const struct gf_bench_entrant *e, const char *list) {
    struct gf_request w;
    if (e->backend->several) /* open() reports absent devices */
        return gf_request_is_list(NULL, list);
    return !find_together(e, list, &w) && gf_request_shares(&w);
}

static int probe(const struct gf_bench_entrant *e, const struct gf_settings *s,
                 char reason[GF_REASON]) {
    int rc = e->backend->probe(e->backend, gf_environment(), reason);
    if (rc || !(e->backend->several || e->natural_order) ||
        has_several(e, gf_backend_options_of(s).device))
        return rc;
    snprintf(reason, GF_REASON, "it needs several devices: --device=0,1");
    return GF_EABSENT;
}

int gf_bench_enter(struct gf_bench *b) {
    struct gf_bench_entrant list[GF_MAX_ENTRANTS];
    const char *at = b->s->bench.backends;
    char word[32], reason[GF_REASON] = "";
    int n = candidates(list), i, rc = 0;
    for (i = 0; !at && i < n; i++)
        if (library_of(&list[i], b->s) ||
            (!probe(&list[i], b->s, reason) && worth_it(&list[i], b->s)))
            b->entrant[b->n++] = list[i];
        else if (*reason)
            gf_log_verbose("bench: %s left out: %s", list[i].name, reason);
    while (at && !rc && gf_bench_next_word(&at, word, sizeof word)) {
        bool again = false;
        rc = choose("--backend", word, list, n, &i);
        for (int j = 0; j < b->n && !rc; j++)
            again = again || b->entrant[j].name == list[i].name;
        if (!rc && !again)
            b->entrant[b->n++] = list[i];
    }
    for (i = 0; at && i < b->n && !rc; i++) {
        if (!library_of(&b->entrant[i], b->s) && probe(&b->entrant[i], b->s, reason))
            rc = gf_fail(GF_EABSENT, "backend '%s' is not usable here: %s", b->entrant[i].name,
                         reason);
    }
    if (!rc && !b->n)
        rc = gf_fail(GF_EABSENT, "no backend is usable here");
    return rc;
}

int gf_bench_find_relative(struct gf_bench *b) {
    const char *name = b->s->bench.relative;
    b->relative = -1;
    if (name)
        return choose("--relative", name, b->entrant, b->n, &b->relative);
    for (int i = 0; i < b->n; i++)
        if (!strcmp(b->entrant[i].name, "fftw-measure") ||
            (b->relative < 0 && !strcmp(b->entrant[i].name, "fftw")))
            b->relative = i;
    return 0;
}
