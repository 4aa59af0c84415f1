/* Random calls of libraries, plans and bound plans. */
#include "tests/core/api_caller.h"

enum { MOST = 1500 }; /* points */

static const int64_t size_of[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 16};
/* No lengths whose tables take minutes or gigabytes. */
static const int64_t wild[] = {-1, 0, 1, 2, 3, 7, 9, 64, 255, INT64_MIN, INT64_MAX, INT64_MAX / 8};

struct caller_shared caller_shared = {.lock = PTHREAD_RWLOCK_INITIALIZER};
_Alignas(64) char caller_input[ROOM];

/* ---- allocations that fail: the linker's --wrap leads those of the program here ---- */

_Thread_local int caller_starves;
_Thread_local bool caller_starved;
static _Thread_local bool starve_on;

static bool starves(void) {
    if (!caller_starves || --caller_starves)
        return false;
    caller_starved = true;
    caller_starves = starve_on; /* the next one, too */
    return true;
}

#define WRAPPED(result, name, parameters, arguments) \
    result __real_##name parameters; \
    result __wrap_##name parameters; \
    result __wrap_##name parameters { \
        return starves() ? NULL : __real_##name arguments; \
    }
WRAPPED(void *, malloc, (size_t n), (n))
WRAPPED(void *, calloc, (size_t n, size_t size), (n, size))
WRAPPED(void *, realloc, (void *p, size_t n), (p, n))
WRAPPED(void *, aligned_alloc, (size_t align, size_t n), (align, n))
WRAPPED(char *, strdup, (const char *text), (text))
WRAPPED(char *, strndup, (const char *text, size_t n), (text, n))

/* ---- one call ---- */

_Thread_local int64_t caller_ticks;
static _Thread_local bool asked; /* for the end */

int caller_tick(void *user, double done) {
    (void)user;
    asked = caller_ticks-- <= 0;
    return asked || done > 1;
}

int64_t caller_pick(struct caller *c, int64_t n) {
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((c->state >> 33) % (uint64_t)n);
}

int64_t caller_any(struct caller *c) {
    return wild[caller_pick(c, sizeof wild / sizeof *wild)];
}

size_t caller_size(struct caller *c, size_t right) {
    static const size_t other[] = {0, 4, 65536, SIZE_MAX};
    return caller_pick(c, 12) ? right : other[caller_pick(c, 4)];
}

void caller_arm(struct caller *c) {
    const int64_t kind = caller_pick(c, 8);
    asked = caller_starved = false;
    caller_ticks = kind == 1 ? caller_pick(c, 12) : INT64_MAX;
    starve_on = caller_pick(c, 2);
    caller_starves = kind == 2 ? (int)caller_pick(c, 24) + 1 : 0;
}

int caller_judge(struct caller *c, const char *name, int rc, int expected) {
    const char *m = gpufft_message();
    const size_t n = strlen(m);
    caller_starves = 0;
    bool right = rc >= 0 || (rc >= GPUFFT_ECLOSED && n && !strchr(m, '\n') && m[n - 1] != '.');
    if (expected)
        right = right && rc < 0 && (expected > 0 || rc == expected || caller_starved);
    right = right && (rc != GPUFFT_ECANCELED || asked);
    c->calls++;
    c->good += rc >= 0;
    c->canceled += rc == GPUFFT_ECANCELED;
    c->starved += caller_starved && rc < 0;
    if (!right && !c->wrong++)
        snprintf(c->first, sizeof c->first, "%s: %d, not %d: %.200s", name, rc, expected, m);
    return rc;
}

int caller_expect(const struct caller *c, int library, int expected) {
    if (!library)
        return expected ? FAILS : UNKNOWN; /* it may be closed at any time */
    return c->library && library == c->serial ? expected : GPUFFT_ECLOSED;
}

/* ---- libraries ---- */

