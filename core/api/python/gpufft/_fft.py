"""Fourier transforms of arrays, with the names, arguments and results of scipy.fft."""

from __future__ import annotations

import functools
import operator
import sys
from typing import Any, Protocol, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library
from ._device import DeviceArray
from ._library import FORWARD, INVERSE, MAX_AXES, MAX_RANK, TYPES, Plan, Transform

_NORMS = ("backward", "ortho", "forward")  # their numbers in the library
_MOST_PLANS = 256
_LONG = 1 << 20  # elements from which on a call looks for Ctrl-C
# Elements below which other layouts than C's are copied. Axes are transformed in the order of their
# strides, so that the layout would show in the last digits, and a copy costs less than strides do.
_SHORT = 1 << 16
_SMALL = 1 << 18  # bytes below which a separate copy is faster than a transform in place
_HOST = (None, 1, 3, 11, 13)  # DLPack's devices in its memory: none told, CPU, pinned and managed memory
SHOWN = object()  # instead of a plan: a call describes its plans


# ---- what the caller means ----


def _host(x):
    """NumPy's view of an array in the memory of the host."""
    if type(x) is np.ndarray:
        return x
    device = x.__dlpack_device__()[0] if hasattr(x, "__dlpack_device__") else _HOST[0]
    if hasattr(x, "__cuda_array_interface__") or device not in _HOST:
        raise NotImplementedError("this array is in a device's memory; copy it to the host's first, such as by "
                                  "cupy.asnumpy(x) or x.cpu()")
    return np.asarray(x) if hasattr(x, "__array__") or device is None else np.from_dlpack(x)


def _form(x):
    """Returns x as an array, the type that its real or complex numbers are transformed as, and whether the library can
    read them in place."""
    if type(x) is DeviceArray:
        return x, x.dtype, True
    x = _host(x)
    if x.dtype.kind == "b":
        x = x.view(np.uint8)
    t = x.dtype
    if t.kind in "fc" and t.itemsize > (8 if t.kind == "f" else 16):
        raise NotImplementedError(f"no transforms of {t}")
    if t.kind not in "iufc" or t.kind in "iu" and t.itemsize == 8:
        return x, np.dtype(np.float64), False
    if t.kind == "f" and t.itemsize == 2:
        return x, np.dtype(np.float32), False
    if not t.isnative:
        return x, t.newbyteorder("="), False
    unit = t.itemsize // (2 if t.kind == "c" else 1)
    return x, t, x.flags.aligned and (x.flags.c_contiguous or x.size >= _SHORT and not any(s % unit for s in x.strides))


def _array(x):
    """Returns x as an array that the library can read in place: x itself or a copy."""
    x, t, reads = _form(x)
    return x if reads else np.array(x, t, order="C")


def _integers(values, name):
    try:
        return [operator.index(v) for v in (values if np.iterable(values) else (values,))]
    except TypeError as e:
        raise ValueError(f"{name} must be a scalar or iterable of integers") from e


def _axes_of(shape, s, axes):
    """The transformed axes, and the length that each is cut or padded to."""
    ndim, s = len(shape), s if s is None else _integers(s, "shape")
    if axes is None:
        axes = range(-(ndim if s is None else len(s)), 0)
        if len(axes) > ndim:
            raise ValueError("shape requires more axes than are present")
    axes = [a + ndim if a < 0 else a for a in _integers(axes, "axes")]
    if any(not 0 <= a < ndim for a in axes):
        raise ValueError("axes exceeds dimensionality of input")
    if len(set(axes)) < len(axes):
        raise ValueError("all axes must be unique")
    s = [-1] * len(axes) if s is None else s
    if len(s) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    return axes, [shape[a] if n == -1 else n for a, n in zip(axes, s)]


def _check_lengths(lengths):
    if any(n < 1 for n in lengths):
        shown = lengths if len(lengths) != 1 else lengths[0]
        raise ValueError(f"invalid number of data points ({shown}) specified")


def _workers(workers):
    if workers is None:
        scipy = sys.modules.get("scipy.fft")
        return scipy.get_workers() if scipy else 1
    workers = operator.index(workers)
    if workers > 0:
        return workers
    cpus = _library.os.cpu_count()
    if workers == 0:
        raise ValueError("workers must not be zero")
    if workers < -cpus:
        raise ValueError(f"workers value out of range; got {workers}, must not be less than {-cpus}")
    return workers + 1 + cpus


# ---- from there to plans ----


