"""gpufft: Fourier transforms of arrays on the CPU and on GPUs.

    import gpufft
    spectrum = gpufft.rfft2(picture)                 as scipy.fft.rfft2, kept plans included

    with scipy.fft.set_backend(gpufft): ...          and other people's code runs on it

Arrays that are contiguous, or whose axes are views with strides of whole items, are read where they are.
A thread that waits here leaves the interpreter to others, and Ctrl-C ends a long call. After a fork the
child opens the library anew. use() chooses backend, device and memory."""

from __future__ import annotations

import os as _os
from typing import Any as _Any

from . import _fft, _library
from ._fft import fft, fft2, fftn, ifft, ifft2, ifftn, irfft, irfft2, irfftn, rfft, rfft2, rfftn
from ._image import Image, read, write
from ._library import Error, version
from ._operations import (Operation, deconvolve, destripe, filter, frc, match, psd, register, spectrum,
                          stats)
from ._wavelets import dwt2, idwt2, wavedec

__all__ = [
    "Error", "Image", "Operation", "deconvolve", "describe", "destripe", "dwt2", "fft", "fft2", "fftn", "filter",
    "frc", "idwt2", "ifft", "ifft2", "ifftn", "irfft", "irfft2", "irfftn", "match", "next_fast_len", "psd", "read",
    "register", "rfft", "rfft2", "rfftn", "spectrum", "stats", "use", "version", "wavedec", "write"]
for _name in set(__all__) & set(globals()):
    globals()[_name].__module__ = __name__
__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args, kwargs):
    function = _fft.functions.get(method.__name__)
    try:
        return function(*args, **kwargs) if function else NotImplemented
    except NotImplementedError:
        return NotImplemented


def next_fast_len(target: int, real: bool = False) -> int:
    """The cheapest length of at least `target` points to pad to: its prime factors are 2, 3, 5 and 7.
    ValueError if target is below 1."""
    n = _library.good_size(_fft.operator.index(target))
    if n < 1:
        raise ValueError("the length must be at least 1, and at most 2^40")
    return n


def use(backend: str | None = None, device: str | None = None, memory: int = 0,
        cache_folder: str | _os.PathLike[str] | None = None) -> None:
    """Chooses for all that follows.

    backend, device: as --backend and --device of gpufft(1), such as "cuda"; None: the one that is
        expected to be fastest, GPUs included
    memory: the limit in bytes of workspace; 0: what is free
    cache_folder: where compiled kernels and measured speeds are kept; None: nowhere"""
    _library.use(backend=backend, device=device, memory=memory, cache_folder=cache_folder)
    _fft.forget()


def describe(x: _fft.ArrayLike, function: str = "fftn", **arguments: _Any) -> list[dict[str, _Any]]:
    """How a transform like gpufft.fftn(x, …) runs: a list with a dict for each of its plans, with
    backend, why, passes, calls, bytes, workspace and device (bytes of device memory)."""
    return _fft.functions[function](x, plan=_fft.SHOWN, **arguments)


def _forked():
    _library.use()
    _fft.forget()


_os.register_at_fork(after_in_child=_forked)