static struct gpufft_options options_of(struct caller *c) {
    static const char *const backends[] = {"openmp", "openmp", "openmp",  "c",
                                           "fftw",   "",       "nonesuch"};
    struct gpufft_options o = {.size = caller_size(c, sizeof o),
                               .backend = backends[caller_pick(c, 7)],
                               .threads = (int)caller_pick(c, 3),
                               .memory = caller_pick(c, 4) ? 0 : 1 << caller_pick(c, 24),
                               .tick = caller_pick(c, 3) ? caller_tick : NULL};
    switch (caller_pick(c, 9)) {
    case 0:
        o.threads = -(int)caller_pick(c, 3);
        o.memory = caller_any(c);
        break;
    case 1:
        o.device = caller_pick(c, 2) ? "99" : "";
        break;
    default:
        break;
    }
    return o;
}

void caller_library(struct caller *c) {
    if (c->library && !caller_pick(c, 3)) {
        gpufft_close(c->library);
        c->library = NULL;
        c->serial++;
        c->calls++;
    } else if (!c->library) {
        const struct gpufft_options o = options_of(c);
        caller_arm(c);
        caller_judge(c, "open", gpufft_open(&o, caller_pick(c, 20) ? &c->library : NULL), UNKNOWN);
    } else if (!caller_pick(c, 30)) {
        pthread_rwlock_wrlock(&caller_shared.lock);
        gpufft_close(caller_shared.library);
        caller_shared.library = NULL;
        pthread_rwlock_unlock(&caller_shared.lock);
    }
}

struct gpufft *caller_borrow(struct caller *c, int *number) {
    pthread_rwlock_rdlock(&caller_shared.lock);
    *number = caller_pick(c, 3) ? c->serial : 0;
    return *number ? c->library : caller_shared.library;
}

void caller_give_back(void) {
    pthread_rwlock_unlock(&caller_shared.lock);
}

/* ---- plans ---- */

static void choose_strides(struct caller *c, int rank, const int64_t *n, int type,
                           int64_t *stride) {
    int order[GPUFFT_MAX_RANK];
    int64_t unit = size_of[type];
    for (int i = 0; i < rank; i++)
        order[i] = i;
    for (int i = rank - 1; i >= 0; i--) {
        const int k = (int)caller_pick(c, i + 1), axis = order[k];
        order[k] = order[i];
        stride[axis] = caller_pick(c, 4) ? unit : -unit;
        unit *= n[axis] + caller_pick(c, 2);
    }
}

struct gpufft_transform caller_transform(struct caller *c) {
    static const int samples[] = {GPUFFT_U8, GPUFFT_I16, GPUFFT_F32, GPUFFT_F64, GPUFFT_C64};
    struct gpufft_transform t = {.size = sizeof t,
                                 .rank = (int)caller_pick(c, caller_pick(c, 4) ? 4 : 8) + 1,
                                 .norm = (int)caller_pick(c, 3)};
    const int real = samples[caller_pick(c, 5)], spectrum = GPUFFT_C64 + (int)caller_pick(c, 2);
    int64_t points = 1;
    t.direction = (int)caller_pick(c, 2);
    t.in_type = t.direction ? spectrum : real;
    t.out_type = !t.direction ? spectrum : real < GPUFFT_F32 ? GPUFFT_F32 : real;
    t.half = real < GPUFFT_C64 && caller_pick(c, 2);
    t.n_axes = (int)caller_pick(c, t.rank < 3 ? t.rank + 1 : 4); /* 0: all, if there are few */
    t.in_place = !caller_pick(c, 3) && (t.in_type == t.out_type || t.half);
    for (int i = 0; i < t.rank; i++) {
        t.shape[i] = caller_pick(c, 6) ? caller_pick(c, 8) + 1 : caller_pick(c, 40) + 1;
        t.shape[i] = points * t.shape[i] > MOST ? 1 : t.shape[i];
        points *= t.shape[i];
    }
    for (int i = 0; i < t.n_axes; i++)
        t.axes[i] = (i + (int)t.shape[0]) % t.rank - (caller_pick(c, 2) ? t.rank : 0);
    if (!caller_pick(c, 3) && !(t.in_place && t.half)) {
        choose_strides(c, t.rank, t.shape, t.in_type, t.in_stride);
        choose_strides(c, t.rank, t.shape, t.out_type, t.out_stride);
        if (t.in_place)
            memcpy(t.out_stride, t.in_stride, sizeof t.in_stride);
    }
    for (int64_t i = caller_pick(c, 4) ? 0 : caller_pick(c, 2) + 1; i; i--) { /* whatever it says */
        const int64_t v = caller_any(c);
        const size_t at = (size_t)caller_pick(c, sizeof t / 4) * 4,
                     axes = offsetof(struct gpufft_transform, n_axes);
        const bool small = (at >= 8 && at < offsetof(struct gpufft_transform, shape)) ||
                           (at >= axes && at < offsetof(struct gpufft_transform, in_stride)) ||
                           at == offsetof(struct gpufft_transform, in_place);
        memcpy((char *)&t + (small ? at : at / 8 * 8), &v, small ? 4 : 8);
    }
    return t;
}

