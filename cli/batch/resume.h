/* What --resume asks: whether an input's outputs are there already. */
#ifndef GF_CLI_BATCH_RESUME_H
#define GF_CLI_BATCH_RESUME_H

#include "cli/batch/product.h"
#include "cli/settings.h"

/* The files that a task reads. */
struct gf_read_files {
    char *const *path;
    int n;
    const char *also; /* the phase of a pair, or NULL */
};

/* Every output is there, complete, and newer than all that is read. */
bool gf_products_up_to_date(const struct gf_job *job, const struct gf_product *product, int n,
                            const struct gf_read_files *read);

#endif
