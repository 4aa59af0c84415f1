/* The backends of one run of the program: chosen, opened once, plans kept from file to file. */
#ifndef GF_CLI_ENGINE_H
#define GF_CLI_ENGINE_H

#include "cli/settings.h"
#include "core/backend.h"

enum { GF_MAX_BACKENDS = 16 };

struct gf_engine {
    const struct gf_settings *s;
    const struct gf_backend *asked; /* by --backend; NULL: auto */
    void *context[GF_MAX_BACKENDS]; /* by position in gf_backends */
    unsigned open, failed;          /* bits: opened; given up by auto */
    int now;                        /* the backend that made `plan` */
    struct gf_plan *plan;
    struct gf_job job; /* what `plan` was made for */
    char why[GF_REASON];
    int64_t limit; /* bytes that arrays and workspace may take */
};

/* GF_EUSAGE for an unknown --backend, GF_EABSENT for one that is not usable. */
int gf_engine_open(struct gf_engine *e, const struct gf_settings *s);
/* Makes e->plan for the job (or keeps the last one); `auto` goes on to the next backend when the
 * chosen one fails, and says so. */
int gf_engine_plan(struct gf_engine *e, const struct gf_job *job);
int gf_engine_exec(struct gf_engine *e, const struct gf_array *in, struct gf_array *out,
                   struct gf_report *report);
const char *gf_engine_name(const struct gf_engine *e); /* of the backend that made the plan */
void gf_engine_close(struct gf_engine *e);

#endif
