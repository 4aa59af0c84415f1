/* From the `owner` of one stage's results, of radix RADIX after DONE points, to those of the next one's
 * operands, of radix NEXT: line `to.line`, from butterfly `first` on. */
for (int part = 0; part < PARTS; part++) {
    BARRIER();
    for (int b = 0; b < HOLDS(RADIX); b++) {
        const uint p = uint(owner.first + b * PER_LINE);
        if (INSIDE(p, RADIX)) {
            const uint at = p / uint(DONE) * uint(DONE * RADIX) + p % uint(DONE);
            for (int q = 0; q < RADIX; q++)
                put(SLOT(at + uint(q * DONE), uint(owner.line)), x[b * RADIX + q], part);
        }
    }
    BARRIER();
    for (int b = 0; b < HOLDS(NEXT); b++) {
        const uint p = uint(first + b * PER_LINE);
        if (INSIDE(p, NEXT)) {
            for (int q = 0; q < NEXT; q++)
                x[b * NEXT + q] = got(SLOT(p + uint(q * (POINTS / NEXT)), uint(to.line)),
                                      x[b * NEXT + q], part);
        }
    }
}