class _Job:
    """All that a call does after its arguments are understood."""

    def __init__(self, on_device, _strides, shape, t, reads, kind, inverse, workers, norm, s, axes):
        self.axes, lengths = _axes_of(shape, s, axes)
        if kind == "real" and not self.axes:
            raise ValueError("at least 1 axis must be transformed")
        norm = _norm(norm)
        _check_lengths(lengths)
        if kind == "real" and inverse and s is None:
            # one number has no inverse as a line, and is its own as several axes
            lengths[-1] = 2 * (lengths[-1] - 1) or int(not isinstance(axes, int))
            _check_lengths(lengths)
        if len(shape) > MAX_RANK:
            raise NotImplementedError(f"arrays of more than {MAX_RANK} axes")
        if on_device and len(self.axes) > MAX_AXES:
            raise NotImplementedError(f"in a device's memory up to {MAX_AXES} axes are transformed at a time")
        double = t.kind in "iu" or t in (np.float64, np.complex128)
        self.complex = np.dtype(np.complex128 if double else np.complex64)
        self.kind, self.inverse, self.back = kind, inverse, kind == "real" and inverse
        self.out_type = np.dtype(np.float64 if double else np.float32) if self.back else self.complex
        samples = list(shape)
        for a, n in zip(self.axes, lengths):
            samples[a] = n
        spectrum = list(samples)
        if kind == "real":
            spectrum[self.axes[-1]] = spectrum[self.axes[-1]] // 2 + 1
        self.samples, spectrum = tuple(samples), tuple(spectrum)
        self.in_shape, self.out_shape = (spectrum, self.samples) if inverse else (self.samples, spectrum)
        # The inverse of real numbers is the conjugate of their transform.
        self.conjugate = inverse and kind == "complex" and t.kind != "c"
        self.norm = 2 - norm if self.conjugate else norm
        self.type = self.complex if self.back and t.kind != "c" else t
        self.reads = reads and self.type == t
        self.steps, self.copied = None, 0
        self.on_device, self.workers = on_device, workers

    def source(self, x, middle):
        """Returns the array that the first step reads: the input or a part of it, or else a copy, converted and padded.
        A large copy is made in `middle` if this has its type and shape; the step is then in place."""
        if x.shape != self.in_shape:
            x = x[tuple(slice(0, n) for n in self.in_shape)]
        if self.reads and x.shape == self.in_shape:
            return x
        copy = middle
        if copy.nbytes < _SMALL or copy.shape != self.in_shape or copy.dtype != self.type:
            copy = np.empty(self.in_shape, self.type)
            self.copied = copy.nbytes
        if copy.shape != x.shape:
            copy.fill(0)
        copy[tuple(slice(0, n) for n in x.shape)] = x
        return copy

    def targets(self, x):
        """The result, and the array that earlier steps fill: the same one unless the last step is the
        only one whose result is real."""
        y = self.empty(x, self.out_shape, self.out_type)
        apart = self.back and len(self.axes) > MAX_AXES
        return y, self.empty(x, self.in_shape, self.complex) if apart else y

    def plan(self, x, y, middle):
        """Plans the steps, three axes each, for arrays like these: the halved axis is the first of a
        forward transform, the last on the way back."""
        groups = [self.axes[max(0, n - MAX_AXES):n] for n in range(len(self.axes), 0, -MAX_AXES)]
        steps = []
        for axes in groups[:0:-1] + groups[:1] if self.back else groups:
            half = self.kind == "real" and axes is groups[0]
            target = y if half else middle
            steps.append((self.step(x, target, self.samples if half else middle.shape, axes, half), half))
            x = target
        self.steps = steps

    def step(self, x, y, shape, axes, half):
        """A plan from x to y, arrays of its shapes and strides; the same one: in place."""
        t = Transform(direction=INVERSE if self.inverse and not self.conjugate else FORWARD,
                      in_type=TYPES[x.dtype.str[1:]], out_type=TYPES[y.dtype.str[1:]], rank=len(shape),
                      n_axes=len(axes), half=half, norm=self.norm, in_place=x is y, on_device=self.on_device)
        t.shape[:len(shape)] = shape
        t.axes[:len(axes)] = axes
        t.in_stride[:len(shape)], t.out_stride[:len(shape)] = x.strides, y.strides
        return Plan(t, self.workers, x.size >= _LONG)

    def describe(self, x):
        if self.steps is None:
            y, middle = self.targets(x)
            self.plan(self.source(x, middle), y, middle)
        shown = [plan.describe() for plan, _ in self.steps]
        for first in shown[:1]:  # there is none without axes
            first["workspace"] += self.copied
        return shown

    def run(self, x):
        if not self.axes:
            return x.astype(self.out_type)
        y, middle = self.targets(x)
        x = self.source(x, middle)
        if y.size and self.steps is None:
            self.plan(x, y, middle)
        source, stream = self.address(x)
        for plan, half in self.steps if y.size else ():
            target, _ = self.address(y if half else middle)
            plan.run(source, target, stream)
            source = target
        if self.conjugate:
            np.conjugate(y, out=y)
        return y

    def empty(self, x, shape, dtype):
        """A new array in the memory of x."""
        return (x if self.on_device else np).empty(shape, dtype)

    def address(self, x):
        """The address of an array, and the stream in whose order it is there."""
        return (x.address, x.stream) if self.on_device else (x.__array_interface__["data"][0], None)


