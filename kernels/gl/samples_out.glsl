/* Packs samples of OUT_T into dst[]. */

/* Invocations write samples of one word concurrently. */
void write_sample(int at, uint bits) {
#if OUT_T == TYPE_float
    SET(dst, at, bits);
#else
    const int each = 32 / BITS_OF_TYPE(OUT_T), shift = at % each * BITS_OF_TYPE(OUT_T);
    const uint mask = (1u << BITS_OF_TYPE(OUT_T)) - 1u;
    AND_TO(dst, at / each, ~(mask << shift));
    OR_TO(dst, at / each, (bits & mask) << shift);
#endif
}

/* Integers are rounded half away from zero and saturated, with `outside` set. */
uint as_number(real v, out int outside) {
    outside = 0;
#if OUT_INTEGER
    const bool inside = v > real(OUT_LOW) - 0.5 && v < real(OUT_HIGH) + 0.5;
    outside = inside ? 0 : 1;
    real limited = v > real(OUT_LOW) ? min(v, real(OUT_HIGH)) : real(OUT_LOW);
    limited += OUT_LOW < 0 && limited < 0.0 ? -0.5 : 0.5;
    return uint(int(limited));
#else
    return floatBitsToUint(v);
#endif
}
