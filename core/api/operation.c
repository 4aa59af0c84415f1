/* Operations by their names, on the caller's arrays. */
#include <stdlib.h>
#include <string.h>

#include "core/api/layout.h"
#include "core/api/picture.h"
#include "core/op/operations.h"

enum { MOST_WITH = 64 };

struct gpufft_operation {
    struct gpufft *library;
    struct gf_runner runner;
    void *options;
    char *text[MOST_WITH]; /* options point into it */
    int n_texts;
    struct gf_array with[MOST_WITH];
    struct gf_operation op; /* of the last input */
    struct gf_facts facts;  /* whose values it has */
    bool alpha;             /* its last channel is passed on, if the output has it */
    char unit[16];          /* of its picture's axes */
};

/* Forgets the last input. */
static void end(struct gpufft_operation *o) {
    gf_facts_free(&o->facts);
    gf_operation_drop(&o->op);
}

void gpufft_operation_free(struct gpufft_operation *o) {
    if (!o || !gf_library_is_here(o->library))
        return;
    end(o);
    gf_operation_close(&o->op);
    for (int i = 0; i < o->n_texts; i++)
        free(o->text[i]);
    gf_runner_close(&o->runner);
    gf_library_drop(o->library);
    free(o->options);
    free(o);
}

/* ---- open ---- */

static int set_options(struct gpufft_operation *o, const char *const *options) {
    int rc = gf_operation_set(o->op.kind, o->options, NULL);
    for (; !rc && options && *options; options++) {
        if (o->n_texts == MOST_WITH)
            return gf_fail(GF_EUSAGE, "more than %d options", MOST_WITH);
        if (!(o->text[o->n_texts] = strdup(*options)))
            return gf_no_memory();
        rc = gf_operation_set(o->op.kind, o->options, o->text[o->n_texts++]);
    }
    return rc;
}

static int take_with(struct gpufft_operation *o, const struct gpufft_array *with, int n) {
    const char *at = (const char *)with;
    struct gf_bounds bounds;
    int rc = 0;
    if (n < 0 || n > MOST_WITH || (n && !with))
        return gf_fail(GF_EUSAGE, "%d further arrays", n);
    for (int i = 0; i < n && !rc; i++, at += with->size)
        rc = gf_array_take((const struct gpufft_array *)(const void *)at, true, false, &o->with[i],
                           &bounds);
    return rc;
}

/* How many jobs an operation has depends on the samples: the share is unknown. */
static int tick(void *user, double done) {
    const struct gpufft_options *options = user;
    (void)done;
    return options->tick(options->user, -1);
}

static int open_operation(struct gpufft_operation *o, const char *name, const char *const *options,
                          const struct gpufft_array *with, int n) {
    struct gf_operation *op = &o->op;
    if (!name)
        return gf_fail(GF_EUSAGE, "no operation's name");
    if (!(op->kind = gf_operation_find(name)))
        return GF_EUSAGE;
    if (!(o->options = calloc(1, op->kind->options.bytes)))
        return gf_no_memory();
    int rc = set_options(o, options);
    if (!rc)
        rc = take_with(o, with, n);
    return rc ? rc : gf_operation_open(op, o->options, o->with, n);
}

int gpufft_operation_open(struct gpufft *library, const char *name, const char *const *options,
                          const struct gpufft_array *with, int n, struct gpufft_operation **out) {
    if (!out)
        return gf_fail(GF_EUSAGE, "no place for the operation");
    *out = NULL;
    int rc = gf_library_check(library);
    struct gpufft_operation *o = rc ? NULL : calloc(1, sizeof *o);
    if (!o)
        return rc ? rc : gf_no_memory();
    o->library = gf_library_keep(library);
    gf_runner_open(&o->runner, library->engine, 0, library->threads);
    o->runner.tick = library->options.tick ? tick : NULL;
    o->runner.user = &library->options;
    rc = open_operation(o, name, options, with, n);
    if (rc)
        gpufft_operation_free(o);
    else
        *out = o;
    return rc;
}

/* ---- one input ---- */

/* Takes what a picture, or a volume of which the samples are a plane, says of them. */
static void take_image(struct gpufft_operation *o, const struct gf_image *from, int ndim) {
    struct gf_image image = *from;
    while (image.ndim > ndim)
        gf_image_drop_axis(&image);
    if (image.ndim < ndim)
        return;
    gf_operand_of_image(&image, ndim, &o->op.of);
    snprintf(o->unit, sizeof o->unit, "%s", o->op.of.unit); /* facts may outlive the picture */
    o->op.of.unit = o->unit;
}

/* Begins with an input; the operation that ended keeps what all inputs share. */
static int begin(struct gpufft_operation *o, const struct gpufft_array *in, bool data,
                 struct gf_array *px, struct gf_bounds *bounds) {
    if (!o)
        return gf_fail(GF_EUSAGE, "no operation");
    int rc = gf_library_check(o->library);
    if (rc)
        return rc;
    end(o);
    rc = gf_array_take(in, data, false, px, bounds);
    if (rc)
        return rc;
    o->op = (struct gf_operation){.kind = o->op.kind,
                                  .shared = o->op.shared,
                                  .crew = {.runner = &o->runner, .threads = o->library->threads}};
    if (in->image)
        take_image(o, &in->image->image, px->rank - 1);
    o->alpha = in->channels == 2;
    px->shape[px->rank - 1] -= o->alpha;
    gf_operation_begin(&o->op, px);
    gf_runner_next(&o->runner, 1);
    return 0;
}

