/* The CPU's kernels: arithmetic on tiles, without threads, files, or memory of their own.
 *
 * SIMD lanes are adjacent lines: a tile is LANES lines of n points as [point][re|im][lane], so a
 * transform of any length is plain vector arithmetic with broadcast twiddles. One source
 * (kernels.inc) is built for each precision and instruction set.
 *
 *     const struct gf_cpu_kernels *k = gf_cpu_kernels_find(32, NULL);
 *     void *scratch = aligned_alloc(64, gf_cpu_scratch_bytes(k, &args));    rounded up to 64
 *     for (long t = 0; t < gf_cpu_tiles(k, &args); t++)                     in any order
 *         k->run(&args, t, scratch, &stats); */
#ifndef GF_KERNELS_CPU_H
#define GF_KERNELS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GF_CPU_MAX_STAGES = 24, GF_CPU_MAX_CODELET = 16, GF_CPU_MAX_RADIX = 31 };

/* A complex 1D transform of n points in one precision, by decimation in time: stage 0 runs last and
 * combines radix[0] blocks of n / radix[0] points; the innermost stage (the leaf) reads the input
 * with stride n / radix[last]. A prime factor above GF_CPU_MAX_RADIX is the leaf, done by
 * `leaf`. */
struct gf_cpu_line {
    long n;
    enum gf_cpu_algorithm {
        GF_CPU_STAGES,
        GF_CPU_RADER,    /* n prime: a cyclic convolution of n - 1 points (Rader 1968) */
        GF_CPU_BLUESTEIN /* any n: a linear convolution with a chirp (Bluestein 1970) */
    } algorithm;
    int n_stages;
    int radix[GF_CPU_MAX_STAGES];
    /* Stage s: for each k < m, radix - 1 factors exp(-2 pi i r k / (radix m)), re and im. */
    void *twiddle[GF_CPU_MAX_STAGES];
    /* Radices without a codelet: cos and -sin of 2 pi j / radix, j < radix. */
    void *roots[GF_CPU_MAX_STAGES];
    struct gf_cpu_line *leaf; /* the innermost radix if it is no codelet; else NULL */

    struct gf_cpu_line *convolution; /* Rader, Bluestein: the transform that convolves */
    void *spectrum;                  /* of the convolution's kernel; re and im */
    void *chirp;                     /* Bluestein: exp(-pi i k^2 / n), n of them; re and im */
    int32_t *gather, *scatter;       /* Rader: n - 1 generator powers */

    long scratch_points; /* in each of the two scratch buffers */
};

/* Builds the tables, twiddles being computed in long double. `radix` lists the stages, outermost
 * first, product n (gf_factor_radices). bits is 32 or 64. Owns `leaf`, even on failure; NULL: no
 * memory. */
struct gf_cpu_line *gf_cpu_line_stages(long n, const int *radix, int n_stages,
                                       struct gf_cpu_line *leaf, int bits);
/* Both own `convolution`, even on failure. generator: a primitive root of n. */
struct gf_cpu_line *gf_cpu_line_rader(long n, long generator, struct gf_cpu_line *convolution,
                                      int bits);
struct gf_cpu_line *gf_cpu_line_bluestein(long n, struct gf_cpu_line *convolution, int bits);
void gf_cpu_line_free(struct gf_cpu_line *line);

/* A line whose own points fill the lanes, `block` of them in each of LANES / block lines (rows.h):
 * n is a multiple of block^2, or gf_cpu_row_is_few(). */
struct gf_cpu_row {
    long n;
    int block;
    struct gf_cpu_line *line; /* n / block points */
    bool reads; /* its innermost stage reads the line: codelets, the last of 4, 5, 8 or 16 */
    bool joins; /* and its outermost stage is part of the second half: struct gf_cpu_split */
    /* exp(-2 pi i k1 i2 / n) as [k1 / block][0 < i2 < block][re|im][lane], a lane's k1 being its
     * index mod block; with blocks of 16 as [k1][re|im][i2]. */
    void *twiddle;
};
/* Vectors between the blocks of a joined outermost stage, which at powers of two would share cache
 * sets. */
enum { GF_CPU_SPLIT_APART = 4 };
static inline long gf_cpu_row_apart(const struct gf_cpu_row *rows) {
    return rows->joins ? (long)rows->line->radix[0] * GF_CPU_SPLIT_APART : 0;
}
/* True for lines of fewer vectors than lanes, transformed by digits in registers in blocks of all
 * lanes; those of two and four vectors only by themselves. */
static inline bool gf_cpu_row_is_few(long n, int lanes) {
    return lanes == 16 && (n == 32 || n == 64 || n == 128);
}

