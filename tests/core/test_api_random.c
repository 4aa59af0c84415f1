/* Random calls of the library, right and wrong ones, by eight threads that share one and its plans: NULL, wild extents,
 * types, strides and options, arrays that overlap, libraries that are closed meanwhile, a tick that cancels, an
 * allocation that fails. Each call gives 0, or a code with a message. The sanitizers see to the rest. */
#include <unistd.h>

#include "tests/core/api_caller.h"

enum { THREADS = 8 };

static char folder[] = "/tmp/test_api.XXXXXX";

/* ---- operations ---- */

static const struct named {
    const char *name, *options[3];
    int with, expected;
} named[] = {
    {"filter", {"lowpass=5", "edges=mirror"}, 0, UNKNOWN},
    {"filter", {"deconvolve=gaussian:1", "iterations=2"}, 0, UNKNOWN},
    {"filter", {"deconvolve=disk:2"}, 0, UNKNOWN},
    {"filter", {"auto-notch", "destripe=auto"}, 0, UNKNOWN},
    {"filter", {"convolve=kernel"}, 1, UNKNOWN},
    {"window", {"window=hann", "edges=smooth"}, 0, UNKNOWN},
    {"spectrum", {"kind=power"}, 0, UNKNOWN},
    {"spectrum", {"window=hann", "range=0,9"}, 0, UNKNOWN},
    {"match", {"peaks=2"}, 1, UNKNOWN},
    {"register", {"fill=edge"}, 1, UNKNOWN},
    {"frc", {NULL}, 1, UNKNOWN},
    {"stats", {"psd", "peaks=3"}, 0, UNKNOWN},
    {"dwt", {"levels=1", "boundary=symmetric"}, 0, UNKNOWN},
    {"dwt", {"axes=0", "threshold=hard:5%"}, 0, UNKNOWN},
    {"idwt", {"levels=1"}, 0, UNKNOWN},
    {"sharpen", {NULL}, 0, GPUFFT_EUSAGE},
    {"", {NULL}, 0, GPUFFT_EUSAGE},
    {NULL, {"lowpass=5"}, 0, GPUFFT_EUSAGE},
    {"filter", {"lowpass=x"}, 0, GPUFFT_EUSAGE},
    {"filter", {"lowpass=5", "="}, 0, GPUFFT_EUSAGE},
    {"frc", {"axes=%s%n"}, 0, GPUFFT_EUSAGE},
    {"match", {NULL}, 0, GPUFFT_EINVAL},
};

/* An array of the caller_input's bytes. *expected: what is wrong with it. */
static struct gpufft_array array_of(struct caller *c, int *expected) {
    static const int types[] = {GPUFFT_F32, GPUFFT_F32, GPUFFT_F64, GPUFFT_U8};
    struct gpufft_array a = {.size = sizeof a,
                             .type = caller_pick(c, 5) ? types[caller_pick(c, 4)]
                                                       : (int)caller_pick(c, 10),
                             .rank = (int)caller_pick(c, 3) + 1,
                             .data = caller_input,
                             .channels = !caller_pick(c, 5)};
    const bool alike = caller_pick(c, 2); /* as further arrays are */
    for (int i = 0; i < a.rank; i++)
        a.shape[i] = alike ? 10 : caller_pick(c, a.rank > 2 ? 10 : 24) + 1;
    if (a.channels)
        a.shape[a.rank++] = caller_pick(c, 3) + 1;
    if (caller_pick(c, 5))
        return a;
    *expected = FAILS;
    switch (caller_pick(c, 8)) {
    case 0:
        a.size = 4;
        break;
    case 1:
        a.type = caller_pick(c, 2) ? -1 : 10;
        break;
    case 2:
        a.rank = caller_pick(c, 2) ? 0 : 5;
        break;
    case 3:
        a.shape[0] = caller_pick(c, 2) ? 0 : INT64_MAX;
        break;
    case 4:
        a.channels = caller_pick(c, 2) ? 3 : -1;
        break;
    case 5:
        a.stride[0] = INT64_MIN;
        break;
    case 6:
        a.shape[a.rank - 1] = -1;
        break;
    default:
        a.rank = INT32_MIN;
    }
    return a;
}

