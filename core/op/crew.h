/* Who does the work of an operation, a function from arrays to arrays (core/op): a runner of
 * the engine, its threads, and the memory that is taken already.
 *
 *     struct gf_crew crew = {.runner = &runner, .threads = 4, .held = gf_array_bytes(&picture)};
 *     rc = gf_crew_run(&crew, &job, &picture, &spectrum);
 *
 * crew.c */
#ifndef GF_CORE_OP_CREW_H
#define GF_CORE_OP_CREW_H

#include "core/engine/engine.h"

struct gf_crew {
    struct gf_runner *runner; /* keeps its last plan */
    int threads;
    int64_t held; /* bytes of the caller's arrays, which count towards the engine's limit */
};

/* Plans a job, with a lean plan if the other one and what is held exceed the memory limit. */
int gf_crew_fit(const struct gf_crew *c, struct gf_job *job);
/* The same; GF_ENOMEM, with the need in its message, if the lean plan exceeds it too. */
int gf_crew_plan(const struct gf_crew *c, struct gf_job *job);
/* Plans a job likewise and runs it; `in` and `out` are allocated in the job's shapes. */
int gf_crew_run(const struct gf_crew *c, struct gf_job *job, const struct gf_array *in,
                struct gf_array *out);

#endif
