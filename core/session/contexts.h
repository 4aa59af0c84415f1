/* The contexts that all engines of one run share: each backend's is opened once, and one thread
 * works there at a time, while others decode and encode.
 * What does not depend on threads to give the same bytes (openmp) each engine has for itself. */
#ifndef GF_CORE_SESSION_CONTEXTS_H
#define GF_CORE_SESSION_CONTEXTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "cli/settings.h"
#include "core/base/backend.h"

enum { GF_MAX_BACKENDS = 16, GF_DECISIONS = 8, GF_SHARED_PLANS = 4 };

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

/* What auto has taken for a job. Kept, so that the same job gets the same backend throughout a run,
 * however few files are left. */
struct gf_decision {
    struct gf_job job;
    bool open; /* a device had been chosen before */
    int backend;
    char why[GF_REASON];
};

/* A folder's pictures are often of two or three shapes: on a device a few plans are kept. */
struct gf_shared_plan {
    struct gf_plan *plan;
    struct gf_job job; /* what it was made for */
    int backend;
    int64_t used; /* when, by the count of uses */
};

struct gf_contexts {
    const struct gf_settings *s;
    const struct gf_backend *asked; /* by --backend or --device; NULL: auto */
    bool eager;                     /* one engine only: plans are made when they are asked for */
    pthread_mutex_t work;           /* held by who opens, plans or runs: guards what follows */
    void *context[GF_MAX_BACKENDS]; /* by position in gf_backends; valid where `open` says so */
    struct gf_shared_plan plan[GF_SHARED_PLANS];
    int64_t uses;
    unsigned measured;
    double copy[GF_MAX_BACKENDS];
    atomic_uint open, failed; /* bits: opened; given up by auto */
    /* The backend asked for cannot be opened, or its device is lost: nothing runs any more. */
    atomic_bool gone;
    pthread_mutex_t small; /* guards the rest; never held for long */
    struct gf_opening opening;
    bool chosen; /* auto has taken a device for some job */
    struct gf_decision decision[GF_DECISIONS];
    int n_decisions;
};

/* GF_EUSAGE for an unknown --backend, GF_EABSENT for one that is not usable. */
int gf_contexts_init(struct gf_contexts *c, const struct gf_settings *s);
void gf_contexts_close(struct gf_contexts *c);

int gf_contexts_position(const struct gf_backend *b);
/* Whether engines share this backend's context. */
bool gf_contexts_share(int backend);
/* Begins to open backend i on a thread. False where it is open, or cannot be opened any more. */
bool gf_contexts_ahead(struct gf_contexts *c, int i);
/* With `work` held: waits for that thread, if there is one. Its failure is that of the next one to
 * need the context; *backend is set to what failed. */
int gf_contexts_join(struct gf_contexts *c, double *ms, int *backend);
/* With `work` held. */
int gf_contexts_open(struct gf_contexts *c, int i, double *ms);
/* The plan for this job that is kept, or NULL. */
struct gf_plan *gf_contexts_find(struct gf_contexts *c, int i, const struct gf_job *job);
/* Makes room for one more of backend i, and returns the place. */
struct gf_shared_plan *gf_contexts_place(struct gf_contexts *c, int i);
/* Lets go of all plans but this one (NULL: of all). How many those were. */
int gf_contexts_unplan(struct gf_contexts *c, const struct gf_plan *but);

/* Opens a context for settings `s`, in the calling thread. */
int gf_context_open(const struct gf_settings *s, int i, void **context, double *ms);

#endif