/* Sets the bytes around the first element, of an array that the library took. */
static void span(const struct gpufft_transform *t, bool out, int64_t *low, int64_t *high) {
    const int64_t *given = out ? t->out_stride : t->in_stride;
    int64_t next = size_of[out ? t->out_type : t->in_type];
    int halved = t->n_axes ? t->axes[t->n_axes - 1] : t->rank - 1;
    bool is_given = false;
    halved += halved < 0 ? t->rank : 0;
    *low = 0;
    *high = next;
    for (int i = 0; i < t->rank; i++)
        is_given = is_given || given[i];
    for (int i = t->rank - 1; i >= 0; i--) {
        const bool half = t->half && i == halved && out == (t->direction == GPUFFT_FORWARD);
        const int64_t n = half ? t->shape[i] / 2 + 1 : t->shape[i],
                      stride = is_given ? given[i] : next;
        *(stride > 0 ? high : low) += (n - 1) * stride;
        next *= n;
    }
}

void caller_make_plan(struct caller *c, struct gpufft *library, int number, struct plan *p) {
    p->t = caller_transform(c);
    p->library = number;
    const bool no_place = !caller_pick(c, 40), none = !caller_pick(c, 40);
    caller_arm(c);
    caller_judge(c, "plan_make",
                 gpufft_plan_make(library, none ? NULL : &p->t, no_place ? NULL : &p->plan),
                 !library || none || no_place ? GPUFFT_EUSAGE : UNKNOWN);
    if (!p->plan)
        return;
    for (int i = 0; i < 2; i++)
        span(&p->t, i, &p->low[i], &p->high[i]);
    for (int i = 0; i < 2 && p->t.in_place; i++) { /* the longer one's, twice */
        p->low[i] = p->low[i] < p->low[!i] ? p->low[i] : p->low[!i];
        p->high[i] = p->high[i] > p->high[!i] ? p->high[i] : p->high[!i];
    }
}

void caller_plan(struct caller *c) {
    struct plan *p = &c->plan[caller_pick(c, POOL)];
    struct gpufft_description d = {.size = caller_size(c, sizeof d)};
    if (!p->plan) {
        int number;
        struct gpufft *library = caller_borrow(c, &number);
        caller_make_plan(c, library, number, p);
        caller_give_back();
        return;
    }
    const bool none = !caller_pick(c, 20);
    caller_arm(c);
    if (!caller_judge(c, "describe", gpufft_plan_describe(p->plan, none ? NULL : &d),
                      none ? GPUFFT_EUSAGE : UNKNOWN))
        for (int i = -1; i <= d.n_passes; i++)
            if (!gpufft_plan_pass(p->plan, i) != (i < 0 || i == d.n_passes))
                c->wrong++;
    caller_arm(c);
    caller_judge(c, "lock",
                 gpufft_lock(p->plan, caller_pick(c, 9) ? c->memory : NULL, (size_t)caller_any(c)),
                 UNKNOWN);
    caller_judge(c, "unlock", gpufft_unlock(p->plan, caller_pick(c, 9) ? c->memory : NULL),
                 UNKNOWN);
    if (caller_pick(c, 2))
        return;
    gpufft_plan_free(p->plan);
    p->plan = NULL;
}

