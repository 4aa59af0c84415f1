/* The CPU's kernels: arithmetic on tiles, without threads, files or allocation.
 *
 * SIMD lanes are adjacent lines: a tile is LANES lines of n points as [point][re|im][lane], so a
 * transform of any length is plain vector arithmetic with broadcast twiddles. One source
 * (kernels.inc) is built for each precision and instruction set.
 *
 *     const struct gf_cpu_kernels *k = gf_cpu_kernels_find(32, NULL);
 *     void *scratch = aligned_alloc(64, gf_cpu_scratch_bytes(k, &args));    rounded up to 64
 *     for (int64_t t = 0; t < gf_cpu_tiles(k, &args); t++)                     in any order
 *         k->run(&args, t, scratch, &stats); */
#ifndef GF_KERNELS_CPU_H
#define GF_KERNELS_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GF_CPU_MAX_STAGES = 24, GF_CPU_MAX_CODELET = 16, GF_CPU_MAX_RADIX = 31 };

/* A complex 1D transform of n points in one precision, by decimation in time: stage 0 runs last and
 * combines radix[0] blocks of n / radix[0] points; the innermost stage (the leaf) reads the input
 * with stride n / radix[last]. A prime factor above GF_CPU_MAX_RADIX is the innermost radix,
 * transformed by `leaf`. */
struct gf_cpu_line {
    int64_t n;
    enum gf_cpu_algorithm {
        GF_CPU_STAGES,
        GF_CPU_RADER,    /* n prime: a cyclic convolution of n - 1 points (Rader 1968) */
        GF_CPU_BLUESTEIN /* any n: a linear convolution with a chirp (Bluestein 1970) */
    } algorithm;
    int n_stages;
    int radix[GF_CPU_MAX_STAGES];
    /* Stage s: for each k < m, radix - 1 twiddles exp(-2 pi i r k / (radix m)), re and im. */
    void *twiddle[GF_CPU_MAX_STAGES];
    /* Radices without a codelet: cos and -sin of 2 pi j / radix, j < radix. */
    void *roots[GF_CPU_MAX_STAGES];
    struct gf_cpu_line *leaf; /* the innermost radix if it has no codelet; else NULL */

    struct gf_cpu_line *convolution; /* Rader, Bluestein: the convolution's transform */
    void *spectrum;                  /* of the convolution's kernel; re and im */
    void *chirp;                     /* Bluestein: exp(-pi i k^2 / n), k < n; re and im */
    int32_t *gather, *scatter;       /* Rader: n - 1 powers of the generator */

    int64_t scratch_points; /* of each of the two scratch buffers */
};

/* Builds the tables, computing twiddles in long double. `radix` lists the stages, outermost first,
 * with product n (gf_factor_radices). bits is 32 or 64. Owns `leaf`, even on failure; NULL: no
 * memory. */
struct gf_cpu_line *gf_cpu_line_stages(int64_t n, const int *radix, int n_stages,
                                       struct gf_cpu_line *leaf, int bits);
/* Both own `convolution`, even on failure. generator: a primitive root of n. */
struct gf_cpu_line *gf_cpu_line_rader(int64_t n, int64_t generator, struct gf_cpu_line *convolution,
                                      int bits);
struct gf_cpu_line *gf_cpu_line_bluestein(int64_t n, struct gf_cpu_line *convolution, int bits);
void gf_cpu_line_free(struct gf_cpu_line *line);

/* A line whose own points fill the lanes, `block` of them from each of LANES / block lines
 * (rows.h): n is a multiple of block^2, or gf_cpu_row_is_few(). */
struct gf_cpu_row {
    int64_t n;
    int block;
    struct gf_cpu_line *line; /* n / block points */
    bool reads; /* the innermost stage reads the line: all stages are codelets, the last one of 4,
                 * 5, 8 or 16 */
    bool joins; /* likewise, and the outermost stage is part of the second half: struct
                 * gf_cpu_split */
    /* exp(-2 pi i k1 i2 / n) as [k1 / block][0 < i2 < block][re|im][lane], where a lane's k1 is its
     * index mod block; for blocks of 16, [k1][re|im][i2]. */
    void *twiddle;
};
/* Vectors of padding between the blocks of a joined outermost stage, which at powers of two would
 * share cache sets. */