/* Real lines of up to this many points are transposed: short_rows.h. */
enum { GF_CPU_SHORT_ROW = 32 };

/* The largest block that serves lines of n points, or 0. */
int gf_cpu_row_block(long n, int lanes);
/* Owns `line` of n / block points, even on failure; NULL: no memory. */
struct gf_cpu_row *gf_cpu_row_make(long n, int block, struct gf_cpu_line *line, int lanes,
                                   int bits);
void gf_cpu_row_free(struct gf_cpu_row *rows);
/* Reals from one of a line's work arrays to the next; and a thread's scratch. */
long gf_cpu_row_pitch(long n, int lanes);
size_t gf_cpu_row_bytes(const struct gf_cpu_row *rows, int lanes, int bits);

/* Sample types at a pass's ends. */
enum gf_cpu_sample {
    GF_CPU_U8,
    GF_CPU_I8,
    GF_CPU_U16,
    GF_CPU_I16,
    GF_CPU_U32,
    GF_CPU_I32,
    GF_CPU_F32,
    GF_CPU_F64,
    GF_CPU_C64,
    GF_CPU_C128,
    /* The workspace between passes: complex in the pass's precision, blocks of LANES neighbours on
     * the innermost axis, LANES real parts and then LANES imaginary parts. */
    GF_CPU_WORK
};

/* One axis of an end. Index i is at ((i + shift) mod n) * stride bytes; its mirror image, the
 * negative frequency, if mirrored, at ((n - i + shift) mod n) * stride. */
struct gf_cpu_axis {
    long n, shift;
    ptrdiff_t stride;
    bool mirrored;
    long counted; /* destination: samples at indices below it count if they clip */
};

/* Lanes over two axes whose rows are adjacent: lane i is index i % row of the lane axis and i / row
 * of this one. */
struct gf_cpu_fold {
    long row; /* 0: none */
    long n;
    bool mirrored;
};

/* Index n / 2 of lines that become real, stored apart: a complex number a line, in the pass's
 * precision, whose real part counts. */
struct gf_cpu_column {
    const char *data; /* NULL: it follows the others */
    ptrdiff_t lane, outer[2];
};

enum gf_cpu_value {
    GF_CPU_MAGNITUDE,
    GF_CPU_PHASE,
    GF_CPU_POWER,
    GF_CPU_REAL,
    GF_CPU_IMAG,
    GF_CPU_COMPLEX
};
enum gf_cpu_curve { GF_CPU_LINEAR, GF_CPU_SQRT, GF_CPU_LOG };

struct gf_cpu_end {
    enum gf_cpu_sample type;
    char *data;
    struct gf_cpu_axis line, lane, outer[2];
    struct gf_cpu_fold fold;
    struct gf_cpu_column last; /* source */
    bool line_is_inner;        /* GF_CPU_WORK: lines run along the blocked axis */
    /* GF_CPU_WORK in the memory of an array of rows, else 0: every `band` rows use their bytes of
     * the array and hold each of their blocks row after row. Block rest_from, if any, does not fit
     * and is at `rest`. */
    long band, rest_from;
    ptrdiff_t row_bytes;
    char *rest;
    /* Source: take the Hermitian part of a full spectrum. Destination: also write the half
     * spectrum's mirror image. Indices 0 and n/2 of the halved axis are their own partners. */
    bool hermitian;
    enum { GF_CPU_HALF_LINE, GF_CPU_HALF_LANE, GF_CPU_HALF_OUTER } half_axis; /* outer[0] */
    long half_n; /* hermitian: full extent of the halved axis */
    /* Destination: the spectrum of reals is real at indices that are their own mirror image.
     * Rounding noise in the imaginary part is dropped there: it could turn a phase of pi into
     * -pi. */
    bool real_origin;
    bool luma; /* source: Rec.709 of three channels `channel_stride` bytes apart */
    ptrdiff_t channel_stride;
    /* Destination: sample = curve(value * factor) * gain + offset, clamped to [floor, ceiling] and
     * rounded for integers; floats get value * factor. */
    enum gf_cpu_value value;
    enum gf_cpu_curve curve;
    double factor, gain, offset, floor, ceiling;
    bool stream;  /* destination: write past the caches where aligned */
    bool discard; /* destination: only the largest |value| is wanted */
};

/* Factors exp(-2 pi i lane point / n) before a pass's transform, between the two halves of a line
 * (Bailey 1990). Tables in the pass's precision as [tile][entry][re|im][lane]: one of all points,
 * or one of those below `chunk` and one of its n_coarse multiples, whose products are the
 * factors. */
struct gf_cpu_twist {
    const void *all; /* NULL: the two below */
    const void *fine, *coarse;
    long chunk, n_coarse;
};