static void open_operation(struct caller *c, struct op *o) {
    const struct named *n = &named[caller_pick(c, sizeof named / sizeof *named)];
    int expected = n->expected, wrong = UNKNOWN;
    const struct gpufft_array with = array_of(c, &wrong);
    const bool missing = n->with && !caller_pick(c, 9);
    struct gpufft *library = caller_borrow(c, &o->library);
    if (missing || (n->with && wrong))
        expected = expected ? expected : FAILS;
    caller_arm(c);
    caller_judge(c, n->name ? n->name : "open",
                 gpufft_operation_open(library, n->name, n->options, missing ? NULL : &with,
                                       n->with, &o->op),
                 !library ? GPUFFT_EUSAGE : expected);
    caller_give_back();
}

/* Reads all facts, and the first value of each. */
static void read_facts(struct caller *c, const struct gpufft_operation *op) {
    struct gpufft_fact f = {.size = sizeof f};
    double sum = 0;
    int rc;
    for (int64_t i = 0; (rc = gpufft_operation_fact(op, i, &f)) > 0; i++)
        if (f.data && f.rows && f.kind == GPUFFT_FACT_REAL)
            sum += *(const double *)f.data;
    caller_judge(c, "facts", rc, UNKNOWN);
    c->wrong += sum < 0 && sum > 0;
}

/* Describes the result for an caller_input and, mostly, makes it. */
static void run_operation(struct caller *c, struct op *o) {
    int wrong = UNKNOWN;
    struct gpufft_array in = array_of(c, &wrong), out = {.size = sizeof out};
    int64_t bytes;
    caller_arm(c);
    const int rc =
        caller_judge(c, "describe",
                     gpufft_operation_describe(o->op, &in, &out, caller_pick(c, 2) ? &bytes : NULL),
                     caller_expect(c, o->library, wrong));
    if ((rc && caller_pick(c, 4)) || gpufft_array_bytes(&out) > ROOM / 16)
        return;
    wrong = wrong || rc == GPUFFT_EINVAL || rc == GPUFFT_EUSAGE ? FAILS : UNKNOWN;
    out.data = c->memory;
    struct gpufft_array *to = rc || out.rank ? &out : NULL;
    if (out.rank && !rc)
        out.type = caller_pick(c, 2) ? out.type : (int)caller_pick(c, 10);
    switch (caller_pick(c, 12)) {
    case 0:
        in.data = caller_pick(c, 2) ? NULL : caller_input + 1;
        wrong = in.data && (in.type == GPUFFT_U8 || in.type == GPUFFT_I8) ? UNKNOWN : FAILS;
        break;
    case 1:
        out.data = in.data;
        wrong = to ? FAILS : wrong;
        break;
    case 2:
        out.shape[0] += caller_pick(c, 2) ? 1 : -1;
        wrong = to ? FAILS : wrong;
        break;
    case 3:
        wrong = to && !rc ? FAILS : wrong; /* else it may have none */
        to = NULL;
        break;
    default:
        break;
    }
    for (int64_t i = caller_pick(c, 2) + 1; i; i--) {
        caller_arm(c);
        caller_ticks = caller_pick(c, 4) ? caller_ticks : caller_pick(c, 9);
        if (!caller_judge(c, "operate", gpufft_operation_run(o->op, &in, to),
                          caller_expect(c, o->library, wrong)))
            read_facts(c, o->op);
    }
}

static void call_operation(struct caller *c) {
    struct op *o = &c->op[caller_pick(c, POOL)];
    if (!o->op) {
        open_operation(c, o);
    } else if (caller_pick(c, 4)) {
        run_operation(c, o);
    } else {
        gpufft_operation_free(o->op);
        o->op = NULL;
    }
}

/* ---- pictures ---- */

static const char *const files[] = {"good.png", "good.npy", "cut.png", "text.png", "none.png"};
static const char *const suffixes[] = {"png", "npy", "tif", "pgm", "xyz", ""};

static void read_image(struct caller *c) {
    static const char *const odd[] = {"", "-", NULL, "/"};
    char path[256];
    const int64_t kind = caller_pick(c, 7);
    int number;
    struct gpufft *library = caller_borrow(c, &number);
    snprintf(path, sizeof path, "%s/%s", folder, files[kind % 5]);
    caller_arm(c);
    caller_judge(c, "image_read",
                 gpufft_image_read(library, kind < 5 ? path : odd[caller_pick(c, 4)], &c->image),
                 !library   ? GPUFFT_EUSAGE
                 : kind > 1 ? FAILS
                            : UNKNOWN);
    c->image_library = number;
    caller_give_back();
}

