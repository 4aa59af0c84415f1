"""The operations of gpufft(1) on arrays: filters, deconvolution, registration, and what they find."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _library
from ._fft import _array, _workers
from ._library import MAX_RANK, TYPES, bind, code, extents, integer, long, pointer, reference, struct, text

_DTYPES = {number: np.dtype(code) for code, number in TYPES.items()}
_VALUES = {0: ctypes.c_double, 1: ctypes.c_int64, 2: ctypes.c_bool}
_TEXT, _RECORD, _TABLE, _LIST = 3, 4, 5, 6

_Array = struct(type=integer, rank=integer, shape=extents, stride=extents, data=pointer, channels=integer, image=pointer)
_Fact = struct(key=text, unit=text, kind=integer, width=integer, rows=long, stride=long, data=pointer, within=long)
_arrays = ctypes.POINTER(_Array)
_open = bind("operation_open", code, pointer, text, ctypes.POINTER(text), _arrays, integer, reference)
_describe = bind("operation_describe", code, pointer, _arrays, _arrays, ctypes.POINTER(long))
_run = bind("operation_run", integer, pointer, _arrays, _arrays)
_fact = bind("operation_fact", code, pointer, long, ctypes.POINTER(_Fact))


def _view(x, channels, image=None):
    if x.ndim > MAX_RANK:
        raise ValueError(f"an array of {x.ndim} axes, where up to {MAX_RANK} are possible")
    a = _Array(type=TYPES[x.dtype.str[1:]], rank=x.ndim,
               data=x.__array_interface__["data"][0], channels=channels)
    image = getattr(image, "_image", None)
    a.image = image.handle if image else None
    a.shape[:x.ndim], a.stride[:x.ndim] = x.shape, x.strides
    return a


def _texts(options):
    """Options as the command line has them, without dashes: low_pass=True is "low-pass"."""
    for name, value in options.items():
        name = name.replace("_", "-")
        if value is None or value is False and name.startswith("no-"):
            continue
        if isinstance(value, bool):
            yield name if value else "no-" + name
        else:
            yield name + "=" + (value if isinstance(value, str) else
                                ",".join(map(str, value)) if np.iterable(value) else str(value))


class Operation:
    """An operation of gpufft(1), for one array after another: it keeps its plan and its filter while
    their shape is the same.

        soften = gpufft.Operation("filter", lowpass="20px", edges="mirror")
        for frame in frames:
            smooth = soften(frame)

    name: "filter", "window", "spectrum", "match", "register", "dwt", "idwt", "frc" or "stats"; options as on its
        command line: lowpass="20px", a sequence for several values, True and False for those without
    pictures: further arrays (a mask, the blur of --deconvolve, a template, a reference)
    channels: the last axis is that of channels, which are processed by themselves
    workers: threads; None: scipy.fft.get_workers(), or one

    One thread at a time. ValueError for options or arrays that do not suit, such as NaN or infinity, and for
    more than three axes beside channels; NotImplementedError for arrays in a device's memory; MemoryError, Error."""

    def __init__(self, name: str, *pictures: ArrayLike, channels: bool = False, workers: int | None = None,
                 **options: Any) -> None:
        self._handle = ctypes.c_void_p()
        self._channels = bool(channels)
        self._pictures = [_array(p) for p in pictures]
        views = (_Array * max(1, len(pictures)))(
            *(_view(p, self._channels and p.ndim == 3, q) for p, q in zip(self._pictures, pictures)))
        texts = [t.encode() for t in _texts(options)]
        _open(_library._library(_workers(workers), True), name.encode(), (text * (len(texts) + 1))(*texts, None),
              views, len(pictures), ctypes.byref(self._handle))

    def __del__(self, free=bind("operation_free", None, pointer)):
        free(self._handle)

    def __call__(self, x: ArrayLike, dtype: DTypeLike = None) -> Any:
        """Returns a new array, of the operation's own type or of dtype, to which it is rounded and
        clipped; None if the operation only finds facts."""
        of, x = x, _array(x)
        channels = getattr(of, "_channels", 0) or self._channels
        view, out = _view(x, channels, of), _Array()
        _describe(self._handle, ctypes.byref(view), ctypes.byref(out), None)
        y = target = None
        if out.rank:
            y = np.empty(out.shape[:out.rank], _DTYPES[out.type] if dtype is None else dtype)
            target = ctypes.byref(_view(y, out.channels, of))
        code(_library.watched(_run, self._handle, ctypes.byref(view), target))
        if y is not None and getattr(of, "_image", None):
            y = y.view(type(of))
            y._image, y._channels = of._image, out.channels
        return y

    @property
    def facts(self) -> dict[str, Any]:
        """A dict of what the last run found, as --json prints it; columns of a table are arrays."""
        facts = [_Fact()]
        while _fact(self._handle, len(facts) - 1, ctypes.byref(facts[-1])):
            facts.append(_Fact())
        return _record(iter(facts[:-1]))


def _record(facts):
    # A key with a point only explains others to readers.
    return {key: value for key, value in _items(facts) if not key.startswith(".")}


def _items(facts):
    """The key and the value of each fact, which has those within it."""
    for f in facts:
        within = itertools.islice(facts, f.within)
        yield (f.key or b"").decode(), ([value for _, value in _items(within)] if f.kind == _LIST else
                                        _record(within) if f.kind in (_RECORD, _TABLE) else _value(f))


def _value(f):
    if not f.data:
        return None
    rows, width = f.rows if f.stride else 1, max(1, f.width)
    if f.kind == _TEXT:
        texts = [ctypes.string_at(f.data + i * f.stride).decode() for i in range(rows)]
        return texts if f.stride else texts[0]
    kind = np.dtype(_VALUES[f.kind])
    memory = (ctypes.c_char * max(0, (rows - 1) * f.stride + width * kind.itemsize)).from_address(f.data)
    values = np.ndarray((rows, width), kind, memory, 0, (f.stride, kind.itemsize)).copy()
    values = values if f.width else values[:, 0]
    return values if f.stride else values[0].tolist()


