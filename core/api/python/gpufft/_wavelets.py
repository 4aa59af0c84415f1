"""Wavelet transforms of arrays, with the names, arguments and results of PyWavelets."""

from __future__ import annotations

import math
import operator
from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._fft import _array, _host, _integers
from ._operations import Operation

_BORDERS = {"symmetric": "symmetric", "sym": "symmetric", "zero": "zero", "zpd": "zero",
            "periodization": "periodic", "per": "periodic"}
_FEW = 16  # numbers up to which channels are faster than an axis of them


def _numbers(x):
    """An array of floating-point numbers, of single or double precision."""
    x = _host(x)
    if x.dtype.kind not in "fc" or x.dtype.itemsize > (16 if x.dtype.kind == "c" else 8):
        x = np.asarray(x, np.complex128 if x.dtype.kind == "c" else np.float64)
    return _array(x)


def _border(wavelet, mode):
    """The library's name of a border; refuses other wavelets."""
    wavelet, mode = getattr(wavelet, "name", wavelet), getattr(mode, "name", mode)
    if wavelet not in ("db2", "d4", "w4"):
        raise ValueError(f"no wavelet {wavelet!r}: there is db2")
    if mode not in _BORDERS:
        raise ValueError(f"no mode {mode!r}: there are symmetric, zero and periodization")
    return _BORDERS[mode]


def _axes_of(x, axes):
    axes = _integers(axes, "axes")
    for a in axes:
        np.swapaxes(x, a, a)  # NumPy's own error, a ValueError
    return [a % x.ndim for a in axes]


def _run(name, x, axes, border, levels, workers):
    """Transforms the axes of an array of any rank to packed coefficients, or back. The axes before them
    become one, those behind them another or channels, as do the parts of complex numbers."""
    first, last = min(axes), max(axes)
    if last - first > 1:
        x = np.moveaxis(x, first, last - 1)
        return np.moveaxis(_run(name, x, (last - 1, last), border, levels, workers), last - 1, first)
    before, behind = x.shape[:first], x.shape[last + 1:]
    middle, kind = x.shape[first:last + 1], x.dtype
    if kind.kind == "c":
        x = np.ascontiguousarray(x).reshape(x.shape + (1,)).view(kind.type(0).real.dtype)
    x = x.reshape(math.prod(before), *middle, math.prod(x.shape[last + 1:]))
    y = Operation(name, channels=x.ndim > 3 or x.shape[-1] <= _FEW, workers=workers, levels=levels, boundary=border,
                  axes=range(1, x.ndim - 1))(x)
    middle = y.shape[1:-1]
    return y.reshape(before + middle + (-1,)).view(kind).reshape(before + middle + behind)


def _two(x, axes, wavelet, mode):
    """The axes, their borders, and whether one is transformed after the other: the same axis twice, or
    with different borders."""
    axes = _axes_of(x, axes)
    given = [v if isinstance(v, (tuple, list)) else [v] for v in (wavelet, mode)]
    if len(axes) != 2 or any(len(v) not in (1, 2) for v in given):
        raise ValueError("expected two axes, and one wavelet and mode or one for each axis")
    borders = [_border(w, m) for w, m in zip(*(list(v) * (2 // len(v)) for v in given))]
    return axes, borders, axes[0] == axes[1] or borders[0] != borders[1]


def dwt2(data: ArrayLike, wavelet: Any, mode: Any = "symmetric", axes: Sequence[int] = (-2, -1),
         workers: int | None = None) -> tuple[NDArray[Any], tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """One level of the wavelet transform along two axes, as pywt.dwt2.

    data: array of at least two axes; integers are taken as float64, float16 as float32
    wavelet: "db2", the one with four taps, or a pywt.Wavelet of that name
    mode: what is beyond the borders: "symmetric", "zero" or "periodization"; two: one for each axis
    workers: threads; None: scipy.fft.get_workers(), or one

    Returns (cA, (cH, cV, cD)): the approximation, and the details along the first, the second and both
    axes, of the precision of the data, float or complex. Each has (n + 3) // 2 numbers along an axis of n, or
    (n + 1) // 2 with periodization. ValueError for other wavelets, modes and axes, and for NaN or infinity."""
    x = _numbers(data)
    (a, b), borders, apart = _two(x, axes, wavelet, mode)
    y = _run("dwt", x, [a] if apart else [a, b], borders[0], 1, workers)
    low, *details = (q for half in np.split(y, 2, a) for q in np.split(
        _run("dwt", half, [b], borders[1], 1, workers) if apart else half, 2, b))
    return low, (details[1], details[0], details[2])


def idwt2(coeffs: Any, wavelet: Any, mode: Any = "symmetric", axes: Sequence[int] = (-2, -1),
          workers: int | None = None) -> NDArray[Any]:
    """The inverse of dwt2, as pywt.idwt2: an array of an even number of samples along both axes.

    coeffs: (cA, (cH, cV, cD)) of one shape; None: zeros. Other arguments as dwt2's."""
    low, (horizontal, vertical, both) = coeffs
    bands = [c if c is None else _numbers(c) for c in (low, vertical, horizontal, both)]
    known = [c for c in bands if c is not None]
    if not known or any(c.shape != known[0].shape for c in known):
        raise ValueError("coefficients of different shapes, or none")
    (a, b), borders, apart = _two(known[0], axes, wavelet, mode)
    kind = np.result_type(*known)
    bands = [np.zeros_like(known[0], kind) if c is None else c.astype(kind, copy=False) for c in bands]
    halves = [np.concatenate(pair, b) for pair in (bands[:2], bands[2:])]
    if apart:
        halves = [_run("idwt", half, [b], borders[1], 1, workers) for half in halves]
    return _run("idwt", np.concatenate(halves, a), [a] if apart else [a, b], borders[0], 1, workers)


def _most_levels(n):
    return max(0, (n // 3).bit_length() - 1)


def wavedec(data: ArrayLike, wavelet: Any, mode: Any = "symmetric", level: int | None = None, axis: int = -1,
            workers: int | None = None) -> list[NDArray[Any]]:
    """Several levels of the wavelet transform along one axis, as pywt.wavedec.

    level: how often the approximation is split; None: pywt.dwt_max_level(), the largest that leaves three
        numbers

    Returns [cA of the last level, its cD, ..., cD of the first]. Other arguments and errors as dwt2's."""
    x, border = _numbers(data), _border(wavelet, mode)
    axis, = _axes_of(x, axis)
    level = _most_levels(x.shape[axis]) if level is None else operator.index(level)
    if level < 0:
        raise ValueError(f"level {level} is below 0")
    if not level:
        return [np.array(data)]
    details = []
    while len(details) < level:
        n = [x.shape[axis]]
        for _ in range(min(level - len(details), max(1, _most_levels(n[0])))):
            n.append((n[-1] + (1 if border == "periodic" else 3)) // 2)
        y = _run("dwt", x, [axis], border, len(n) - 1, workers)
        x, *more = np.split(y, np.cumsum([n[-1], *n[:1:-1]]), axis)
        details = more + details
    return [x, *details]
