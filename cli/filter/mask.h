/* --mask-out: the filter as a picture, the centre being frequency zero. */
#ifndef GF_CLI_FILTER_MASK_H
#define GF_CLI_FILTER_MASK_H

#include "cli/batch/task.h"

/* The mask on the picture's own spectrum as product `p` of the task. */
int gf_filter_describe_mask(struct gf_task *t, struct gf_product *p);
/* Bytes that takes, beside the product; 0 without --mask-out. */
int64_t gf_filter_mask_bytes(const struct gf_task *t);
int gf_filter_draw_mask(struct gf_task *t, struct gf_product *p);

#endif
