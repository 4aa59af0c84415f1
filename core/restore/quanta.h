/* The quantisation of a picture that was a JPEG file.
 *
 * The coefficients of its 8 x 8 blocks, from its first sample on, are near multiples of their quanta
 * (Fan and de Queiroz 2003, Identification of bitmap compression history). A coefficient's quantum is
 * the largest number whose multiples, other than 0, most coefficients are near: rounding the
 * samples moves them by a third of a level. */
#ifndef GF_CORE_RESTORE_QUANTA_H
#define GF_CORE_RESTORE_QUANTA_H

#include "core/base/value/array.h"
#include "core/base/value/kinds.h"

/* `a`: u8 as y, x, channel; three channels or more are R, G and B. Sets the steps as
 * gf_rounding_make() does, if there are any. GF_ENOMEM. */
int gf_quanta_find(const struct gf_array *a, uint8_t rounding[GF_ROUNDING_BANDS]);

#endif
