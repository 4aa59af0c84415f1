/* The table of operations, and their steps by name. */
#include "core/op/operations.h"

#include "core/op/dwt.h"
#include "core/op/filter/filtering.h"
#include "core/op/frc.h"
#include "core/op/match.h"
#include "core/op/registration.h"
#include "core/op/spectrum.h"
#include "core/op/statistics.h"

static const struct gf_operation_kind *const operations[] = {
    &gf_operation_filter,   &gf_operation_window,
    &gf_operation_match,    &gf_operation_frc,
    &gf_operation_register, &gf_operation_stats,
    &gf_operation_spectrum, &gf_operation_dwt,
    &gf_operation_idwt,     NULL};

const struct gf_operation_kind *gf_operation_at(int i) {
    return operations[i];
}

const struct gf_operation_kind *gf_operation_find(const char *name) {
    for (int i = 0; operations[i]; i++)
        if (!strcmp(operations[i]->name, name))
            return operations[i];
    gf_fail(GF_EUSAGE, "no operation '%.40s'", name);
    return NULL;
}

/* ---- options ---- */

int gf_operation_set(const struct gf_operation_kind *kind, void *options, const char *text) {
    if (!text) {
        memset(options, 0, kind->options.bytes);
        if (kind->options.defaults)
            memcpy(options, kind->options.defaults, kind->options.bytes);
        return 0;
    }
    const bool negated = !strncmp(text, "no-", 3);
    text += negated ? 3 : 0;
    const size_t n = strcspn(text, "=");
    struct gf_opt_walk walk = {.level[0].row = kind->options.rows};
    const struct gf_opt *o;
    while ((o = gf_opt_next(&walk)) && (strncmp(o->name, text, n) || o->name[n]))
        ;
    if (!o || (negated && !gf_opt_is_flag(o)))
        return gf_fail(GF_EUSAGE, "%s has no option '%.*s'", kind->name, (int)n, text);
    void *field = (char *)options + walk.at;
    if (gf_opt_is_flag(o))
        return text[n] ? gf_fail(GF_EUSAGE, "option '%s' takes no value", o->name)
                       : gf_opt_set(o, negated ? "0" : "1", field);
    if (!text[n] && o->optional)
        return o->parse(o, "", field);
    if (!text[n] || !text[n + 1])
        return gf_fail(GF_EUSAGE, "option '%s' needs a value: %s=%s", o->name, o->name, o->arg);
    return gf_opt_set(o, text + n + 1, field);
}

/* ---- runs ---- */

int gf_operation_open(struct gf_operation *op, void *options, const struct gf_array *with, int n) {
    const struct gf_operation_kind *kind = op->kind;
    if (n < kind->with.least || n > kind->with.most)
        return gf_fail(GF_EINVAL, "%s takes %d to %d further arrays, not %d", kind->name,
                       kind->with.least, kind->with.most, n);
    const int rc = kind->options.check ? kind->options.check(options) : 0;
    if (!kind->with.open)
        op->shared = options;
    return rc || !kind->with.open ? rc : kind->with.open(options, with, n, &op->shared);
}

void gf_operation_close(struct gf_operation *op) {
    if (op->kind && op->kind->with.close)
        op->kind->with.close(op->shared);
    op->shared = NULL;
}

void gf_operation_begin(struct gf_operation *op, const struct gf_array *in) {
    struct gf_job *job = &op->job;
    *job = (struct gf_job){.ndim = in->rank - 1,
                           .channels = in->shape[in->rank - 1],
                           .axes = (1u << (in->rank - 1)) - 1,
                           .in_dtype = in->dtype,
                           .precision = gf_operation_precision(in->dtype),
                           .norm = GF_NORM_BACKWARD,
                           .n_out = !op->kind->measures};
    memcpy(job->shape, in->shape, (size_t)job->ndim * sizeof *job->shape);
    job->out[0].kind = op->kind->gives;
    job->out[0].dtype = op->kind->gives == GF_COMPLEX ? gf_job_number(job)
                        : op->kind->gives == GF_REAL  ? gf_dtype_real(in->dtype)
                                                      : GF_U8;
}
