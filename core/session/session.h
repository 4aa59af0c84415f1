/* What runs the jobs of one picture after another: its backend chosen, the plan kept from file to
 * file. Where several pictures are at work each has an engine, and what cannot be several is in the
 * contexts that they share. */
#ifndef GF_CORE_SESSION_SESSION_H
#define GF_CORE_SESSION_SESSION_H

#include "core/session/contexts.h"

/* Milliseconds that one file took on a device; 0 for what was there before. */
struct gf_device_ms {
    double open, build, upload, run, download;
    int built; /* kernels compiled */
};

struct gf_engine {
    const struct gf_settings *s; /* with the threads that are this engine's */
    struct gf_contexts *contexts;
    int64_t runs;         /* files ahead, for auto to weigh; 0 counts as 1 */
    void *own;            /* the processor's context, and its plan for own_job */
    struct gf_plan *kept; /* that plan */
    struct gf_job kept_job;
    int now;                    /* the backend that `job` is planned with; -1: none */
    struct gf_job job;          /* what gf_engine_plan() was asked for */
    const struct gf_plan *plan; /* for it; NULL where a shared context plans it when it runs */
    int64_t workspace;          /* bytes that the plan takes, as far as it is known */
    bool decided;               /* `now` is auto's choice for this file's job */
    char why[GF_REASON];
    int64_t limit;          /* bytes that arrays and workspace may take */
    struct gf_device_ms ms; /* of the file at hand */
};

void gf_engine_open(struct gf_engine *e, const struct gf_settings *s, struct gf_contexts *contexts,
                    int64_t limit);
/* The next file, and how many there are with it. */
void gf_engine_next(struct gf_engine *e, int64_t runs);
/* Begins to open the context that the job needs, on a thread, if that is on a device; without a job
 * only what was asked for. True while it is under way: gf_engine_plan() will wait for it. */
bool gf_engine_ahead(struct gf_engine *e, const struct gf_job *job);
/* Plans the job (or keeps the last plan); `auto` goes on to the next backend when the chosen one
 * fails, and says so. */
int gf_engine_plan(struct gf_engine *e, const struct gf_job *job);
int gf_engine_exec(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                   struct gf_report *report);
/* Lets go of the memory that a plan of the engine's own holds. */
void gf_engine_forget(struct gf_engine *e);
const char *gf_engine_name(const struct gf_engine *e); /* of the backend that made the plan */
/* True where that works on a device. */
bool gf_engine_on_device(const struct gf_engine *e);
/* Bytes a second, read plus written, that its device copies at; 0 where that is not known, and for
 * the processor. Measured once. */
double gf_engine_copy_speed(struct gf_engine *e);
void gf_engine_close(struct gf_engine *e);

#endif