static void write_image(struct caller *c, const struct gpufft_array *a, int wrong) {
    char path[256];
    const struct gpufft_transform t = caller_transform(c);
    const int64_t suffix = caller_pick(c, 6);
    int number;
    struct gpufft *library = caller_borrow(c, &number);
    snprintf(path, sizeof path, "%s%s/%d.%s", folder, caller_pick(c, 9) ? "" : "/none", c->number,
             suffixes[suffix]);
    caller_arm(c);
    caller_judge(c, "image_write",
                 gpufft_image_write(library, path, a, caller_pick(c, 3) ? NULL : &t),
                 !library              ? GPUFFT_EUSAGE
                 : wrong || suffix > 3 ? FAILS
                                       : UNKNOWN);
    caller_give_back();
}

static void call_image(struct caller *c) {
    int wrong = UNKNOWN;
    struct gpufft_array a = array_of(c, &wrong);
    struct gpufft_transform t = {.size = caller_size(c, sizeof t)};
    const char *unit;
    double spacing;
    if (!c->image) {
        read_image(c);
        return;
    }
    switch (caller_pick(c, 4)) {
    case 0:
        a.size = caller_size(c, sizeof a);
        caller_judge(c, "samples", gpufft_image_samples(c->image, caller_pick(c, 9) ? &a : NULL),
                     UNKNOWN);
        caller_judge(c, "spacing",
                     gpufft_image_spacing(c->image, (int)caller_any(c), &spacing, &unit), UNKNOWN);
        caller_judge(c, "inverse", gpufft_image_inverse(c->image, caller_pick(c, 9) ? &t : NULL),
                     UNKNOWN);
        break;
    case 1:
        if (!gpufft_image_samples(c->image, &a))
            write_image(c, &a, UNKNOWN);
        break;
    case 2:
        write_image(c, &a, wrong);
        break;
    default:
        gpufft_image_free(c->image);
        c->image = NULL;
    }
}

/* ---- all of them ---- */

static void call_none(struct caller *c) {
    struct gpufft_array a = {
        .size = sizeof a, .type = (int)caller_any(c), .rank = (int)caller_any(c)};
    void *memory = gpufft_alloc((size_t)caller_pick(c, 1000));
    gpufft_free(memory);
    a.shape[0] = caller_any(c);
    gpufft_array_bytes(&a);
    if (gpufft_good_size(caller_any(c)) < 0)
        c->wrong++;
    caller_judge(c, "run", gpufft_run(NULL), GPUFFT_EUSAGE);
    caller_judge(c, "move", gpufft_bound_move(NULL, caller_input, c->memory), GPUFFT_EUSAGE);
    caller_judge(c, "operate", gpufft_operation_run(NULL, &a, &a), GPUFFT_EUSAGE);
    caller_judge(c, "describe", gpufft_plan_describe(NULL, NULL), GPUFFT_EUSAGE);
    caller_judge(c, "samples", gpufft_image_samples(NULL, &a), GPUFFT_EUSAGE);
}

static int64_t most; /* calls of a thread in a round */

static void *work(void *user) {
    struct caller *c = user;
    const int64_t end = c->calls + most;
    while (c->calls < end) {
        const int64_t kind = caller_pick(c, 100);
        if (kind < 6 || (!c->library && kind < 30))
            caller_library(c);
        else if (kind < 20)
            caller_plan(c);
        else if (kind < 60)
            caller_bound(c);
        else if (kind < 90)
            call_operation(c);
        else if (kind < 99)
            call_image(c);
        else
            call_none(c);
    }
    for (int i = 0; i < POOL; i++) {
        gpufft_plan_free(c->plan[i].plan);
        gpufft_bound_free(c->bound[i].bound);
        gpufft_operation_free(c->op[i].op);
    }
    gpufft_image_free(c->image);
    gpufft_close(c->library);
    return NULL;
}

