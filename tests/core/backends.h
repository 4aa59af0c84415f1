/* Shared by the sections of test_backends: one backend under test, jobs made in a line, runs. */
#ifndef GF_TESTS_BACKENDS_H
#define GF_TESTS_BACKENDS_H

#include "core/base/job/backend.h"

/* The error that came nearest to its bound. */
struct worst {
    double ratio, error;
    char what[160];
};

struct subject {
    const struct gf_backend *backend;
    void *context[2]; /* of one thread, of as many as there are */
    int64_t runs;
    bool full;          /* the long run */
    bool small;         /* the short one */
    bool tiny;          /* for a simulator */
    const char *device; /* of a backend that has several */
    uint64_t seed;
    int64_t shard, shards, asked; /* of all checks only every shards-th is made */
    int passed, failed;
    struct worst worst[2][2]; /* [precision][a prime factor above 13] */
};

/* A case (tests/test.h) whose checks are counted in *s. */
#define RUN_COUNTED(s, name, ...) \
    RUN(name, __VA_ARGS__; TEST_ADD((s)->passed, (s)->failed); (s)->passed = (s)->failed = 0)

/* Sections; each adds its checks to passed and failed. */
void backends_accuracy(struct subject *s);
void backends_laws(struct subject *s);
void backends_outputs(struct subject *s);
void backends_filters(struct subject *s);
void backends_named_filters(struct subject *s);
void backends_named(struct subject *s);
void backends_large(struct subject *s);
/* Runs a job in words on random input on both, and compares the first outputs. */
void backends_compare(struct subject *s, struct subject *yardstick, const char *text);

/* Counts a check, and returns whether it is among those that this run makes: a backend whose kernels
 * take a second each to build is tried on a sample, or by several processes at once. */
bool backends_mine(struct subject *s);
uint64_t backends_random(uint64_t *seed);
int64_t backends_below(uint64_t *seed, int64_t n);
/* Floats uniform in [-0.5, 0.5), integers over their whole range. */
void backends_fill(struct gf_array *a, uint64_t *seed);

/* In every other job only a part of the samples is counted for clipping. */
void backends_count_part(struct subject *s, struct gf_job *job);
/* A job over all axes, with one complex output of the precision's type. */
struct gf_job backends_job(enum gf_direction direction, enum gf_dtype in, enum gf_precision p,
                           int ndim, int64_t n0, int64_t n1, int64_t n2);
/* One of the five transforms there are, 0 to 4, of the job's shape and precision, with one output: real and
 * complex both ways, back to real from full and half. */
struct gf_job backends_variant(struct gf_job job, int which);
/* Makes output arrays where out[i].data is NULL, plans, runs, unplans. Small jobs mostly run on
 * one thread: a team costs more than they do, above all on a busy machine. */
int backends_run(struct subject *s, const struct gf_job *job, const struct gf_array *in,
                 struct gf_array *out, struct gf_report *report);
/* Whether this is the refusal of a job by a backend that does plain transforms alone: such jobs are
 * passed over. tests/gpu/test_opengl.c holds which ones it must not refuse. */
bool backends_refused(const struct subject *s, int rc);
/* A check that a job ran, where the backend does such jobs. */
#define CHECK_RAN(s, rc, ...) \
    do { \
        if (!backends_refused(s, rc)) \
            CHECK_MSG(!(rc), __VA_ARGS__); \
    } while (0)
/* Runs the job on random input and compares every output with the plain loops; strided: arrays
 * whose elements lie apart. */
void backends_check(struct subject *s, const struct gf_job *job, bool strided);
/* Runs the job on random input, checks the error of output 0, numbers as they are, and remembers the
 * worst. */
void backends_measure(struct subject *s, const struct gf_job *job);
/* A job in words, see tests/core/backend_jobs.c; false when they are none. */
bool backends_parse(const char *text, struct gf_job *job);
/* The same with a filter after a bar, see tests/core/backend_filters.c, which the caller frees. */
bool backends_parse_filtered(struct subject *s, const char *text, struct gf_job *job,
                             struct gf_filter **filter);
/* Whether the backend has filters; those that are known to must. */
bool backends_has_filters(struct subject *s);
const char *const *backends_named_jobs(int *n);
/* "forward 6x7 axes 3 channels 1, f32, double" */
const char *backends_text(const struct gf_job *job, char text[160]);

#endif
