/* Counts of tiles and bytes, independent of precision and instruction set, and the choice of a
 * build. */
#include "kernels/cpu/cpu.h"

#include <string.h>
#if defined __x86_64__ && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

static int groups_of(const struct gf_cpu_pass_args *pass) {
    return pass->groups > 1 ? pass->groups : 1;
}

int64_t gf_cpu_tile_lines(const struct gf_cpu_pass_args *pass, int lanes) {
    return (pass->form == GF_CPU_C2C ? 1 : 2) * (int64_t)lanes * groups_of(pass);
}

int64_t gf_cpu_tiles(const struct gf_cpu_kernels *k, const struct gf_cpu_pass_args *pass) {
    int64_t lines = gf_cpu_tile_lines(pass, k->lanes), apart = pass->unpacks ? k->lanes : 0;
    int64_t per_row = (pass->n_lane - apart + lines - 1) / lines + pass->unpacks;
    return per_row * pass->n_outer[0] * pass->n_outer[1];
}

int64_t gf_cpu_scratch_points(const struct gf_cpu_pass_args *pass, int lanes) {
    int64_t whole = (pass->n + lanes) / lanes * lanes; /* room for a row's last block */
    int64_t line = pass->line ? pass->line->scratch_points : 0;
    /* odd: buffers in different cache sets */
    return (whole > line ? whole : line) + 1;
}

int64_t gf_cpu_row_pitch(int64_t n, int lanes) {
    /* odd: lines in different cache sets */
    return ((n / lanes + 2) | 1) * lanes;
}

/* Room for a tile's lines, or for lines to be written after the rest of earlier ones, with
 * alignment. */
static size_t stage_bytes(int64_t n, int lanes, int bits) {
    return 2 * (size_t)(n + 2 + 4) * (size_t)lanes * (size_t)bits / 8;
}

size_t gf_cpu_row_bytes(const struct gf_cpu_row *rows, int lanes, int bits) {
    /* Two buffers of vectors; two planes of reals per line, and one more. */
    size_t planes = 2 * (size_t)(lanes / rows->block) + 1;
    return ((size_t)(rows->line->scratch_points * 2 + gf_cpu_row_apart(rows)) * 2 * (size_t)lanes +
            planes * (size_t)gf_cpu_row_pitch(rows->n, lanes)) *
               (size_t)bits / 8 +
           stage_bytes(rows->n, lanes, bits);
}

int64_t gf_cpu_split_parts(const struct gf_cpu_row *rows, bool second) {
    const int64_t first = rows->joins ? rows->line->radix[0] : 1;
    return second ? rows->line->n / first / rows->block : first;
}

size_t gf_cpu_split_bytes(const struct gf_cpu_row *rows, int lanes, int bits) {
    const struct gf_cpu_line *line = rows->line;
    const int64_t vectors = line->n + (rows->joins ? gf_cpu_row_apart(rows) : line->scratch_points);
    return 2 * (size_t)(vectors * lanes) * (size_t)bits / 8;
}

int64_t gf_cpu_halves_blocks(int64_t m, int lanes) {
    return (m + 1) / 2 / lanes + 1;
}

size_t gf_cpu_scratch_bytes(const struct gf_cpu_kernels *k, const struct gf_cpu_pass_args *pass) {
    size_t point = 2 * (size_t)k->lanes * (size_t)k->bits / 8;
    int buffers = (pass->rows ? 1 : groups_of(pass)) + 1;
    const int unpacking = 5; /* two tiles, their new columns, a spare */
    if (pass->unpacks && buffers < unpacking)
        buffers = unpacking;
    buffers += pass->unpacks_within; /* the new column */
    size_t bytes = (size_t)gf_cpu_scratch_points(pass, k->lanes) * point * (size_t)buffers;
    if (!pass->rows)
        return bytes;
    size_t rows = gf_cpu_row_bytes(pass->rows, k->lanes, k->bits);
    bytes += stage_bytes(pass->n, k->lanes, k->bits); /* for kernels/cpu/short_rows.h */
    return bytes > rows ? bytes : rows;
}

extern const struct gf_cpu_kernels gf_cpu_f32_plain, gf_cpu_f64_plain;
#ifdef __x86_64__
extern const struct gf_cpu_kernels gf_cpu_f32_v2, gf_cpu_f64_v2, gf_cpu_f32_v3, gf_cpu_f64_v3,
    gf_cpu_f32_v4, gf_cpu_f64_v4;

/* Features found by the loader of glibc 2.34 and later. The compiler's functions query the CPU
 * again, before main(): ten instructions, each of which a virtual machine intercepts for 6 us. */
#ifdef CPU_FEATURE_ACTIVE
/* Like CPU_FEATURE_ACTIVE(), whose header shifts a 1 into the sign. */
static bool is_active(unsigned feature) {
    enum { BITS = 32, REGISTERS = 4 };
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / (BITS * REGISTERS));
    return leaf->active_array[feature / BITS % REGISTERS] >> feature % BITS & 1;
}
#define RUNS(name, NAME) is_active(x86_cpu_##NAME)
#else
#define RUNS(name, NAME) __builtin_cpu_supports(name)
#endif

/* The additions of each x86-64-v* level that the kernels use. */
static bool runs_v2(void) {
    return RUNS("sse4.2", SSE4_2);
}
static bool runs_v3(void) {
    return RUNS("avx2", AVX2) && RUNS("fma", FMA) && RUNS("bmi2", BMI2);
}
static bool runs_v4(void) {
    return runs_v3() && RUNS("avx512f", AVX512F) && RUNS("avx512bw", AVX512BW) &&
           RUNS("avx512cd", AVX512CD) && RUNS("avx512dq", AVX512DQ) && RUNS("avx512vl", AVX512VL);
}
#endif
static bool runs_always(void) {
    return true;
}

const struct gf_cpu_kernels *gf_cpu_kernels_find(int bits, const char *isa) {
    static const struct {
        bool (*runs)(void);
        const struct gf_cpu_kernels *single, *twice;
    } builds[] = {
#ifdef __x86_64__
        {runs_v4, &gf_cpu_f32_v4, &gf_cpu_f64_v4},
        {runs_v3, &gf_cpu_f32_v3, &gf_cpu_f64_v3},
        {runs_v2, &gf_cpu_f32_v2, &gf_cpu_f64_v2},
#endif
        {runs_always, &gf_cpu_f32_plain, &gf_cpu_f64_plain},
    };
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        const struct gf_cpu_kernels *k = bits == 32 ? builds[i].single : builds[i].twice;
        if ((!isa || !strcmp(isa, k->isa)) && builds[i].runs())
            return k;
    }
    return NULL;
}
