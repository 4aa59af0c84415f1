#!/usr/bin/env python3
# Prints tests/core/dwt_reference.inc: what PyWavelets 1.8.0 makes of a few small arrays, as
#     wavedecn(x, 'db2', mode, level, axes) -> coeffs_to_array
# in double precision. Sample i of an array, in C order, is (37 i i + 11 i) mod 251.
#     python3 tests/core/dwt_reference.py > tests/core/dwt_reference.inc
import warnings

import numpy as np
import pywt

warnings.simplefilter("ignore")  # levels beyond what PyWavelets advises
MODES = ["periodization", "symmetric", "zero"]
CASES = [  # shape, axes, levels
    ((16,), (0,), 2),
    ((13,), (0,), 3),
    ((1,), (0,), 1),
    ((3,), (0,), 2),
    ((8, 8), (0, 1), 3),
    ((7, 6), (0, 1), 2),
    ((5, 9), (1,), 2),
    ((9, 4), (0,), 2),
    ((4, 4, 8), (0, 1, 2), 2),
    ((3, 5, 4), (0, 1, 2), 1),
    ((5, 3, 2), (0, 2), 1),
]
print("/* By tests/core/dwt_reference.py, with PyWavelets %s. */" % pywt.__version__)
values = []
print("static const struct reference_case reference_cases[] = {")
for shape, axes, levels in CASES:
    for boundary, mode in enumerate(MODES):
        i = np.arange(np.prod(shape), dtype=np.int64)
        x = ((37 * i * i + 11 * i) % 251).astype(float).reshape(shape)
        c = pywt.coeffs_to_array(pywt.wavedecn(x, "db2", mode, levels, axes), axes=axes)[0]
        bits = sum(1 << a for a in axes)
        print("    {%d, {%s}, %d, %d, %d, {%s}, %d}," % (
            len(shape), ", ".join(map(str, shape)), bits, levels, boundary,
            ", ".join(map(str, c.shape)), len(values)))
        values += list(c.ravel())
print("};\nstatic const double reference_values[] = {")
for i in range(0, len(values), 5):
    print("    " + " ".join("%.17g," % v for v in values[i:i + 5]))
print("};")