/* One library and its plans, for all threads. */
static void open_shared(struct caller *c) {
    const struct gpufft_options o = {.size = sizeof o,
                                     .backend = "openmp",
                                     .threads = 2,
                                     .tick = caller_pick(c, 2) ? caller_tick : NULL};
    caller_arm(c);
    caller_starves = 0;
    caller_ticks = INT64_MAX;
    NEED(!gpufft_open(&o, &caller_shared.library));
    for (int i = 0; i < POOL; i++) {
        caller_shared.plan[i].plan = NULL;
        caller_make_plan(c, caller_shared.library, 0, &caller_shared.plan[i]);
    }
}

static void test_calls(int64_t calls) {
    static struct caller caller[THREADS];
    const char *seed = getenv("SEED");
    const int rounds = (int)(calls / 4000) + 1;
    int64_t sum[4] = {0};
    most = calls / rounds / THREADS;
    for (int i = 0; i < THREADS; i++) {
        caller[i].number = i;
        caller[i].state = (uint64_t)(seed ? atoll(seed) : 1) * 1000 + (uint64_t)i;
    }
    for (int round = 0; round < rounds; round++) {
        pthread_t thread[THREADS];
        open_shared(&caller[0]);
        for (int i = 0; i < THREADS; i++) {
            struct caller *c = &caller[i];
            memset(c->plan, 0, sizeof c->plan);
            memset(c->bound, 0, sizeof c->bound);
            memset(c->op, 0, sizeof c->op);
            c->library = NULL;
            c->image = NULL;
            c->serial++;
            NEED(!pthread_create(&thread[i], NULL, work, c));
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
        gpufft_close(caller_shared.library);
        for (int i = 0; i < POOL; i++)
            gpufft_plan_free(caller_shared.plan[i].plan);
    }
    for (int i = 0; i < THREADS; i++) {
        const struct caller *c = &caller[i];
        CHECK_MSG(!c->wrong, "thread %d: %lld wrong, the first: %s", i, (long long)c->wrong,
                  c->first);
        sum[0] += c->calls;
        sum[1] += c->good;
        sum[2] += c->canceled;
        sum[3] += c->starved;
    }
    printf("%lld calls, %lld good, %lld canceled, %lld without memory\n", (long long)sum[0],
           (long long)sum[1], (long long)sum[2], (long long)sum[3]);
    CHECK(sum[0] >= calls && sum[1] > sum[0] / 8 && sum[1] < sum[0] * 3 / 4);
    if (calls >= 20000)
        CHECK_MSG(sum[2] > sum[0] / 1000 && sum[3] > sum[0] / 1000, "too few of a kind");
}

/* Makes the pictures that are read. */
static void make_files(void) {
    struct gpufft *g;
    char path[256], bytes[60];
    const struct gpufft_options o = {.size = sizeof o, .backend = "openmp", .threads = 1};
    const struct gpufft_array a = {
        .size = sizeof a, .type = GPUFFT_U8, .rank = 2, .shape = {12, 12}, .data = caller_input};
    for (int i = 0; i < ROOM / 4; i++)
        ((float *)(void *)caller_input)[i] = 1 + (float)(i * 7919 % 1009) / 300;
    NEED(mkdtemp(folder) && !gpufft_open(&o, &g));
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        NEED(!gpufft_image_write(g, path, &a, NULL));
    }
    snprintf(path, sizeof path, "%s/%s", folder, files[0]);
    FILE *whole = fopen(path, "rb");
    NEED(whole && fread(bytes, 1, sizeof bytes, whole) == sizeof bytes);
    fclose(whole);
    for (int i = 2; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        FILE *f = fopen(path, "wb");
        NEED(f && fwrite(i == 2 ? bytes : "no picture", 1, i == 2 ? 60 : 10, f));
        fclose(f);
    }
    gpufft_close(g);
}

static void remove_files(void) {
    char path[256];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < 5; k++) {
            snprintf(path, sizeof path, "%s/%d.%s", folder, i, k < 4 ? suffixes[k] : "npy.json");
            unlink(path);
        }
    CHECK(!rmdir(folder));
}

/* usage: test_api_random [CALLS]; SEED=N chooses others */
int main(int argc, char **argv) {
    make_files();
    RUN("random calls give a code or succeed, in eight threads",
        test_calls(argc > 1         ? atoll(argv[1])
                   : getenv("LONG") ? 100000
                                    : 2000));
    RUN("no file is left", remove_files());
    return TEST_END();
}