/* Chooses arrays for a plan; returns what their binding gives. */
static int choose_arrays(struct caller *c, const struct plan *p, const char **in, char **out) {
    const int types[] = {p->t.in_type, p->t.out_type};
    int64_t at[2], room[2], unit[2];
    bool fits = true;
    for (int i = 0; i < 2; i++) {
        room[i] = ROOM - (p->high[i] - p->low[i]);
        fits = fits && p->high[i] - p->low[i] < ROOM;
        at[i] = fits ? caller_pick(c, room[i] / 16 + 1) * 16 - p->low[i] : 0;
        unit[i] = size_of[types[i]] / (types[i] >= GPUFFT_C64 ? 2 : 1);
    }
    *in = caller_input + at[0];
    *out = c->memory + at[1];
    const int64_t kind = fits ? caller_pick(c, 12) : 0;
    if (!kind) {
        *(caller_pick(c, 2) ? in : (const char **)(void *)out) = NULL;
        return GPUFFT_EUSAGE;
    }
    if (p->t.in_place) {
        *in = kind == 1 ? *out + unit[0] : *out;
        return kind == 1 ? GPUFFT_EINVAL : UNKNOWN;
    }
    if (kind == 2) {
        *out += 1;
        return GPUFFT_EINVAL;
    }
    if (kind <= 4) { /* in the same memory */
        *in = c->memory + at[0];
        return at[0] + p->low[0] < at[1] + p->high[1] && at[1] + p->low[1] < at[0] + p->high[0]
                   ? GPUFFT_EINVAL
                   : UNKNOWN;
    }
    return UNKNOWN;
}

/* ---- bound plans ---- */

static void bind(struct caller *c, struct bound *b) {
    struct plan *p = caller_pick(c, 3) ? &c->plan[caller_pick(c, POOL)]
                                       : &caller_shared.plan[caller_pick(c, POOL)];
    const char *in = NULL;
    char *out = NULL;
    const int expected =
        p->plan ? caller_expect(c, p->library, choose_arrays(c, p, &in, &out)) : GPUFFT_EUSAGE;
    caller_arm(c);
    caller_judge(c, "bind", gpufft_plan_bind(p->plan, in, out, &b->bound), expected);
    b->of = *p;
    b->in = in;
    b->out = out;
    b->result = 0;
}

static uint32_t checksum(const char *bytes, int64_t n) {
    uint32_t sum = 1;
    for (int64_t i = 0; i < n; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 16777619u;
    return sum ? sum : 1;
}

/* Runs the plan; the same caller_input gives the same output as before. */
static void run(struct caller *c, struct bound *b) {
    const struct gpufft_transform *t = &b->of.t;
    bool strided = false;
    caller_arm(c);
    caller_ticks = caller_pick(c, 4) ? caller_ticks : caller_pick(c, 2);
    if (caller_judge(c, "run", gpufft_run(b->bound), caller_expect(c, b->of.library, UNKNOWN)))
        return;
    for (int i = 0; i < t->rank; i++)
        strided = strided || t->out_stride[i];
    if (strided || b->in < caller_input || b->in >= caller_input + ROOM)
        return;
    const uint32_t result = checksum(b->out, b->of.high[1]);
    if (b->result && b->result != result && !c->wrong++)
        snprintf(c->first, sizeof c->first, "run: another result than before");
    b->result = result;
}

void caller_bound(struct caller *c) {
    struct bound *b = &c->bound[caller_pick(c, POOL)];
    if (!b->bound) {
        bind(c, b);
        return;
    }
    switch (caller_pick(c, 5)) {
    case 0: {
        const char *in;
        char *out;
        const int expected = caller_expect(c, b->of.library, choose_arrays(c, &b->of, &in, &out));
        caller_arm(c);
        const int rc = caller_judge(c, "move", gpufft_bound_move(b->bound, in, out), expected);
        b->in = rc ? b->in : in;
        b->out = rc ? b->out : out;
        b->result = rc ? b->result : 0;
        break;
    }
    case 1:
        gpufft_bound_free(b->bound);
        b->bound = NULL;
        break;
    default:
        run(c, b);
    }
}
