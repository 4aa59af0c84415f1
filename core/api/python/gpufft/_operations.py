"""The operations of gpufft(1) on arrays: filters, deconvolution, registration, and what they find."""

import ctypes

import numpy as np

from . import _library
from ._fft import _array, _workers
from ._library import MAX_RANK, TYPES, fail

_DTYPES = {number: np.dtype(code) for code, number in TYPES.items()}
_VALUES = {0: ctypes.c_double, 1: ctypes.c_int64, 2: ctypes.c_bool}
_TEXT, _RECORD, _TABLE, _LIST = 3, 4, 5, 6


class _Array(ctypes.Structure):
    """struct gpufft_array"""

    _fields_ = [("size", ctypes.c_size_t), ("type", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.c_int64 * MAX_RANK), ("stride", ctypes.c_int64 * MAX_RANK),
                ("data", ctypes.c_void_p), ("channels", ctypes.c_int),
                ("image", ctypes.c_void_p)]


class _Fact(ctypes.Structure):
    """struct gpufft_fact"""

    _fields_ = [("size", ctypes.c_size_t), ("key", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("kind", ctypes.c_int), ("width", ctypes.c_int), ("rows", ctypes.c_int64),
                ("stride", ctypes.c_int64), ("data", ctypes.c_void_p), ("within", ctypes.c_int64)]


def _functions():
    lib, pointer, integer = _library._lib, ctypes.c_void_p, ctypes.c_int
    arrays, reference = ctypes.POINTER(_Array), ctypes.POINTER(pointer)
    for name, result, arguments in (
            ("open", integer, (pointer, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), arrays,
                               integer, reference)),
            ("free", None, (pointer,)),
            ("describe", integer, (pointer, arrays, arrays, ctypes.POINTER(ctypes.c_int64))),
            ("run", integer, (pointer, arrays, arrays)),
            ("fact", integer, (pointer, ctypes.c_int64, ctypes.POINTER(_Fact)))):
        f = getattr(lib, "gpufft_operation_" + name)
        f.restype, f.argtypes = result, arguments
        yield f


_open, _free, _describe, _run, _fact = _functions()


