/* Samples of every type to and from vectors: LANES contiguous ones at once, or single ones. */
#ifndef GF_KERNELS_CPU_SAMPLE_H
#define GF_KERNELS_CPU_SAMPLE_H

/* The real types. */
#define REAL_TYPES(DO) \
    DO(U8, u8, uint8_t) \
    DO(I8, i8, int8_t) \
    DO(U16, u16, uint16_t) \
    DO(I16, i16, int16_t) \
    DO(U32, u32, uint32_t) \
    DO(I32, i32, int32_t) \
    DO(F32, f32, float) \
    DO(F64, f64, double)

static const int sample_size[] = {
#define SIZE(NAME, name, type) [GF_CPU_##NAME] = sizeof(type),
    REAL_TYPES(SIZE)[GF_CPU_C64] = 8, [GF_CPU_C128] = 16};

/* LANES samples and single ones at any address, as in files. */
#define LOOSE(NAME, name, type) \
    typedef type __attribute__((aligned(1), may_alias)) loose_##name; \
    typedef type __attribute__((vector_size(sizeof(type) * LANES), aligned(1), may_alias)) v_##name;
REAL_TYPES(LOOSE)
#define TO_VEC(v) __builtin_convertvector(v, vec)
/* Without the step by 16 bits, GCC 12 converts bytes one by one. */
#if VEC_BYTES > 16
#define BYTES_TO_VEC(v) TO_VEC(__builtin_convertvector(__builtin_convertvector(v, v_i16), v_i32))
#else
#define BYTES_TO_VEC(v) TO_VEC(v)
#endif
#if VEC_BYTES < 64
#define BYTES_FROM(v, type) __builtin_convertvector(__builtin_convertvector(v, v_i16), type)
#else
#define BYTES_FROM(v, type) __builtin_convertvector(v, type)
#endif

INLINE real read_real(enum gf_cpu_sample t, const char *p) {
    switch (t) {
    case GF_CPU_U8:
        return *(const loose_u8 *)p;
    case GF_CPU_I8:
        return *(const loose_i8 *)p;
    case GF_CPU_U16:
        return *(const loose_u16 *)p;
    case GF_CPU_I16:
        return *(const loose_i16 *)p;
    case GF_CPU_U32:
        return *(const loose_u32 *)p;
    case GF_CPU_I32:
        return *(const loose_i32 *)p;
    case GF_CPU_F64:
        return *(const loose_f64 *)p;
    default:
        return *(const loose_f32 *)p;
    }
}

/* LANES contiguous samples. */
INLINE vec read_reals(enum gf_cpu_sample t, const char *p) {
    switch (t) {
    case GF_CPU_U8:
        return BYTES_TO_VEC(*(const v_u8 *)p);
    case GF_CPU_I8:
        return BYTES_TO_VEC(*(const v_i8 *)p);
    case GF_CPU_U16:
        return TO_VEC(*(const v_u16 *)p);
    case GF_CPU_I16:
        return TO_VEC(*(const v_i16 *)p);
    case GF_CPU_U32:
        return TO_VEC(*(const v_u32 *)p);
    case GF_CPU_I32:
        return TO_VEC(*(const v_i32 *)p);
    case GF_CPU_F64:
        return TO_VEC(*(const v_f64 *)p);
    default:
        return TO_VEC(*(const v_f32 *)p);
    }
}

/* Real types have no imaginary part. */
INLINE void read_complex(enum gf_cpu_sample t, const char *p, real *re, real *im) {
    if (t < GF_CPU_C64) {
        *re = read_real(t, p);
        *im = 0;
        return;
    }
    enum gf_cpu_sample part = t == GF_CPU_C64 ? GF_CPU_F32 : GF_CPU_F64;
    *re = read_real(part, p);
    *im = read_real(part, p + sample_size[part]);
}
INLINE cvec read_complexes(enum gf_cpu_sample t, const char *p) {
    if (t < GF_CPU_C64)
        return (cvec){read_reals(t, p), {0}};
    enum gf_cpu_sample part = t == GF_CPU_C64 ? GF_CPU_F32 : GF_CPU_F64;
    vec a = read_reals(part, p), b = read_reals(part, p + LANES * sample_size[part]);
    return (cvec){vec_even(a, b), vec_odd(a, b)};
}

/* Integers are already clamped. Adding one half, or subtracting it from negative values, and
 * truncating rounds halves away from zero. */
INLINE void write_real(enum gf_cpu_sample t, char *p, real x) {
    real r = x < 0 ? x - (real)0.5 : x + (real)0.5;
    switch (t) {
    case GF_CPU_U8:
        *(loose_u8 *)p = (uint8_t)(int32_t)r;
        break;
    case GF_CPU_I8:
        *(loose_i8 *)p = (int8_t)(int32_t)r;
        break;
    case GF_CPU_U16:
        *(loose_u16 *)p = (uint16_t)(int32_t)r;
        break;
    case GF_CPU_I16:
        *(loose_i16 *)p = (int16_t)(int32_t)r;
        break;
    case GF_CPU_U32:
        *(loose_u32 *)p = (double)r >= 4294967295.0 ? UINT32_MAX : (uint32_t)(int64_t)r;
        break;
    case GF_CPU_I32:
        *(loose_i32 *)p = (double)r >= 2147483647.0    ? INT32_MAX
                          : (double)r <= -2147483648.0 ? INT32_MIN
                                                       : (int32_t)r;
        break;
    case GF_CPU_F64:
        *(loose_f64 *)p = (double)x;
        break;
    default:
        *(loose_f32 *)p = (float)x;
    }
}

INLINE void write_reals(enum gf_cpu_sample t, char *p, vec x) {
    vec half = vec_splat((real)0.5), r = x + vec_select(x < (vec){0}, -half, half);
    switch (t) {
    case GF_CPU_U8:
        *(v_u8 *)p = BYTES_FROM(__builtin_convertvector(r, ivec), v_u8);
        break;
    case GF_CPU_I8:
        *(v_i8 *)p = BYTES_FROM(__builtin_convertvector(r, ivec), v_i8);
        break;
    case GF_CPU_U16:
        *(v_u16 *)p = __builtin_convertvector(__builtin_convertvector(r, ivec), v_u16);
        break;
    case GF_CPU_I16:
        *(v_i16 *)p = __builtin_convertvector(__builtin_convertvector(r, ivec), v_i16);
        break;
    case GF_CPU_U32:
    case GF_CPU_I32:
        for (int l = 0; l < LANES; l++)
            write_real(t, p + 4 * l, x[l]);
        break;
    case GF_CPU_F64:
        *(v_f64 *)p = __builtin_convertvector(x, v_f64);
        break;
    default:
        *(v_f32 *)p = __builtin_convertvector(x, v_f32);
    }
}

INLINE void write_complexes(enum gf_cpu_sample t, char *p, cvec x) {
    enum gf_cpu_sample part = t == GF_CPU_C64 ? GF_CPU_F32 : GF_CPU_F64;
    write_reals(part, p, vec_zip_low(x.re, x.im));
    write_reals(part, p + LANES * sample_size[part], vec_zip_high(x.re, x.im));
}

#endif