/* A real line of 2 m points as a complex one of m, even samples in the real parts: its transform z,
 * and the real line's half spectrum x. */
struct gf_cpu_halves {
    void *x; /* m + 1 complex numbers, interleaved */
    void *z; /* m, likewise; may be x; unpack() needs room for one more */
    long m;
    const void *roots; /* exp(-pi i k / m), k <= m / 2, as [k / LANES][re|im][lane] */
};

/* A line that stays in the caches, interleaved, transformed within vectors in two halves; out may
   be in. */
struct gf_cpu_split {
    const struct gf_cpu_row *rows;
    const struct gf_cpu_halves *halves; /* real lines: z is `out`, and an inverse's `in` */
    const void *in;
    void *out, *work; /* work: gf_cpu_split_bytes() */
    bool inverse;
    double factor;
};

/* A filter (core/filter/filter.h) for a pass that transforms, multiplies and transforms back;
 * tables in the pass's precision, outer axes as the pass's. */
enum { GF_CPU_GAIN_TERMS = 4 };
struct gf_cpu_gain {
    enum {
        GF_CPU_GAIN_FACTORS, /* computed from the terms below */
        GF_CPU_GAIN_LINE,    /* table[point], the same for all lines */
        GF_CPU_GAIN_REAL,    /* table[outer 0][outer 1][block of lanes][point][lane] */
        GF_CPU_GAIN_COMPLEX, /* …[point][re|im][lane] */
    } kind;
    const void *table;
    ptrdiff_t block, outer[2]; /* reals from one to the next; 0: shared */
    /* The product of c0 + ca A + cab A B, A and B being terms; b is -1 if cab is 0. */
    int n_factors;
    struct {
        double c0, ca, cab;
        int a, b;
    } factor[GF_CPU_GAIN_TERMS];
    /* A low pass as a function of one value for each axis (NULL: not transformed; lanes padded to
     * whole vectors). */
    struct gf_cpu_term {
        int profile, order; /* of kernels/profiles.h */
        double limit;
        const void *line, *lane, *outer[2];
    } term[GF_CPU_GAIN_TERMS];
    /* Added to the zero frequency: index 0 of the line and of the transformed axes. */
    double zero;
    bool lane_on, outer_on[2];
};

/* One pass: load, transform, store. The caller owns what it points at. */
struct gf_cpu_pass_args {
    const struct gf_cpu_twist *twist; /* NULL: none */
    const struct gf_cpu_line *line;   /* NULL: only load and store */
    /* Not NULL: transforms within vectors, for lines contiguous at both ends (or along the
     * workspace's blocks), with complex numbers and results in the pass's precision, and no gain,
     * twist, mirrored or shifted line. */
    const struct gf_cpu_row *rows;
    const struct gf_cpu_gain *gain; /* not NULL: transforms, multiplies, transforms back */
    /* GF_CPU_R2R: with a GF_CPU_GAIN_LINE. A real filter acts on the real and imaginary parts of a
     * line separately, so pairs of real lines stay joined. */
    enum gf_cpu_form { GF_CPU_C2C, GF_CPU_R2C, GF_CPU_C2R, GF_CPU_R2R } form;
    bool inverse;
    /* Half spectra of even length without a column for the frequency n / 2: as both are real, it is
     * frequency 0's imaginary part. GF_CPU_R2C packs it. The last pass, complex, unpacks it; its
     * lanes are the halved axis, and n_lane is n / 2, a multiple of LANES. */
    bool packs, unpacks;
    /* Unpacks along this pass's axis alone: it is the second that is transformed, after the halved
     * one. The destination is plain complex and has a column n_lane. */
    bool unpacks_within;
    /* An inverse's first pass packs half spectra likewise for the next. The source has a column
     * n_lane. */
    bool packs_within;
    /* Other jobs transform the other axes: lines round as the whole's, whose spectra are in the
     * workspace. */
    bool part;
    long n;      /* points on a line in the real (or full complex) domain */
    long n_lane; /* lines along the lane axis */
    int groups;  /* complex passes across rows: adjacent blocks of LANES lines in a tile, for longer
                  * runs in memory; `rows`: factor on a tile's lines; 0 counts as 1 */
    long n_outer[2]; /* and along the others */
    struct gf_cpu_end source, destination;
};

/* One thread's findings; the caller adds them up. */
struct gf_cpu_stats {
    double largest;             /* destination: of |value * factor| */
    int64_t clipped;            /* counted values outside [floor, ceiling] by more than rounding */
    double energy, anti_energy; /* Hermitian source: of the symmetric and antisymmetric part */
};

