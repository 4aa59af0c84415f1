/* The backends of one run of the program: chosen, opened once, plans kept from file to file. */
#ifndef GF_CLI_ENGINE_H
#define GF_CLI_ENGINE_H

#include <pthread.h>

#include "cli/settings.h"
#include "core/backend.h"

enum { GF_MAX_BACKENDS = 16 };

/* Milliseconds that one file took on a device; 0 for what was there before. */
struct gf_device_ms {
    double open, build, upload, run, download;
    int built; /* kernels compiled */
};

/* A context that a thread of its own opens while files are read. */
struct gf_opening {
    bool under_way;
    pthread_t thread;
    int backend;
    struct gf_backend_options options;
    void *context;
    int status;
    char message[512]; /* gf_message() is a thread's own */
    double ms;
};

struct gf_engine {
    const struct gf_settings *s;
    const struct gf_backend *asked; /* by --backend or --device; NULL: auto */
    int64_t runs;                   /* files ahead, for auto to weigh; 0 counts as 1 */
    void *context[GF_MAX_BACKENDS]; /* by position in gf_backends */
    unsigned open, failed;          /* bits: opened; given up by auto */
    int now;                        /* the backend that made `plan` */
    struct gf_plan *plan;
    struct gf_job job; /* what `plan` was made for */
    char why[GF_REASON];
    int64_t limit; /* bytes that arrays and workspace may take */
    bool gone;     /* the backend asked for cannot be opened, or its device is lost: nothing runs */
    struct gf_opening opening;
    struct gf_device_ms ms; /* of the file at hand: set to zero before each */
    unsigned measured;
    double copy[GF_MAX_BACKENDS];
};

/* GF_EUSAGE for an unknown --backend, GF_EABSENT for one that is not usable. */
int gf_engine_open(struct gf_engine *e, const struct gf_settings *s);
/* Begins to open the context that the job needs, on a thread, if that is on a device; without a job
 * only what was asked for. True while it is under way: gf_engine_plan() will wait for it. */
bool gf_engine_ahead(struct gf_engine *e, const struct gf_job *job);
/* Makes e->plan for the job (or keeps the last one); `auto` goes on to the next backend when the
 * chosen one fails, and says so. */
int gf_engine_plan(struct gf_engine *e, const struct gf_job *job);
int gf_engine_exec(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                   struct gf_report *report);
const char *gf_engine_name(const struct gf_engine *e); /* of the backend that made the plan */
/* True where that works on a device. */
bool gf_engine_on_device(const struct gf_engine *e);
/* Bytes a second, read plus written, that its device copies at; 0 where that is not known, and for
 * the processor. Measured once. */
double gf_engine_copy_speed(struct gf_engine *e);
void gf_engine_close(struct gf_engine *e);

#endif