enum { GF_CPU_SPLIT_APART = 4 };
static inline int64_t gf_cpu_row_apart(const struct gf_cpu_row *rows) {
    return rows->joins ? (int64_t)rows->line->radix[0] * GF_CPU_SPLIT_APART : 0;
}
/* True for lines with fewer vectors than lanes. Digits are transformed in registers, in blocks of
 * all lanes; two and four vectors only for single lines. */
static inline bool gf_cpu_row_is_few(int64_t n, int lanes) {
    return lanes == 16 && (n == 32 || n == 64 || n == 128);
}

/* Real lines of up to this many points are transposed: short_rows.h. */
enum { GF_CPU_SHORT_ROW = 32 };

/* The largest block for lines of n points, or 0. */
int gf_cpu_row_block(int64_t n, int lanes);
/* Owns `line` of n / block points, even on failure; NULL: no memory. */
struct gf_cpu_row *gf_cpu_row_make(int64_t n, int block, struct gf_cpu_line *line, int lanes,
                                   int bits);
void gf_cpu_row_free(struct gf_cpu_row *rows);
/* Reals between a line's work arrays; bytes of a thread's scratch. */
int64_t gf_cpu_row_pitch(int64_t n, int lanes);
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
    /* The workspace between passes: complex in the pass's precision, in blocks of LANES neighbours
     * on the innermost axis, LANES real parts followed by LANES imaginary parts. */
    GF_CPU_WORK
};

/* One axis of an end. Index i is at ((i + shift) mod n) * stride bytes; its mirror image, the
 * negative frequency, if mirrored, at ((n - i + shift) mod n) * stride. */
struct gf_cpu_axis {
    int64_t n, shift;
    ptrdiff_t stride;
    bool mirrored;
    int64_t counted; /* destination: clipped samples are counted below this index */
};

/* Lanes over two axes whose rows are adjacent: lane i is index i % row of the lane axis and i / row
 * of this one. */
struct gf_cpu_fold {
    int64_t row; /* 0: none */
    int64_t n;
    bool mirrored;
};

/* Index n / 2 of lines that become real, stored separately: one complex number per line in the
 * pass's precision, of which only the real part counts. */
struct gf_cpu_column {
    const char *data; /* NULL: stored after the others */
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
     * the array and store each of their blocks row by row. Block rest_from, if any, does not fit
     * and is at `rest`. */
    int64_t band, rest_from;
    ptrdiff_t row_bytes;
    char *rest;
    /* Source: use the Hermitian part of a full spectrum. Destination: also write the half
     * spectrum's mirror image. Indices 0 and n/2 of the halved axis are their own mirror images. */
    bool hermitian;
    enum { GF_CPU_HALF_LINE, GF_CPU_HALF_LANE, GF_CPU_HALF_OUTER } half_axis; /* outer[0] */
    int64_t half_n; /* hermitian: full extent of the halved axis */
    /* Destination: the spectrum of reals is real at indices that are their own mirror image.
     * Rounding errors in the imaginary part are dropped there, as they could turn a phase of pi
     * into -pi. */
    bool real_origin;
    bool luma; /* source: Rec. 709 luma of three channels `channel_stride` bytes apart */
    ptrdiff_t channel_stride;
    /* Destination: sample = curve(value * factor) * gain + offset, clamped to [floor, ceiling] and
     * rounded for integers; floats get value * factor. */
    enum gf_cpu_value value;
    enum gf_cpu_curve curve;
    double factor, gain, offset, floor, ceiling;
    bool stream;  /* destination: write past the caches if aligned */
    bool discard; /* destination: only find the largest |value| */
};

/* Twiddles exp(-2 pi i lane point / n) applied before a pass's transform, between the two halves of
 * a line (Bailey 1990). Tables in the pass's precision as [tile][entry][re|im][lane]: either one
 * for all points, or one for points below `chunk` and one for its n_coarse multiples, whose
 * products are the twiddles. */
struct gf_cpu_twist {
    const void *all; /* NULL: use the two below */
    const void *fine, *coarse;
    int64_t chunk, n_coarse;
};

/* A real line of 2 m points as a complex one of m, even samples in the real parts: its transform z
 * and the real line's half spectrum x. */
struct gf_cpu_halves {
    void *x; /* m + 1 complex numbers, interleaved */
    void *z; /* m, likewise; may equal x; unpack() needs room for one more */
    int64_t m;
    const void *roots; /* exp(-pi i k / m), k <= m / 2, as [k / LANES][re|im][lane] */
};

