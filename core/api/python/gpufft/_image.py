"""Pictures, volumes and spectra in files of every type that gpufft(1) reads and writes."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _library
from ._fft import _array
from ._library import bind, code, integer, pointer, reference, text
from ._operations import _DTYPES, _Array, _arrays, _view

_read = bind("image_read", code, pointer, text, reference)
_samples = bind("image_samples", code, pointer, _arrays)
_spacing = bind("image_spacing", code, pointer, integer, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(text))
_record = bind("image_record", text, pointer)
_write = bind("image_write", code, pointer, text, _arrays, pointer)


class Image(np.ndarray):
    """An array of what a file holds, channels last, that remembers the file: its distances of samples
    and their unit, its colours and its metadata. Operations take them from it, and write() keeps them;
    so do views of it and results of NumPy's arithmetic."""

    def __array_finalize__(self, other):
        self._image = getattr(other, "_image", None)
        self._channels = getattr(other, "_channels", 0)

    @property
    def spacing(self) -> list[tuple[float, str] | tuple[None, None]]:
        """A list with (distance, unit) of the samples along each axis, slowest first; (None, None):
        unknown."""
        found, distance, unit = [], ctypes.c_double(), ctypes.c_char_p()
        for axis in range(self.ndim - bool(self._channels)):
            _spacing(self._image.handle, axis, ctypes.byref(distance), ctypes.byref(unit))
            known = distance.value > 0
            found.append((distance.value, unit.value.decode()) if known else (None, None))
        return found

    @property
    def record(self) -> str | None:
        """The record of a spectrum, as JSON; None for other files."""
        found = _record(self._image.handle)
        return found.decode() if found else None


class _Handle:
    def __init__(self, path):
        self.handle = pointer()
        _read(_library._library(1, False), os.fsencode(path), ctypes.byref(self.handle))

    def __del__(self, free=bind("image_free", None, pointer)):
        free(self.handle)


def read(path: str | os.PathLike[str]) -> Image:
    """Reads a picture, a volume or a spectrum (gpufft-formats(1)): an Image, an array that cannot be
    written to. OSError if the file cannot be read, ValueError if it is damaged."""
    image, view = _Handle(path), _Array()
    _samples(image.handle, ctypes.byref(view))
    image.__array_interface__ = {
        "version": 3, "typestr": _DTYPES[view.type].str, "data": (view.data, True),
        "shape": tuple(view.shape[:view.rank]), "strides": tuple(view.stride[:view.rank])}
    x = np.asarray(image).view(Image)
    x._image, x._channels = image, view.channels
    return x


def write(path: str | os.PathLike[str], x: ArrayLike, like: Image | None = None) -> None:
    """Writes an array to a file of the type of its suffix, complete or not at all.

    x: array of one to three axes, and channels where `like` has them
    like: the Image whose colours, metadata and axes the file gets; None: x, if it is one

    OSError if the file cannot be written, ValueError for an array or a suffix that does not suit."""
    like = x if like is None else like
    x = _array(x)
    channels = getattr(like, "_channels", 0)
    view = _view(x, channels if channels and x.ndim == like.ndim else 0, like)
    _write(_library._library(1, False), os.fsencode(path), ctypes.byref(view), None)
