/* A stage of radix RADIX after stages whose radices multiply to DONE, inside a function that has its
 * table's `stage` and the invocation's `first` butterfly: twiddles, then butterflies. */
for (int b = 0; b < HOLDS(RADIX); b++) {
    const uint p = uint(first + b * PER_LINE);
    if (INSIDE(p, RADIX)) {
#if DONE > 1
        const int m = stage + int(p % uint(DONE));
        cplx low[25];
        for (int q = 1; q < BASE(RADIX, DONE); q++) {
            low[q] = table[m + (q - 1) * DONE];
            x[b * RADIX + q] = turn(x[b * RADIX + q], low[q], DIR);
        }
        for (int a = 1; a * BASE(RADIX, DONE) < RADIX; a++) {
            const cplx high = table[m + (BASE(RADIX, DONE) - 2 + a) * DONE];
            const int q = a * BASE(RADIX, DONE);
            x[b * RADIX + q] = turn(x[b * RADIX + q], high, DIR);
            for (int c = 1; c < BASE(RADIX, DONE); c++)
                if (q + c < RADIX)
                    x[b * RADIX + q + c] = turn(x[b * RADIX + q + c], mul(high, low[c]), DIR);
        }
#endif
#if RADIX == 16
        dft16(x[b * 16], x[b * 16 + 1], x[b * 16 + 2], x[b * 16 + 3], x[b * 16 + 4], x[b * 16 + 5],
              x[b * 16 + 6], x[b * 16 + 7], x[b * 16 + 8], x[b * 16 + 9], x[b * 16 + 10],
              x[b * 16 + 11], x[b * 16 + 12], x[b * 16 + 13], x[b * 16 + 14], x[b * 16 + 15]);
#elif RADIX == 8
        dft8(x[b * 8], x[b * 8 + 1], x[b * 8 + 2], x[b * 8 + 3], x[b * 8 + 4], x[b * 8 + 5],
             x[b * 8 + 6], x[b * 8 + 7]);
#elif RADIX == 4
        dft4(x[b * 4], x[b * 4 + 1], x[b * 4 + 2], x[b * 4 + 3]);
#elif RADIX == 2
        dft2(x[b * 2], x[b * 2 + 1]);
#else
        dft(b * RADIX, RADIX);
#endif
    }
}