/* The parts of a transform by one wavelet; h and g as in core/wavelet/dwt.h. Rows have the build's
 * precision unless a type is given; n counts samples, each channel's separately. `stream` writes
 * past the caches where aligned; fence() ends it. */
struct gf_cpu_wavelet {
    /* Across a row for each tap. Forward: low[i] = sum of h[j] row[j][i], high[i] with g. Backward,
     * from rows a[k], d[k], a[k + 1], d[k + 1], …: two adjacent samples. */
    void (*pair)(bool inverse, const void *const *row, enum gf_cpu_sample type, long n, void *low,
                 void *high);
    /* Along a row of pixels of `channels` samples: a[k] = sum of h[i] x[2 k + i], k < n, d with g;
     * reads 2 n + taps - 2 pixels. */
    void (*split)(const void *x, long n, long channels, void *a, void *d, bool stream_a,
                  bool stream_d);
    /* Backward: x[2 k], x[2 k + 1] from a[k], d[k] and later ones, k < n. */
    void (*merge)(const void *a, const void *d, long n, long channels, void *x);
    void (*load)(const void *row, enum gf_cpu_sample type, long n, void *x);
    /* Returns how many samples an integer type clipped. */
    long (*store)(const void *x, long n, enum gf_cpu_sample type, void *row, bool stream);
    void (*fence)(void);
};

struct gf_cpu_kernels {
    const char *isa;
    int lanes;
    int bits; /* of a real: 32 or 64 */
    /* Runs tile `tile` of gf_cpu_tiles(). scratch: gf_cpu_scratch_bytes(), 64-byte aligned. */
    void (*run)(const struct gf_cpu_pass_args *pass, long tile, void *scratch,
                struct gf_cpu_stats *stats);
    /* A whole line. */
    void (*line)(const struct gf_cpu_split *s);
    /* The transform alone in two halves: parts first to last - 1 of gf_cpu_split_parts() of either,
     * in any order; the second half begins when the first is done. */
    void (*split)(const struct gf_cpu_split *s, bool second, long first, long last);
    /* unpack: twice the half spectrum from z. pack: the inverse, twice what an unscaled inverse of
     * m points needs. Blocks first to last - 1 of gf_cpu_halves_blocks(), LANES frequencies and
     * their partners each. */
    void (*unpack)(const struct gf_cpu_halves *h, long first, long last);
    void (*pack)(const struct gf_cpu_halves *h, long first, long last);
    /* y[k] = x[k] f[k] for first <= k < last, interleaved complex; swap_after swaps re and im of
     * the product, swap_before those of x. */
    void (*multiply)(const void *x, const void *f, void *y, bool swap_before, bool swap_after,
                     long first, long last);
    const struct gf_cpu_wavelet *wavelet; /* by enum wavelet */
};

long gf_cpu_split_parts(const struct gf_cpu_row *rows, bool second);
size_t gf_cpu_split_bytes(const struct gf_cpu_row *rows, int lanes, int bits);
long gf_cpu_halves_blocks(long m, int lanes); /* the last: frequencies that fill no block */

/* Element i of a table of reals of `bits` bits. */
static inline void gf_cpu_put_real(void *table, int bits, int64_t i, long double x) {
    if (bits == 32)
        ((float *)table)[i] = (float)x;
    else
        ((double *)table)[i] = (double)x;
}
static inline double gf_cpu_get_real(const void *table, int bits, int64_t i) {
    return bits == 32 ? (double)((const float *)table)[i] : ((const double *)table)[i];
}
/* Fills an interleaved complex table of reals of `bits` bits: entry i is exp(-2 pi i s(i) / n),
 * s(i) = i * step, or i^2 mod n for step 0, or its conjugate. False: no memory. */
bool gf_cpu_roots(void *table, int bits, int64_t n, int64_t step, bool conjugate, long count);

enum { GF_CPU_MAX_GROUPS = 16 };

/* Lines in a tile: groups of LANES complex ones, or LANES pairs of real ones. */
long gf_cpu_tile_lines(const struct gf_cpu_pass_args *pass, int lanes);
long gf_cpu_tiles(const struct gf_cpu_kernels *k, const struct gf_cpu_pass_args *pass);
long gf_cpu_scratch_points(const struct gf_cpu_pass_args *pass, int lanes); /* of each buffer */
size_t gf_cpu_scratch_bytes(const struct gf_cpu_kernels *k, const struct gf_cpu_pass_args *pass);

/* The kernels for this machine's best instruction set, or for `isa` ("plain", "v2", "v3", "v4");
 * NULL if this CPU lacks it. bits: 32 or 64. */
const struct gf_cpu_kernels *gf_cpu_kernels_find(int bits, const char *isa);

#endif