def _view(x, channels, image=None):
    if x.ndim > MAX_RANK:
        raise ValueError(f"an array of {x.ndim} axes, where up to {MAX_RANK} are possible")
    a = _Array(size=ctypes.sizeof(_Array), type=TYPES[x.dtype.str[1:]], rank=x.ndim,
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

    name: "filter", "window", "spectrum", "match", "register", "dwt", "idwt", "frc" or "stats"; options as on its command
    line; `pictures`: further arrays (a mask, the blur of --deconvolve, a template, a reference).
    channels: the last axis is that of channels, which are processed by themselves. workers: threads.
    One thread at a time. ValueError for options or arrays that do not suit."""

    def __init__(self, name, *pictures, channels=False, workers=None, **options):
        self._handle = ctypes.c_void_p()
        self._channels = bool(channels)
        self._pictures = [_array(p) for p in pictures]
        views = (_Array * max(1, len(pictures)))(
            *(_view(p, self._channels and p.ndim == 3, q)
              for p, q in zip(self._pictures, pictures)))
        texts = [t.encode() for t in _texts(options)]
        rc = _open(_library._library(_workers(workers), True), name.encode(),
                   (ctypes.c_char_p * (len(texts) + 1))(*texts, None), views, len(pictures),
                   ctypes.byref(self._handle))
        if rc:
            fail(rc)

    def __del__(self, free=_free):
        free(self._handle)

    def __call__(self, x, dtype=None):
        """Returns a new array, of the operation's own type or of dtype, to which it is rounded and
        clipped; None if the operation only finds facts."""
        of, x = x, _array(x)
        channels = getattr(of, "_channels", 0) or self._channels
        view, out = _view(x, channels, of), _Array(size=ctypes.sizeof(_Array))
        rc = _describe(self._handle, ctypes.byref(view), ctypes.byref(out), None)
        if rc:
            fail(rc)
        if not out.rank:
            y, target = None, None
        else:
            y = np.empty(out.shape[:out.rank], _DTYPES[out.type] if dtype is None else dtype)
            target = ctypes.byref(_view(y, out.channels, of))
        rc = _library.watched(_run, self._handle, ctypes.byref(view), target)
        if rc:
            fail(rc)
        if y is not None and getattr(of, "_image", None):
            y = y.view(type(of))
            y._image, y._channels = of._image, out.channels
        return y

    @property
    def facts(self):
        """A dict of what the last run found, as --json prints it; columns of a table are arrays."""
        found, at = {}, 0
        while True:
            item = self._fact(at)
            if item is None:
                return found
            key, value, at = item
            if not key.startswith("."):  # only explains others to readers
                found[key] = value

    def _fact(self, i):
        """The key and the value of fact i, and the number of the next one."""
        f = _Fact(size=ctypes.sizeof(_Fact))
        rc = _fact(self._handle, i, ctypes.byref(f))
        if rc < 0:
            fail(rc)
        if not rc:
            return None
        key, last = f.key.decode() if f.key else None, i + 1 + f.within
        if f.kind < _RECORD:
            return key, self._value(f), i + 1
        values, at = [], i + 1
        while at < last:
            inner, value, at = self._fact(at)
            values.append((inner, value))
        if f.kind == _LIST:
            return key, [value for _, value in values], last
        return key, {k: value for k, value in values if not k.startswith(".")}, last

    @staticmethod
    def _value(f):
        if not f.data:
            return None
        if f.kind == _TEXT and f.stride:
            return [ctypes.string_at(f.data + i * f.stride).decode() for i in range(f.rows)]
        if f.kind == _TEXT:
            return ctypes.string_at(f.data).decode()
        kind, width = _VALUES[f.kind], max(1, f.width)
        if f.stride:
            shape = (f.rows, width) if f.width else (f.rows,)
            strides = (f.stride, ctypes.sizeof(kind))[:len(shape)]
            if not f.rows:
                return np.empty(shape, kind)
            bytes_ = (f.rows - 1) * f.stride + width * ctypes.sizeof(kind)
            memory = (ctypes.c_char * bytes_).from_address(f.data)
            return np.ndarray(shape, np.dtype(kind), memory, 0, strides).copy()
        values = list((kind * width).from_address(f.data))
        return values if f.width else values[0]


def _once(name, x, pictures, dtype, channels, workers, options):
    operation = Operation(name, *pictures, channels=channels, workers=workers, **options)
    return operation(x, dtype), operation


def filter(x, *pictures, dtype=None, channels=False, workers=None, **options):
    """Filters in the frequency domain: gpufft.filter(picture, lowpass="20px", edges="mirror").

    options: as of `gpufft filter` (gpufft-filter(1)): lowpass, highpass, bandpass, bandreject, notch,
        auto_notch, descreen, mask, convolve, deconvolve, edges, …; an option that names a picture takes
        the next of `pictures`
    Other arguments, the result and errors as Operation's."""
    return _once("filter", x, pictures, dtype, channels, workers, options)[0]


def deconvolve(x, psf, dtype=None, channels=False, workers=None, **options):
    """Undoes a blur, by Wiener's filter unless options say otherwise (noise, regularize, iterations).

    psf: an array, or a text as of --deconvolve: "gaussian:2", "disk:3", "motion:9,30", …"""
    shown = not isinstance(psf, str)
    return filter(x, *([psf] if shown else []), dtype=dtype, channels=channels, workers=workers,
                  deconvolve="psf" if shown else psf, **options)


def destripe(x, angle="auto", dtype=None, channels=False, workers=None, **options):
    """Removes stripes along rows (90) or columns (0); "auto": if the picture shows any."""
    return filter(x, dtype=dtype, channels=channels, workers=workers, destripe=angle, **options)


def spectrum(x, dtype=None, channels=False, workers=None, **options):
    """The picture of a spectrum that `gpufft fwd` writes (gpufft-fwd(1)): uint8, zero frequency in the centre.

    dtype: "u2": 16 bits; a floating-point type: the numbers
    options: kind ("magnitude", "phase", "power", "real", "imag"), scale, range, shift, window, edges, norm, color"""
    return _once("spectrum", x, [], dtype, channels, workers, options)[0]


def match(x, template, weights=None, dtype=None, workers=None, **options):
    """The map of a template's scores in a picture, and a dict of the peaks (gpufft-match(1))."""
    pictures = [template] if weights is None else [template, weights]
    scores, operation = _once("match", x, pictures, dtype, False, workers, options)
    return scores, operation.facts


def register(x, reference, dtype=None, channels=False, workers=None, **options):
    """The picture aligned with the reference, and a dict of its motion (gpufft-register(1))."""
    aligned, operation = _once("register", x, [reference], dtype, channels, workers, options)
    return aligned, operation.facts


def frc(x, other, mask=None, workers=None, **options):
    """The Fourier ring or shell correlation of two halves: a dict (gpufft-frc(1))."""
    pictures = [other] if mask is None else [other, mask]
    return _once("frc", x, pictures, None, False, workers, options)[1].facts


def stats(x, channels=False, workers=None, **options):
    """Energy, radial spectrum and strongest peaks: a dict (gpufft-stats(1))."""
    return _once("stats", x, [], None, channels, workers, options)[1].facts


def psd(x, channels=False, workers=None, **options):
    """The radial power spectral density, in the unit of the samples squared: a dict."""
    return stats(x, channels=channels, workers=workers, psd=True, **options)


public = (Operation, filter, deconvolve, destripe, spectrum, match, register, frc, stats, psd)
