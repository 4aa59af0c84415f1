/* An operation on one input, under way: it turns an array of samples into the arrays that a job
 * makes of them. Its caller, a command's task or a program, reads and writes the arrays. */
#ifndef GF_CORE_OP_OPERATION_H
#define GF_CORE_OP_OPERATION_H

#include "core/op/crew.h"

struct gf_operation {
    struct gf_crew crew;        /* held: bytes of the samples, with those that are only passed on */
    struct gf_array in;         /* the job's input; without data until it is read */
    struct gf_job job;          /* takes `in` to the outputs */
    struct gf_operation *whole; /* the operation of which this one takes some pages */
    struct gf_job *inner; /* NULL, or the job with which the operation makes the outputs, `in` */
    void *state;          /* the operation's */
    bool untouched;       /* nothing was found; the outputs are copies of the samples */
    bool scans;           /* all samples are read once before the first unit is made */
    /* The reasons against taking some pages at a time, and against slabs, or NULL. */
    struct {
        const char *pages, *slabs;
    } refuses;
    int64_t need;          /* bytes of all arrays and workspace; -1: unknown until they are read */
    int64_t prepare_bytes; /* the most memory until the job begins, with the samples */
    int64_t extra_bytes;   /* held besides the arrays until it ends */
};

#endif