/* A line that stays in the caches, interleaved, transformed within vectors in two halves; out may
 * equal in. */
struct gf_cpu_split {
    const struct gf_cpu_row *rows;
    const struct gf_cpu_halves *halves; /* real lines: z is `out`, and the `in` of an inverse */
    const void *in;
    void *out, *work; /* work: gf_cpu_split_bytes() */
    bool inverse;
    double factor;
};

/* A filter (core/filter/filter.h) for a pass that transforms, multiplies and transforms back.
 * Tables have the pass's precision, outer axes are the pass's. */
enum { GF_CPU_GAIN_TERMS = 4 };
struct gf_cpu_gain {
    enum {
        GF_CPU_GAIN_FACTORS, /* computed from the terms below */
        GF_CPU_GAIN_LINE,    /* table[point], shared by all lines */
        GF_CPU_GAIN_REAL,    /* table[outer 0][outer 1][block of lanes][point][lane] */
        GF_CPU_GAIN_COMPLEX, /* …[point][re|im][lane] */
    } kind;
    const void *table;
    ptrdiff_t block, outer[2]; /* stride in reals; 0: shared */
    /* The product of c0 + ca A + cab A B, where A and B are terms; b is -1 if cab is 0. */
    int n_factors;
    struct {
        double c0, ca, cab;
        int a, b;
    } factor[GF_CPU_GAIN_TERMS];
    /* A low pass as a function of one value per axis (NULL: not transformed; lanes are padded to
     * whole vectors). */
    struct gf_cpu_term {
        int profile, order; /* from kernels/profiles.h */
        double limit;
        const void *line, *lane, *outer[2];
    } term[GF_CPU_GAIN_TERMS];
    /* Added to the zero frequency: index 0 of the line and of the transformed axes. */
    double zero;
    bool lane_on, outer_on[2];
};

/* One pass: load, transform, store. The caller owns everything it points at. */
struct gf_cpu_pass_args {
    const struct gf_cpu_twist *twist; /* NULL: none */
    const struct gf_cpu_line *line;   /* NULL: only load and store */
    /* Not NULL: transforms within vectors. Requires lines that are contiguous at both ends (or
     * along the workspace's blocks), complex numbers and results in the pass's precision, and no
     * gain, twist, mirrored or shifted line. */
    const struct gf_cpu_row *rows;
    const struct gf_cpu_gain *gain; /* not NULL: transforms, multiplies, transforms back */
    /* GF_CPU_R2R needs a GF_CPU_GAIN_LINE. A real filter acts on a line's real and imaginary parts
     * separately, so pairs of real lines stay joined. */
    enum gf_cpu_form { GF_CPU_C2C, GF_CPU_R2C, GF_CPU_C2R, GF_CPU_R2R } form;
    bool inverse;
    /* Half spectra of even length without a column for frequency n / 2: both it and frequency 0 are
     * real, so it becomes frequency 0's imaginary part. GF_CPU_R2C packs it. The last pass, which
     * is complex, unpacks it; its lanes are the halved axis, and n_lane is n / 2, a multiple of
     * LANES. */
    bool packs, unpacks;
    /* Unpacks along this pass's axis only: the second one transformed, after the halved one. The
     * destination is plain complex and has a column n_lane. */
    bool unpacks_within;
    /* An inverse's first pass packs half spectra in the same way for the next. The source has a
     * column n_lane. */
    bool packs_within;
    /* Other jobs transform the other axes: lines must round like those of the whole job, whose
     * spectra are in the workspace. */
    bool part;
    int64_t n;      /* points per line in the real (or full complex) domain */
    int64_t n_lane; /* lines along the lane axis */
    int groups; /* complex passes across rows: adjacent blocks of LANES lines per tile, for longer
                  * runs in memory; `rows`: factor for a tile's lines; 0 means 1 */
    int64_t n_outer[2]; /* lines along the other axes */
    struct gf_cpu_end source, destination;
};

/* One thread's results, added up by the caller. */
struct gf_cpu_stats {
    double largest;             /* destination: largest |value * factor| */
    int64_t clipped;            /* counted values outside [floor, ceiling] by more than rounding */
    double energy, anti_energy; /* Hermitian source: energy of the symmetric and antisymmetric
                                 * part */
};