# Calls with arrays of one form and strides share a job and its plans.
_job = functools.lru_cache(_MOST_PLANS)(_Job)
forget = _job.cache_clear


def _norm(norm):
    if norm is not None and norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    return _NORMS.index(norm or "backward")


def _transform(x, kind, inverse, s, axes, norm, workers, plan):
    if plan is not None and plan is not SHOWN:
        raise NotImplementedError("plans of other libraries are not taken")
    on_device = type(x) is not np.ndarray and hasattr(x, "__cuda_array_interface__")
    x, t, reads = _form(DeviceArray(x) if on_device else x)
    if kind == "real" and not inverse and t.kind == "c":
        raise TypeError("x must be a real sequence")
    if on_device and inverse and t.kind != "c":
        x.astype(np.complex64)  # raises NotImplementedError
    form = (on_device, x.strides, x.shape, t, reads, kind, inverse, _workers(workers), norm)
    try:
        job = _job(*form, s, axes)
    except TypeError:  # one of the last three is a list
        _norm(norm)
        s = s if s is None else tuple(_integers(s, "shape"))
        axes = axes if axes is None or isinstance(axes, int) else tuple(_integers(axes, "axes"))
        job = _job(*form, s, axes)
    if plan is SHOWN:
        return job.describe(x)
    return job.run(x).owner if on_device else job.run(x)


# ---- the functions ----

_PARAMETERS = """
    x: array of any shape to eight axes, {of}; integers are taken as float64, float16 as float32
    {lengths}
    norm: where 1/N is applied: "backward" (by the inverse), "ortho" (its square root, by both), "forward"
    overwrite_x: accepted, and never needed
    workers: threads; negative: counted from the number of CPUs; None: scipy.fft.get_workers(), or one

    Returns a new array of the shape of x with these lengths: {result}, of single precision for single precision.
    If x is an array of CuPy, PyTorch or Numba in the memory of a CUDA device, so is the result: it is computed by the
    backend cuda without a copy, in the order of the stream of x, and the call does not wait. There x is contiguous,
    is not cut or padded, and has a type that is transformed as it is; up to three axes are transformed, of which the
    last one is halved.
    Raises ValueError for axes or lengths that do not fit, TypeError for complex numbers where real ones are meant,
    NotImplementedError for long double and other arrays in a device's memory, MemoryError, Error."""


class Line(Protocol):
    def __call__(self, x: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None,
                 overwrite_x: bool = False, workers: int | None = None, *, plan: None = None) -> NDArray[Any]: ...


class Several(Protocol):
    def __call__(self, x: ArrayLike, s: Sequence[int] | None = None, axes: Sequence[int] | None = ...,
                 norm: str | None = None, overwrite_x: bool = False, workers: int | None = None, *,
                 plan: None = None) -> NDArray[Any]: ...


def _line(kind, inverse):
    def function(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None):
        return _transform(x, kind, inverse, n, operator.index(axis), norm, workers, plan)

    return function, Line, "n, axis: the length that the axis is cut or padded with zeros to, and the axis"


def _several(kind, inverse, default):
    def function(x, s=None, axes=default, norm=None, overwrite_x=False, workers=None, *, plan=None):
        return _transform(x, kind, inverse, s, axes, norm, workers, plan)

    return function, Several, "s, axes: the lengths that axes are cut or padded with zeros to, and the axes"


_TEXTS = (("", "complex", False, "The discrete Fourier transform", "real or complex", "complex"),
          ("i", "complex", True, "The inverse discrete Fourier transform", "real or complex",
           "complex"),
          ("r", "real", False, "The half of the transform of real numbers that has no negative "
           "frequencies of the last axis", "real", "complex, n // 2 + 1 along the last axis"),
          ("ir", "real", True, "The real inverse of half a spectrum; without a length an even one",
           "complex, n // 2 + 1 along the last axis", "real"))

functions: dict[str, Any] = {}
for _prefix, _kind, _inverse, _what, _of, _result in _TEXTS:
    for _suffix, _along, (_function, _typed, _lengths) in (
            ("fft", "one axis", _line(_kind, _inverse)),
            ("fft2", "the last two axes", _several(_kind, _inverse, (-2, -1))),
            ("fftn", "all axes", _several(_kind, _inverse, None))):
        _function.__name__ = _function.__qualname__ = _prefix + _suffix
        _function.__annotations__ = _typed.__call__.__annotations__
        _function.__doc__ = f"{_what}, along {_along}.\n" + _PARAMETERS.format(
            of=_of, lengths=_lengths, result=_result)
        functions[_prefix + _suffix] = _function
_lines: list[Line] = [functions[p + "fft"] for p in ("", "i", "r", "ir")]
_several_: list[Several] = [functions[p + n] for n in ("fft2", "fftn") for p in ("", "i", "r", "ir")]
fft, ifft, rfft, irfft = _lines
fft2, ifft2, rfft2, irfft2, fftn, ifftn, rfftn, irfftn = _several_
