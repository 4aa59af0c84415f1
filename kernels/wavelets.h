/* The wavelets, a row each: orthonormal ones of compact support (Daubechies 1988, "Orthonormal bases of
 * compactly supported wavelets"). The host, the kernels on the CPU and those on GPUs take them from here:
 *
 *     ROW(NAME, taps, name, also, alias, what, h)
 *
 * taps    how many, an even number; GPUs and streams of planes have wavelets of four
 * name    as records have it, and the user types it; so are `also` and `alias`
 * what    for --help
 * h       the low pass, TAP(h[0]) TAP(h[1]) and so on, to as many digits as a long double has. The high
 *         pass follows: g[i] = (-1)^i h[taps - 1 - i]
 *
 * How many samples a level has and which of them a band's sample takes follow from the number of taps:
 * core/base/dwt_shape.h. */
#ifndef WAVELETS_H
#define WAVELETS_H

/* (1 + r, 3 + r, 3 - r, 1 - r) / (4 sqrt 2), r = sqrt 3. */
#define WAVELETS(ROW)                                                                              \
    ROW(D4, 4, "d4", "w4", "db2", "Daubechies' wavelet with four taps",                            \
        TAP(0.48296291314453414337487159986444) TAP(0.83651630373780790557529378091689)            \
            TAP(0.22414386804201338102597276224042) TAP(-0.12940952255126038117444941881202))

#define WAVELET_NUMBER(NAME, taps, name, also, alias, what, h) WAVELET_##NAME,
enum wavelet { WAVELETS(WAVELET_NUMBER) N_WAVELETS };

#endif
