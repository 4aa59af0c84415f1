/* Follows a plan's passes without a device: which elements each reads and writes.
 *
 *     char wrong[256];
 *     CHECK_MSG(!walk_plan(p, 1 << 16, wrong, sizeof wrong), "%s", wrong);
 */
#ifndef GF_TESTS_GPU_WALK_H
#define GF_TESTS_GPU_WALK_H

#include "core/gpu/plan/space.h"

/* The number after -DNAME= among a pass's options; -1 where there is none. */
int64_t walk_option(const struct gf_gpu_pass *pass, const char *name);

/* Bytes of a sample of the type after -Dwhich_T= among them; 0 where there is none. */
int64_t walk_type_bytes(const struct gf_gpu_pass *pass, const char *which);

/* Follows the plan element by element where its arrays are below `most` bytes, by some of its lines
 * above that. Returns how often a promise is broken (outside a buffer, read before it is written,
 * written twice, not written at all, a table's end passed) and tells the first in `wrong`. */
int64_t walk_plan(const struct gf_gpu_plan *p, int64_t most, char *wrong, size_t size);

/* The same of wavelets, for walk_plan(). */
int64_t walk_wavelet(const struct gf_gpu_plan *p, int64_t most, char *wrong, size_t size);

#endif
