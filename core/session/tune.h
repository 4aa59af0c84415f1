/* Measures a device for its record (core/session/record.h): how it copies, over its bus too, and how
 * fast transforms of a few sizes are. Takes less than a minute: what would come later is left out.
 *
 *     struct gf_speed_record r;
 *     int rc = gf_tune_device(backend, &(struct gf_backend_options){.device = "0"}, &r);
 *     if (!rc) gf_record_keep(backend, "0", &r);                                               */
#ifndef GF_CORE_SESSION_TUNE_H
#define GF_CORE_SESSION_TUNE_H

#include "core/session/record.h"

/* Opens a context of the backend, and closes it. */
int gf_tune_device(const struct gf_backend *b, const struct gf_backend_options *options,
                   struct gf_speed_record *r);

#endif
