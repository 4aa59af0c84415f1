"""Arrays in the memory of a CUDA device, by version 3 of __cuda_array_interface__."""

import math
import sys

import numpy as np

from ._library import TYPES

# For each module: a new array like x, and the stream that the thread works on, unless arrays report theirs.
_MODULES = {
    "cupy": (lambda cupy, x, shape, dtype: _on(x.device, cupy.empty, shape, dtype), None),
    "numba": (lambda numba, x, shape, dtype: numba.cuda.device_array(shape, dtype), None),
    "torch": (lambda torch, x, shape, dtype: torch.empty(shape, dtype=getattr(torch, dtype.name), device=x.device),
              lambda torch, x: torch.cuda.current_stream(x.device).cuda_stream)}


def _on(device, function, *arguments):
    with device:
        return function(*arguments)


class DeviceArray:
    """Such an array, with the names that NumPy has for what _fft needs."""

    def __init__(self, x):
        told = x.__cuda_array_interface__
        self.owner, self.module = x, type(x).__module__.partition(".")[0]
        if self.module not in _MODULES:
            raise NotImplementedError(f"arrays in a device's memory are supported from {', '.join(_MODULES)}, not from "
                                      f"{self.module}; copy it to the host's first")
        if told.get("mask") is not None or any(getattr(x, lazy, bool)() for lazy in ("is_conj", "is_neg")):
            raise NotImplementedError("masked arrays, and conjugates or negatives that are not computed yet, are not "
                                      "supported in a device's memory")
        self.shape, self.address = tuple(told["shape"]), told["data"][0] or 0
        self.dtype = np.dtype(told["typestr"])
        if self.dtype == np.bool_:
            self.dtype = np.dtype(np.uint8)
        if self.dtype.str[1:] not in TYPES or not self.dtype.isnative:
            self.astype(self.dtype)
        self.ndim, self.size = len(self.shape), math.prod(self.shape)
        self.strides = told.get("strides") or (0,) * self.ndim  # C order
        stream = _MODULES[self.module][1]
        self.stream = stream(sys.modules[self.module], x) if stream else told.get("stream") or 0

    def empty(self, shape, dtype):
        return DeviceArray(_MODULES[self.module][0](sys.modules[self.module], self.owner, tuple(shape), dtype))

    def astype(self, dtype):
        raise NotImplementedError(f"{self.dtype} is not supported here in a device's memory; convert the array with "
                                  f"{self.module}, for instance to complex64")

    def __getitem__(self, part):
        raise NotImplementedError(f"arrays in a device's memory are transformed whole; cut or pad them with {self.module}")