/* The parts of a transform by one wavelet; h and g as in core/wavelet/dwt.h. Rows have the build's
 * precision unless a type is given; n counts the samples of all channels. `stream` writes past the
 * caches if aligned; fence() completes such writes. */
struct gf_cpu_wavelet {
    /* Combines one row per tap. Forward: low[i] = sum of h[j] row[j][i], high[i] with g. Inverse,
     * from rows a[k], d[k], a[k + 1], d[k + 1], …: two adjacent samples. */
    void (*pair)(bool inverse, const void *const *row, enum gf_cpu_sample type, int64_t n,
                 void *low, void *high);
    /* Along a row of pixels of `channels` samples: a[k] = sum of h[i] x[2 k + i], k < n, d with g;
     * reads 2 n + taps - 2 pixels. */
    void (*split)(const void *x, int64_t n, int64_t channels, void *a, void *d, bool stream_a,
                  bool stream_d);
    /* Inverse: x[2 k], x[2 k + 1] from a[k], d[k] and following ones, k < n. */
    void (*merge)(const void *a, const void *d, int64_t n, int64_t channels, void *x);
    void (*load)(const void *row, enum gf_cpu_sample type, int64_t n, void *x);
    /* Returns the number of samples clipped by an integer type. */
    int64_t (*store)(const void *x, int64_t n, enum gf_cpu_sample type, void *row, bool stream);
    void (*fence)(void);
};

struct gf_cpu_kernels {
    const char *isa;
    int lanes;
    int bits; /* per real: 32 or 64 */
    /* Runs tile `tile` of gf_cpu_tiles(). scratch: gf_cpu_scratch_bytes(), 64-byte aligned. */
    void (*run)(const struct gf_cpu_pass_args *pass, int64_t tile, void *scratch,
                struct gf_cpu_stats *stats);
    /* Transforms a whole line. */
    void (*line)(const struct gf_cpu_split *s);
    /* One half of the transform alone: parts first to last - 1 of gf_cpu_split_parts(), in any
     * order. The second half starts when the first is complete. */
    void (*split)(const struct gf_cpu_split *s, bool second, int64_t first, int64_t last);
    /* unpack: twice the half spectrum, from z. pack: the reverse, with twice the values that an
     * unscaled inverse of m points needs. Blocks first to last - 1 of gf_cpu_halves_blocks(), each
     * LANES frequencies and their partners. */
    void (*unpack)(const struct gf_cpu_halves *h, int64_t first, int64_t last);
    void (*pack)(const struct gf_cpu_halves *h, int64_t first, int64_t last);
    /* y[k] = x[k] f[k] for first <= k < last, interleaved complex; swap_after swaps re and im of
     * the product, swap_before those of x. */
    void (*multiply)(const void *x, const void *f, void *y, bool swap_before, bool swap_after,
                     int64_t first, int64_t last);
    const struct gf_cpu_wavelet *wavelet; /* by enum wavelet */
};

int64_t gf_cpu_split_parts(const struct gf_cpu_row *rows, bool second);
size_t gf_cpu_split_bytes(const struct gf_cpu_row *rows, int lanes, int bits);
int64_t gf_cpu_halves_blocks(int64_t m,
                             int lanes); /* the last block holds the remaining frequencies */

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
/* Fills an interleaved complex table of reals of `bits` bits: entry i is exp(-2 pi i s(i) / n) or
 * its conjugate, s(i) = i * step, or i^2 mod n for step 0. False: no memory. */
bool gf_cpu_roots(void *table, int bits, int64_t n, int64_t step, bool conjugate, int64_t count);

enum { GF_CPU_MAX_GROUPS = 16 };

/* Lines per tile: groups of LANES complex ones, or of LANES pairs of real ones. */
int64_t gf_cpu_tile_lines(const struct gf_cpu_pass_args *pass, int lanes);
int64_t gf_cpu_tiles(const struct gf_cpu_kernels *k, const struct gf_cpu_pass_args *pass);
int64_t gf_cpu_scratch_points(const struct gf_cpu_pass_args *pass, int lanes); /* per buffer */
size_t gf_cpu_scratch_bytes(const struct gf_cpu_kernels *k, const struct gf_cpu_pass_args *pass);

/* The kernels for this machine's best instruction set, or for `isa` ("plain", "v2", "v3", "v4");
 * NULL if this CPU lacks it. bits: 32 or 64. */
const struct gf_cpu_kernels *gf_cpu_kernels_find(int bits, const char *isa);

#endif
