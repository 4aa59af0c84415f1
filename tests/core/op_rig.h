/* For tests of core/op: samples that a program elsewhere can make as well, and operations in one thread and in four.
 *
 *     static int run_it(const struct gf_crew *crew, int which, double *fact) { ... return n; }
 *     NEED(!op_begin());
 *     RUN("it finds", op_check(run_it, 0, 1e-10, 2, (double[]){0.5, 3}));
 *     op_end();
 */
#ifndef GF_TESTS_OP_RIG_H
#define GF_TESTS_OP_RIG_H

#include <math.h>
#include <pthread.h>

#include "core/base/value/sample_value.h"
#include "core/op/operations.h"
#include "tests/test.h"

enum { OP_THREADS = 4, OP_FACTS = 64 };

static struct gf_engine *op_engine;

__attribute__((unused)) static int op_begin(void) {
    static struct gf_request request;
    int rc = gf_request_one(NULL, &request, NULL, "openmp", NULL);
    return rc ? rc
              : gf_engine_open(&op_engine,
                               &(struct gf_engine_options){.request = &request,
                                                           .memory_limit = INT64_C(1) << 30});
}

__attribute__((unused)) static void op_end(void) {
    gf_engine_close(op_engine);
}

static double op_noise(int64_t seed, const int64_t *at, int rank) {
    uint32_t x = (uint32_t)seed * 2654435761u;
    for (int i = 0; i < rank; i++) {
        x = (x ^ (uint32_t)at[i]) * 2246822519u;
        x ^= x >> 15;
    }
    return (double)(x * 3266489917u >> 8) / 65536; /* 0 to 256 */
}

/* The mean of the noise at a place and before it, along each axis. */
__attribute__((unused)) static double op_field(int64_t seed, const int64_t *at, int rank) {
    double sum = 0;
    for (int k = 0; k < 1 << rank; k++) {
        int64_t from[GF_MAX_DIMS];
        for (int i = 0; i < rank; i++)
            from[i] = at[i] - (k >> i & 1);
        sum += op_noise(seed, from, rank);
    }
    return sum / (1 << rank);
}

/* Makes an array of a field from `first` samples along each axis on, whole ones if they are to be of `t` u8. The
 * array is of f64 then, as match and frc have such a file. */
__attribute__((unused)) static struct gf_array
op_make(enum gf_dtype t, int rank, const int64_t *shape, int64_t first, int64_t seed) {
    struct gf_array a;
    if (gf_array_alloc(&a, t == GF_U8 ? GF_F64 : t, rank, shape))
        abort();
    for (int64_t i = 0; i < gf_array_count(&a); i++) {
        int64_t at[GF_MAX_DIMS];
        gf_array_unravel(&a, i, at);
        for (int k = 0; k < rank; k++)
            at[k] += first;
        const double v = op_field(seed, at, rank);
        gf_sample_put(gf_array_at(&a, i), a.dtype, t == GF_U8 ? floor(v) : v);
    }
    return a;
}

/* The array with an axis of one channel. */
__attribute__((unused)) static struct gf_array op_wide(const struct gf_array *a) {
    struct gf_array wide = *a;
    wide.base = NULL;
    wide.shape[wide.rank] = 1;
    wide.stride[wide.rank++] = (int64_t)gf_dtype_size(a->dtype);
    return wide;
}

/* Opens and runs an operation of a kind and a crew on an array, whose steps op_drop() ends, after a failure too. All
 * are without channels. */
__attribute__((unused)) static int op_apply(struct gf_operation *op, void *options,
                                            const struct gf_array *with, int n,
                                            const struct gf_array *px, struct gf_array *out) {
    struct gf_array further[2];
    const struct gf_array in = op_wide(px);
    for (int i = 0; i < n; i++)
        further[i] = op_wide(&with[i]);
    const int rc = gf_operation_open(op, options, further, n);
    if (rc)
        return rc;
    gf_operation_begin(op, &in);
    return gf_operation_apply(op, &in, out);
}

__attribute__((unused)) static void op_drop(struct gf_operation *op) {
    gf_operation_drop(op);
    gf_operation_close(op);
}

/* The fact of that key among n, and a column of a table. */
__attribute__((unused)) static const struct gf_fact *op_find(const struct gf_fact *fact, int64_t n,
                                                             const char *key) {
    for (int64_t i = 0; i < n; i += 1 + fact[i].within)
        if (fact[i].key && !strcmp(fact[i].key, key))
            return &fact[i];
    return NULL;
}

__attribute__((unused)) static const struct gf_fact *op_column(const struct gf_facts *facts,
                                                               const char *table, const char *key) {
    static const struct gf_fact none = {.rows = 0};
    const struct gf_fact *f = op_find(facts->fact, facts->n, table);
    f = f ? op_find(f + 1, f->within, key) : NULL;
    return f ? f : &none;
}

/* Number i of row `row` of a column. */
__attribute__((unused)) static double op_value(const struct gf_fact *f, int64_t row, int i) {
    return ((const double *)((const char *)f->data + (size_t)row * f->stride))[i];
}

/* A check in a thread. */
#define OP_CHECK(condition) op_holds(condition, #condition, __LINE__)
__attribute__((unused)) static void op_holds(bool holds, const char *what, int line) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    CHECK_MSG(holds, "%s, line %d: %s", what, line, gf_message());
    pthread_mutex_unlock(&lock);
}

/* Writes what it finds as numbers, and returns how many. It runs in threads. */
typedef int op_run(const struct gf_crew *crew, int which, double *fact);

struct op_work {
    op_run *run;
    int which, n;
    double fact[OP_FACTS];
};

static void *op_do(void *user) {
    struct op_work *w = user;
    struct gf_runner runner;
    gf_runner_open(&runner, op_engine, 0, 1);
    const struct gf_crew crew = {.runner = &runner, .threads = 1};
    w->n = w->run(&crew, w->which, w->fact);
    gf_runner_close(&runner);
    return NULL;
}

/* Compares what an operation finds with `expected`, which may be off by so much, and with what it finds in each of
 * four threads. */
__attribute__((unused)) static void op_check(op_run *run, int which, double error, int n,
                                             const double *expected) {
    struct op_work first = {run, which, 0, {0}}, at_once[OP_THREADS];
    pthread_t thread[OP_THREADS];
    op_do(&first);
    CHECK_EQ(first.n, n);
    for (int i = 0; i < n; i++)
        CHECK_MSG(fabs(first.fact[i] - expected[i]) <= error * fmax(1, fabs(expected[i])),
                  "row %d, number %d: expected %.17g, got %.17g", which, i, expected[i],
                  first.fact[i]);
    for (int i = 0; i < OP_THREADS; i++) {
        at_once[i] = (struct op_work){run, which, 0, {0}};
        if (pthread_create(&thread[i], NULL, op_do, &at_once[i]))
            abort();
    }
    for (int i = 0; i < OP_THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < OP_THREADS; i++)
        CHECK_MSG(at_once[i].n == n && !memcmp(at_once[i].fact, first.fact, sizeof first.fact),
                  "row %d: thread %d differs", which, i);
}

#endif
