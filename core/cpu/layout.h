/* How the numbers between a plan's passes are laid out, chosen when its passes are known:
 *
 *     rc = gf_cpu_layout_blocks(p, axis, planes, &p->plane);    between joined passes
 *     if (!rc)
 *         rc = gf_cpu_layout_workspace(p);                      between the others
 *
 * Functions return 0 or GF_ENOMEM. */
#ifndef GF_CORE_CPU_LAYOUT_H
#define GF_CORE_CPU_LAYOUT_H

#include "core/cpu/plan.h"

/* Lays out blocks: adjacent along `fast` (-1: none), then along the innermost axis, then along the
 * others, the last one first. Axes in `planes` get the stride 0: all their indices share one plane.
 */
int gf_cpu_layout_blocks(const struct gf_cpu_plan *p, int fast, unsigned planes,
                         struct gf_cpu_layout *l);
/* Half spectra of volumes from planes along z to rows: the first pass runs over a plane's rows as one,
 * the second one transforms rows within vectors. Measured: 17 ms become 12 at 64x512x512. Blocks are
 * read faster where a pass across them follows. */
bool gf_cpu_layout_is_plain(const struct gf_cpu_plan *p);
/* The workspace's fast axis is that of the first pass that reads it across its blocks, so that the
 * read is contiguous; without one, that of the first pass that writes it so. */
int gf_cpu_layout_workspace(struct gf_cpu_plan *p);

#endif
