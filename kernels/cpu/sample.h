/* Samples of every type to and from vectors: LANES neighbours at once, or one by one with a stride.
 */
#ifndef GF_KERNELS_CPU_SAMPLE_H
#define GF_KERNELS_CPU_SAMPLE_H

static const int sample_size[] = {
    [GF_CPU_U8] = 1,  [GF_CPU_I8] = 1,  [GF_CPU_U16] = 2, [GF_CPU_I16] = 2, [GF_CPU_U32] = 4,
    [GF_CPU_I32] = 4, [GF_CPU_F32] = 4, [GF_CPU_F64] = 8, [GF_CPU_C64] = 8, [GF_CPU_C128] = 16,
};

#define NARROW(type) type __attribute__((vector_size(sizeof(type) * LANES), aligned(1), may_alias))
typedef NARROW(uint8_t) v_u8;
typedef NARROW(int8_t) v_i8;
typedef NARROW(uint16_t) v_u16;
typedef NARROW(int16_t) v_i16;
typedef NARROW(uint32_t) v_u32;
typedef NARROW(int32_t) v_i32;
typedef NARROW(float) v_f32;
typedef NARROW(double) v_f64;
#define TO_VEC(v) __builtin_convertvector(v, vec)
/* Bytes by way of 16 bits, where GCC 12 takes them one by one otherwise. */
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

/* One real sample. Files may put anything at any address, so all accesses go through memcpy. */
#define READ(type)                                                                                 \
    {                                                                                              \
        type v;                                                                                    \
        memcpy(&v, p, sizeof v);                                                                   \
        return (real)v;                                                                            \
    }
INLINE real read_real(enum gf_cpu_sample t, const char *p) {
    switch (t) {
    case GF_CPU_U8:
        READ(uint8_t)
    case GF_CPU_I8:
        READ(int8_t)
    case GF_CPU_U16:
        READ(uint16_t)
    case GF_CPU_I16:
        READ(int16_t)
    case GF_CPU_U32:
        READ(uint32_t)
    case GF_CPU_I32:
        READ(int32_t)
    case GF_CPU_F64:
        READ(double)
    default:
        READ(float)
    }
}
#undef READ

/* LANES real samples side by side. */
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

/* One complex sample, and LANES of them; real types have no imaginary part. */
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

/* Values for integer types come clamped to the type's range: add one half and cut, downwards for
 * negative ones, so that halves round away from zero. */
#define WRITE(type, expression)                                                                    \
    {                                                                                              \
        type v = (type)(expression);                                                               \
        memcpy(p, &v, sizeof v);                                                                   \
        break;                                                                                     \
    }
INLINE void write_real(enum gf_cpu_sample t, char *p, real x) {
    real r = x < 0 ? x - (real)0.5 : x + (real)0.5;
    switch (t) {
    case GF_CPU_U8:
        WRITE(uint8_t, (int32_t)r)
    case GF_CPU_I8:
        WRITE(int8_t, (int32_t)r)
    case GF_CPU_U16:
        WRITE(uint16_t, (int32_t)r)
    case GF_CPU_I16:
        WRITE(int16_t, (int32_t)r)
    case GF_CPU_U32:
        WRITE(uint32_t, (double)r >= 4294967295.0 ? UINT32_MAX : (uint32_t)(int64_t)r)
    case GF_CPU_I32:
        WRITE(int32_t, (double)r >= 2147483647.0    ? INT32_MAX
                       : (double)r <= -2147483648.0 ? INT32_MIN
                                                    : (int32_t)r)
    case GF_CPU_F64:
        WRITE(double, x)
    default:
        WRITE(float, x)
    }
}
#undef WRITE

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

INLINE void write_complex(enum gf_cpu_sample t, char *p, real re, real im) {
    enum gf_cpu_sample part = t == GF_CPU_C64 ? GF_CPU_F32 : GF_CPU_F64;
    write_real(part, p, re);
    write_real(part, p + sample_size[part], im);
}
INLINE void write_complexes(enum gf_cpu_sample t, char *p, cvec x) {
    enum gf_cpu_sample part = t == GF_CPU_C64 ? GF_CPU_F32 : GF_CPU_F64;
    write_reals(part, p, vec_zip_low(x.re, x.im));
    write_reals(part, p + LANES * sample_size[part], vec_zip_high(x.re, x.im));
}

#endif
