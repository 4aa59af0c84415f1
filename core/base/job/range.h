/* The display ranges of a job's outputs: given, automatic (quantiles of a sample of bins:
 * core/base/job/range_sample.h) or full (to the largest value). A spectrum may be shown whole or
 * in parts, however it is divided:
 *
 *     struct gf_ranges r;
 *     int rc = gf_ranges_open(&job, GF_RANGES_PAGES, &r);
 *     for (z = 0; !rc && z < pages; z += n) {        in ascending order
 *         gf_ranges_input(&r, z, &in);               before a job overwrites it
 *         gf_ranges_spectrum(&r, (int64_t[]){z, 0, 0}, &spectrum);
 *     }
 *     …  transform r.kept, if it has data, along axis 0, in place
 *     gf_ranges_settle(&r);
 *     …  r.of[i]
 *     gf_ranges_close(&r);
 *
 * Automatic ranges equal, to the last bit, those that openmp finds in the whole spectrum. The caller
 * finds the full ranges that do not end at the zero frequency, as it looks at all bins. */
#ifndef GF_CORE_BASE_RANGE_H
#define GF_CORE_BASE_RANGE_H

#include "core/base/job/range_sample.h"
#include "core/base/job/ranks.h"

/* True if output i takes its range from the sample; if any output does. */
bool gf_output_samples(const struct gf_job *job, int i);
bool gf_job_samples(const struct gf_job *job);
/* True if the range is from 0 to the largest value; if any output's is. */
bool gf_output_is_full(const struct gf_output *out);
bool gf_job_is_full(const struct gf_job *job);
/* True if that largest value needs all values. Samples that are never negative do not: no magnitude
 * exceeds the zero frequency's, their sum. */
bool gf_output_scans(const struct gf_job *job, int i);
/* The same for a spectrum in parts, whose zero frequency serves a single output only. */
bool gf_output_scans_parts(const struct gf_job *job, int i);
/* Sets all outputs' ranges: those that are given, 0 to 0 for the others. */
void gf_job_given_ranges(const struct gf_job *job, double of[GF_MAX_OUTPUTS][2]);

/* The parts of a spectrum that are shown: bins that are complete, or pages that lack the transform
 * along axis 0, of which packed half spectra hold column n / 2 in column 0. */
enum gf_ranges_of { GF_RANGES_WHOLE, GF_RANGES_PAGES, GF_RANGES_PACKED };

struct gf_ranges {
    struct gf_job job; /* three axes */
    enum gf_ranges_of parts;
    /* some output has an automatic range; a full one that ends at the zero frequency */
    bool samples, zeros;
    struct gf_range_sample sample;
    struct gf_range_bins bins;
    struct gf_range_energy *energy; /* of each page, or one */
    struct gf_array kept;           /* sampled lines along axis 0, [page][row][column][channel] */
    double *zero; /* by index of the axes not transformed and channel, n_zeros in all */
    int64_t n_zeros;
    double of[GF_MAX_OUTPUTS][2];
};

/* GF_ENOMEM. The caller closes it even then. */
int gf_ranges_open(const struct gf_job *job, enum gf_ranges_of parts, struct gf_ranges *r);
void gf_ranges_close(struct gf_ranges *r); /* takes an all-zero struct too */
/* Bytes of the lines that it keeps, or a negative status. */
int64_t gf_ranges_bytes(const struct gf_job *job, enum gf_ranges_of parts);

/* The end of a range at the largest zero frequency, which has no norm's factor yet. */
double gf_range_end(const struct gf_job *job, enum gf_kind kind, double largest);
/* The energy of the whole input, for a backend's own search; none if no output samples. */
struct gf_range_energy gf_range_energy(const struct gf_job *job, const struct gf_array *in);
/* Takes input pages from `first` on. */
void gf_ranges_input(struct gf_ranges *r, int64_t first, const struct gf_array *pages);
/* Takes [page][row][column][channel] of the spectrum, in the job's precision, from z, y, x on. */
void gf_ranges_spectrum(struct gf_ranges *r, const int64_t from[3], const struct gf_array *part);
/* Pages by themselves, if axis 0 is not transformed: the next from z on that is to be taken, or -1;
 * the job that makes its spectrum, or half of it if that suffices. */
int64_t gf_ranges_next_page(const struct gf_ranges *r, int64_t z);
struct gf_job gf_ranges_page_job(const struct gf_job *job);
/* Adds up what ranks have taken of zero frequencies and whole rows; gives all ranks the pages that
 * rank `root` has taken. ranks may be NULL. */
int gf_ranges_sum(struct gf_ranges *r, struct gf_ranks *ranks);
int gf_ranges_share(struct gf_ranges *r, struct gf_ranks *ranks, int root, struct gf_span pages);
/* Sets of[] for automatic ranges, and for those that end at the zero frequency of parts. */
void gf_ranges_settle(struct gf_ranges *r);

#endif
