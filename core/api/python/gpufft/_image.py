"""Pictures, volumes and spectra in files of every type that gpufft(1) reads and writes."""

import ctypes
import os

import numpy as np

from . import _library, _operations
from ._fft import _array
from ._library import fail

_lib, _pointer = _library._lib, ctypes.c_void_p
_read, _free, _samples, _spacing, _write = (getattr(_lib, "gpufft_image_" + name) for name in
                                            ("read", "free", "samples", "spacing", "write"))
_arrays = ctypes.POINTER(_operations._Array)
_read.argtypes = (_pointer, ctypes.c_char_p, ctypes.POINTER(_pointer))
_free.restype, _free.argtypes = None, (_pointer,)
_samples.argtypes = (_pointer, _arrays)
_spacing.argtypes = (_pointer, ctypes.c_int, ctypes.POINTER(ctypes.c_double),
                     ctypes.POINTER(ctypes.c_char_p))
_write.argtypes = (_pointer, ctypes.c_char_p, _arrays, _pointer)
_lib.gpufft_image_record.restype = ctypes.c_char_p
_lib.gpufft_image_record.argtypes = (_pointer,)


class Image(np.ndarray):
    """An array of what a file holds, channels last, that remembers the file: its distances of samples
    and their unit, its colours and its metadata. Operations take them from it, and write() keeps them;
    so do views of it and results of NumPy's arithmetic."""

    def __array_finalize__(self, other):
        self._image = getattr(other, "_image", None)
        self._channels = getattr(other, "_channels", 0)

    @property
    def spacing(self):
        """A list with (distance, unit) of the samples along each axis, slowest first; (None, None):
        unknown."""
        found, distance, unit = [], ctypes.c_double(), ctypes.c_char_p()
        for axis in range(self.ndim - bool(self._channels)):
            rc = _spacing(self._image.handle, axis, ctypes.byref(distance), ctypes.byref(unit))
            if rc:
                fail(rc)
            known = distance.value > 0
            found.append((distance.value, unit.value.decode()) if known else (None, None))
        return found

    @property
    def record(self):
        """The record of a spectrum, as JSON; None for other files."""
        text = _lib.gpufft_image_record(self._image.handle)
        return text.decode() if text else None


class _Handle:
    def __init__(self, path):
        self.handle = _pointer()
        rc = _read(_library._library(1, False), os.fsencode(path), ctypes.byref(self.handle))
        if rc:
            fail(rc)

    def __del__(self, free=_free):
        free(self.handle)


def read(path):
    """Reads a picture, a volume or a spectrum (gpufft-formats(1)): an Image, an array that cannot be
    written to. OSError if the file cannot be read, ValueError if it is damaged."""
    image, view = _Handle(path), _operations._Array(size=ctypes.sizeof(_operations._Array))
    rc = _samples(image.handle, ctypes.byref(view))
    if rc:
        fail(rc)
    kind = _operations._DTYPES[view.type]
    memory = (ctypes.c_char * _lib.gpufft_array_bytes(ctypes.byref(view))).from_address(view.data)
    memory.keeps = image
    x = np.ndarray(view.shape[:view.rank], kind, memory, 0, view.stride[:view.rank]).view(Image)
    x._image, x._channels = image, view.channels
    x.flags.writeable = False
    return x


def write(path, x, like=None):
    """Writes an array to a file of the type of its suffix, complete or not at all.

    like: the Image whose colours, metadata and axes the file gets; None: x, if it is one"""
    like = x if like is None else like
    x = _array(x)
    if x.dtype == np.uint8 and not x.flags.c_contiguous:
        x = np.ascontiguousarray(x)
    channels = getattr(like, "_channels", 0)
    view = _operations._view(x, channels if channels and x.ndim == like.ndim else 0, like)
    rc = _write(_library._library(1, False), os.fsencode(path), ctypes.byref(view), None)
    if rc:
        fail(rc)


_lib.gpufft_array_bytes.restype, _lib.gpufft_array_bytes.argtypes = ctypes.c_size_t, (_arrays,)
public = (Image, read, write)
