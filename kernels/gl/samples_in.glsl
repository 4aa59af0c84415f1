/* Unpacks samples of IN_T from src[]. */
real sample_of(uint bits) {
#if IN_T == TYPE_float
    return uintBitsToFloat(bits);
#elif IN_T == TYPE_uchar || IN_T == TYPE_ushort
    return real(bits);
#elif IN_T == TYPE_schar
    return real(int(bits << 24) >> 24);
#else
    return real(int(bits << 16) >> 16);
#endif
}
real sample_at(int at) {
#if IN_T == TYPE_float
    return sample_of(GET(src, at));
#elif IN_T == TYPE_ushort || IN_T == TYPE_short
    return sample_of(GET(src, at >> 1) >> 16 * (at & 1) & 0xffffu);
#else
    return sample_of(GET(src, at >> 2) >> 8 * (at & 3) & 0xffu);
#endif
}
