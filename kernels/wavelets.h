/* The wavelets, a row each: orthonormal with compact support (Daubechies 1988, "Orthonormal bases
 * of compactly supported wavelets"), for the host and the kernels on CPU and GPU:
 *
 *     ROW(NAME, taps, name, also, alias, what, h)
 *
 * taps    how many, even; GPUs and streams of planes have wavelets of four
 * name    in records and as the user types it, like `also` and `alias`
 * what    for --help
 * h       the low pass, TAP(h[0]) TAP(h[1]) …, with a long double's digits; the high pass is
 *         g[i] = (-1)^i h[taps - 1 - i]
 *
 * A level's extents and windows follow from the number of taps: core/base/job/dwt_shape.h. */
#ifndef WAVELETS_H
#define WAVELETS_H

/* (1 + r, 3 + r, 3 - r, 1 - r) / (4 sqrt 2), r = sqrt 3. */
#define WAVELETS(ROW) \
    ROW(D4, 4, "d4", "w4", "db2", "Daubechies' wavelet with four taps", \
        TAP(0.48296291314453414337487159986444) TAP(0.83651630373780790557529378091689) \
            TAP(0.22414386804201338102597276224042) TAP(-0.12940952255126038117444941881202))

#define WAVELET_NUMBER(NAME, taps, name, also, alias, what, h) WAVELET_##NAME,
enum wavelet { WAVELETS(WAVELET_NUMBER) N_WAVELETS };

#endif
