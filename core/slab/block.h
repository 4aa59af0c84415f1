/* A block after its transform, and what it is as rows of the spectrum: the unpacked column, the
 * mirror image, the zero frequency in the centre. Private to core/slab/. */
#ifndef GF_CORE_SLAB_BLOCK_H
#define GF_CORE_SLAB_BLOCK_H

#include "core/slab/plan.h"

/* [page][row of the block][number], all pages. */
struct gf_slab_spectrum {
    const struct gf_slab_plan *plan;
    struct gf_slab_block block;
    const char *data;
    int64_t row_bytes; /* of `data` */
    int threads;
};

/* Pages first .. first + count - 1 of the block as rows of output i, complex and without the norm's
 * factor: half or full, columns shifted where the output is. */
void gf_slab_expand(const struct gf_slab_spectrum *s, int i, int64_t first, int64_t count,
                    void *to);
/* Unpacks the columns 0 and n/2 of all pages from packed columns, [page][row][`row_bytes`], as complex:
 * [page][row][2]. */
void gf_slab_ends(const struct gf_slab_spectrum *s, void *to);
/* Pages first .. first + count - 1 as rows of output 0 from its samples: those of columns 0 .. n/2 - 1 in `s`,
 * of which column 0 is not used, and of columns 0 and n/2 of all pages in `ends`. Samples of negative
 * frequencies are equal. */
void gf_slab_join(const struct gf_slab_spectrum *s, const char *ends, int64_t first, int64_t count,
                  void *to);
/* Columns of an output's row. */
int64_t gf_slab_columns(const struct gf_slab_plan *p, int i);

/* Inverse: full rows, laid out as the block's, to the half of their Hermitian part,
 * (F(k) + conj F(-k)) / 2. Adds to `energy` that of this part, and of the rest. */
void gf_slab_hermitian(const struct gf_slab_spectrum *full, void *half, double energy[2]);

#endif
