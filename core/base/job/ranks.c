/* Calls of the plugin, with statuses. */
#include "core/base/job/ranks.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/host/dl.h"

struct symbols {
    gf_transport_get *get;
};

/* A plugin runs as this program: nobody but the user and root may have written it. */
static int check_owned(const char *path) {
    struct stat st;
    if (stat(path, &st))
        return gf_fail(GF_EABSENT, "no '%s'", path);
    const bool ours = !st.st_uid || st.st_uid == geteuid();
    if (ours && !(st.st_mode & (S_IWGRP | S_IWOTH)))
        return 0;
    return gf_fail(GF_EUSAGE, "the plugin is not loaded: '%s' %s", path,
                   ours ? "can be written by others; chmod go-w"
                        : "belongs to neither you nor root; chown");
}

static int check_plugin(const char *plugin) {
    char *real = realpath(plugin, NULL), *folder[] = {strdup(plugin), real ? strdup(real) : NULL};
    int rc = real ? check_owned(real) : gf_fail(GF_EABSENT, "no '%s'", plugin);
    for (int i = 0; i < 2 && !rc; i++)
        rc = folder[i] ? check_owned(dirname(folder[i])) : gf_no_memory();
    free(folder[0]);
    free(folder[1]);
    free(real);
    return rc;
}

int gf_ranks_open(const char *plugin, struct gf_ranks *r) {
    static const struct gf_dl_symbol table[] = {
        {GF_TRANSPORT_SYMBOL, offsetof(struct symbols, get)}, {NULL, 0}};
    struct symbols symbols;
    void *handle;
    *r = (struct gf_ranks){.size = 1};
    int rc = check_plugin(plugin);
    if (!rc)
        rc = gf_dl_open((const char *const[]){plugin, NULL}, table, &symbols, &handle);
    if (rc)
        return rc;
    const struct gf_transport *t = symbols.get();
    if (t->version != GF_TRANSPORT_VERSION)
        return gf_fail(GF_EABSENT, "'%s' is another version's; make mpi builds it anew", plugin);
    r->transport = t;
    if (!t->start(&r->rank, &r->size))
        return 0;
    rc = gf_fail(GF_EABSENT, "%s does not start: %s", t->library, t->message());
    r->transport = NULL;
    return rc;
}

void gf_ranks_close(struct gf_ranks *r) {
    if (r->transport && !r->broken)
        r->transport->stop();
    r->transport = NULL;
}

int gf_ranks_break(struct gf_ranks *r, int rc) {
    if (rc) {
        r->broken = true;
        r->speaker = r->rank;
    }
    return rc;
}

int gf_ranks_check(struct gf_ranks *r, int code) {
    return code ? gf_ranks_break(r, gf_fail(GF_EIO, "%s", r->transport->message())) : 0;
}

int gf_ranks_share(struct gf_ranks *r, void *data, int64_t bytes, int root) {
    if (!r)
        return 0;
    return r->broken ? GF_EIO : gf_ranks_check(r, r->transport->share(data, bytes, root));
}

int gf_ranks_gather(struct gf_ranks *r, const void *mine, int64_t bytes, void *all) {
    if (!r) {
        memcpy(all, mine, (size_t)bytes);
        return 0;
    }
    return r->broken ? GF_EIO : gf_ranks_check(r, r->transport->gather(mine, bytes, all));
}

int gf_ranks_agree(struct gf_ranks *r, int rc) {
    int first = 0;
    if (!r)
        return rc;
    if (r->broken)
        return rc ? rc : GF_EIO;
    int *all = malloc((size_t)r->size * sizeof *all);
    if (!all) /* the other ranks are waiting */
        return gf_ranks_break(r, gf_no_memory());
    int bad = gf_ranks_gather(r, &rc, sizeof rc, all);
    while (!bad && first < r->size && !all[first])
        first++;
    bool agreed = !bad && first == r->size;
    if (!bad && !agreed) {
        r->speaker = first;
        bad = all[first];
        if (first != r->rank)
            gf_fail((enum gf_status)bad, "rank %d failed", first);
    }
    free(all);
    return agreed ? 0 : bad;
}

static int fold(struct gf_ranks *r, double *values, int64_t n, bool most) {
    if (!r)
        return 0;
    double *all = malloc((size_t)r->size * (size_t)n * sizeof *all);
    int rc = gf_ranks_agree(r, all ? 0 : gf_no_memory());
    if (!rc)
        rc = gf_ranks_gather(r, values, n * (int64_t)sizeof *values, all);
    for (int64_t i = 0; i < n && !rc; i++) {
        values[i] = all[i];
        for (int k = 1; k < r->size; k++) {
            const double v = all[k * n + i];
            values[i] = !most ? values[i] + v : v > values[i] ? v : values[i];
        }
    }
    free(all);
    return rc;
}

int gf_ranks_sum(struct gf_ranks *r, double *values, int64_t n) {
    return fold(r, values, n, false);
}

int gf_ranks_most(struct gf_ranks *r, double *values, int64_t n) {
    return fold(r, values, n, true);
}

/* All ranks that take part have the same output ranges, including the last. */
int gf_ranks_join_report(struct gf_ranks *r, struct gf_report *report) {
    double sum[GF_MAX_OUTPUTS + 2] = {report->kept, report->lost};
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        sum[2 + i] = (double)report->clipped[i];
    int rc = gf_ranks_sum(r, sum, GF_MAX_OUTPUTS + 2);
    if (!rc)
        rc = gf_ranks_share(r, report->low, sizeof report->low, r ? r->size - 1 : 0);
    if (!rc)
        rc = gf_ranks_share(r, report->high, sizeof report->high, r ? r->size - 1 : 0);
    for (int i = 0; i < GF_MAX_OUTPUTS; i++)
        report->clipped[i] = (int64_t)sum[2 + i];
    gf_report_energy(sum[0], sum[1], report);
    return rc;
}