int gpufft_operation_describe(struct gpufft_operation *o, const struct gpufft_array *in,
                              struct gpufft_array *out, int64_t *bytes) {
    struct gpufft_array to;
    struct gf_array px;
    struct gf_bounds bounds;
    int rc = begin(o, in, false, &px, &bounds);
    if (!rc)
        rc = gf_struct_take(NULL, sizeof to, out, "output array");
    if (!rc)
        rc = gf_operation_expect(&o->op, &px);
    if (rc)
        return rc;
    const struct gf_job *job = &o->op.job;
    to = (struct gpufft_array){.size = out->size, .data = out->data};
    if (job->n_out) {
        gf_operation_out_shape(&o->op, 0, to.shape);
        to.type = (int)job->out[0].dtype;
        to.channels = !!in->channels;
        to.rank = job->ndim + to.channels;
        to.image = in->image;
    }
    if (o->alpha && o->op.kind->gives == GF_REAL && to.type == in->type &&
        !memcmp(to.shape, in->shape, (size_t)job->ndim * sizeof *to.shape)) {
        to.channels = 2;
        to.shape[to.rank - 1]++;
    }
    *out = to;
    if (bytes)
        *bytes = o->op.need;
    end(o);
    return 0;
}

/* Takes the output array, which the input must not meet. */
static int take_output(struct gpufft_operation *o, const struct gpufft_array *in,
                       const struct gf_bounds *bounds, const struct gpufft_array *out,
                       struct gf_array *to) {
    struct gf_bounds own;
    struct gf_job *job = &o->op.job;
    if (!job->n_out)
        return out ? gf_fail(GF_EUSAGE, "%s has no output", o->op.kind->name) : 0;
    int rc = gf_array_take(out, true, true, to, &own);
    if (!rc && gf_bounds_meet(bounds, in->data, &own, out->data))
        rc = gf_fail(GF_EINVAL, "input and output overlap");
    if (rc)
        return rc;
    if (gf_dtype_is_complex(to->dtype) != (o->op.kind->gives == GF_COMPLEX))
        return gf_fail(GF_EINVAL, "the result of %s is %s, not of type %s", o->op.kind->name,
                       o->op.kind->gives == GF_COMPLEX ? "complex" : "real",
                       gf_dtype_name(to->dtype));
    job->out[0].dtype = to->dtype;
    if (out->channels == 2 && !o->alpha)
        return gf_fail(GF_EINVAL, "the output has alpha, and the input has none");
    o->alpha = out->channels == 2;
    to->shape[to->rank - 1] -= o->alpha;
    return 0;
}

/* Copies the channel behind those that were processed. */
static int pass_alpha(const struct gf_array *px, const struct gf_array *to) {
    const int axis = px->rank - 1;
    const struct gf_array from = gf_array_slice(px, axis, px->shape[axis], 1);
    struct gf_array alpha = gf_array_slice(to, axis, to->shape[axis], 1);
    if (from.dtype != alpha.dtype || memcmp(from.shape, alpha.shape, sizeof from.shape))
        return gf_fail(GF_EUNSUPP, "alpha is passed on in the type and shape of the input alone");
    gf_array_copy(&alpha, &from);
    return 0;
}

int gpufft_operation_run(struct gpufft_operation *o, const struct gpufft_array *in,
                         struct gpufft_array *out) {
    struct gf_array px, to = {0};
    struct gf_bounds bounds;
    int64_t first = 0;
    int rc = begin(o, in, true, &px, &bounds);
    if (!rc)
        rc = take_output(o, in, &bounds, out, &to);
    const int64_t bad = rc ? 0 : gf_array_nonfinite(&px, &first);
    if (!rc)
        rc = gf_array_refuse_nonfinite(&px, bad, first, "");
    if (!rc)
        rc = gf_operation_apply(&o->op, &px, &to);
    if (!rc && o->alpha && out)
        rc = pass_alpha(&px, &to);
    if (!rc && o->op.kind->facts)
        o->op.kind->facts(&o->op, &o->facts);
    return !rc && o->facts.missed ? gf_no_memory() : rc;
}

int gpufft_operation_fact(const struct gpufft_operation *o, int64_t i, struct gpufft_fact *to) {
    if (!o)
        return gf_fail(GF_EUSAGE, "no operation");
    const int rc = gf_struct_take(NULL, sizeof *to, to, "fact");
    if (rc || i < 0 || i >= o->facts.n)
        return rc;
    const struct gf_fact *f = &o->facts.fact[i];
    *to = (struct gpufft_fact){.size = to->size,
                               .key = f->key,
                               .unit = f->unit,
                               .kind = (int)f->kind,
                               .width = f->width,
                               .rows = f->rows,
                               .stride = (int64_t)f->stride,
                               .data = f->data,
                               .within = f->within};
    return 1;
}