def _once(name, x, pictures, dtype, channels, workers, options):
    operation = Operation(name, *pictures, channels=channels, workers=workers, **options)
    return operation(x, dtype), operation


def filter(x: ArrayLike, *pictures: ArrayLike, dtype: DTypeLike = None, channels: bool = False,
           workers: int | None = None, **options: Any) -> NDArray[Any]:
    """Filters in the frequency domain: gpufft.filter(picture, lowpass="20px", edges="mirror").

    x: array of one to three axes, and channels; integers are rounded and clipped again
    options: as of `gpufft filter` (gpufft-filter(1)): lowpass, highpass, bandpass, bandreject, notch,
        auto_notch, descreen, mask, convolve, deconvolve, edges, …; an option that names a picture takes
        the next of `pictures`. Periods are in samples ("20px"), or in units if x is an Image ("2um")
    Returns a new array like x, of dtype if that is given. Other arguments and errors as Operation's."""
    return _once("filter", x, pictures, dtype, channels, workers, options)[0]


def deconvolve(x: ArrayLike, psf: ArrayLike | str, dtype: DTypeLike = None, channels: bool = False,
               workers: int | None = None, **options: Any) -> NDArray[Any]:
    """Undoes a blur, by Wiener's filter unless options say otherwise (noise, regularize, iterations).

    psf: an array of as many axes, with its centre in the middle, or a text as of --deconvolve: "gaussian:2",
        "disk:3", "motion:9,30", … in samples
    Other arguments, the result and errors as filter's."""
    shown = not isinstance(psf, str)
    return filter(x, *([psf] if shown else []), dtype=dtype, channels=channels, workers=workers,
                  deconvolve="psf" if shown else psf, **options)


def destripe(x: ArrayLike, angle: str | float = "auto", dtype: DTypeLike = None, channels: bool = False,
             workers: int | None = None, **options: Any) -> NDArray[Any]:
    """Removes stripes along rows (90 degrees) or columns (0); "auto": if the picture shows any.

    Other arguments, the result and errors as filter's."""
    return filter(x, dtype=dtype, channels=channels, workers=workers, destripe=angle, **options)


def spectrum(x: ArrayLike, dtype: DTypeLike = None, channels: bool = False, workers: int | None = None,
             **options: Any) -> NDArray[Any]:
    """The picture of a spectrum that `gpufft fwd` writes (gpufft-fwd(1)), with the zero frequency in the centre.

    options: kind ("magnitude", "phase", "power", "real", "imag"), scale, range, shift, window, edges, norm, color
    Returns a new array of the shape of x, but one channel if x is a colour Image: uint8, "u2" with 16 bits as
    dtype, or the numbers with a floating-point dtype. Other arguments and errors as Operation's."""
    return _once("spectrum", x, [], dtype, channels, workers, options)[0]


def match(x: ArrayLike, template: ArrayLike, weights: ArrayLike | None = None, dtype: DTypeLike = None,
          workers: int | None = None, **options: Any) -> tuple[NDArray[Any], dict[str, Any]]:
    """Finds a template in a picture (gpufft-match(1)).

    template, weights: arrays of as many axes, none longer than x; weights have the template's shape
    Returns the map of scores, -1 to 1, with x.shape - template.shape + 1 numbers; and a dict whose "peaks"
    have "corner", "centre" (samples along each axis) and "score". Errors as Operation's."""
    pictures = [template] if weights is None else [template, weights]
    scores, operation = _once("match", x, pictures, dtype, False, workers, options)
    return scores, operation.facts


def register(x: ArrayLike, reference: ArrayLike, dtype: DTypeLike = None, channels: bool = False,
             workers: int | None = None, **options: Any) -> tuple[NDArray[Any], dict[str, Any]]:
    """Aligns a picture with a reference of its shape (gpufft-register(1)).

    Returns the aligned picture, an array like x; and a dict with "shift" (samples along each axis), "rotation"
    (degrees), "scale", "correlation", "aligned". Other arguments and errors as Operation's."""
    aligned, operation = _once("register", x, [reference], dtype, channels, workers, options)
    return aligned, operation.facts


def frc(x: ArrayLike, other: ArrayLike, mask: ArrayLike | None = None, workers: int | None = None,
        **options: Any) -> dict[str, Any]:
    """The Fourier ring or shell correlation of two halves of one shape, and a mask of it (gpufft-frc(1)).

    Returns a dict: "rings" with "frequency" (cycles a sample, or a unit of an Image), "bins" and "correlation";
    "crossings" with "threshold" and "resolution" (samples or units). Errors as Operation's."""
    pictures = [other] if mask is None else [other, mask]
    return _once("frc", x, pictures, None, False, workers, options)[1].facts


def stats(x: ArrayLike, channels: bool = False, workers: int | None = None, **options: Any) -> dict[str, Any]:
    """Energy, radial spectrum and strongest peaks (gpufft-stats(1)).

    Returns a dict whose "signals" are a dict for each channel: "mean", "minimum", "maximum", "deviation" in the
    unit of the samples, "energy" and "radial" in its square, "peaks". Errors as Operation's."""
    return _once("stats", x, [], None, channels, workers, options)[1].facts


def psd(x: ArrayLike, channels: bool = False, workers: int | None = None, **options: Any) -> dict[str, Any]:
    """The radial power spectral density: stats() with "density" in "radial", in the unit of the samples squared
    for a cycle a sample along each axis, and its "slope"."""
    return stats(x, channels=channels, workers=workers, psd=True, **options)
