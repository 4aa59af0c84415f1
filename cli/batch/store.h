/* Products to files: one file each, or with {page} one for every plane.
 *
 *     if (!gf_product_accepts(&product))          before the work
 *         …
 *     rc = gf_product_write(settings, &product);  after it
 */
#ifndef GF_CLI_BATCH_STORE_H
#define GF_CLI_BATCH_STORE_H

#include "cli/batch/product.h"
#include "cli/settings.h"

/* GF_EINVAL with the ways out when the product's format cannot hold it. */
int gf_product_accepts(const struct gf_product *p);
int gf_product_write(const struct gf_settings *s, const struct gf_product *p);
/* With {page}: whether each plane has a record of its own. */
bool gf_page_has_record(const struct gf_product *p);

#endif
