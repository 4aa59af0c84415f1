"""Transforms of arrays in a CUDA device's memory, on the simulated driver: a class that stands for CuPy's arrays."""

import ctypes
import math

import gpufft
import numpy as np
import pytest
import scipy.fft

cuda = ctypes.CDLL("libcuda.so.1")
context, stream, address = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    assert code == 0, f"{name}: {code}"


call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuStreamCreate", ctypes.byref(stream), 1)


class OnDevice:
    """An array of the caller's, and all of its work on one stream."""

    def __init__(self, host, of=stream.value):
        self.shape, self.dtype, self.stream = host.shape, host.dtype, of
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(host.nbytes, 1)))
        self.address, self.host = address.value, host
        call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.address), ctypes.c_void_p(host.ctypes.data),
             ctypes.c_size_t(host.nbytes), ctypes.c_void_p(of))

    def __del__(self):
        cuda.cuMemFree_v2(ctypes.c_uint64(self.address))

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3,
                "strides": None, "stream": self.stream}

    def get(self):
        y = np.empty(self.shape, self.dtype)
        call("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(y.ctypes.data), ctypes.c_uint64(self.address),
             ctypes.c_size_t(y.nbytes), ctypes.c_void_p(self.stream))
        call("cuStreamSynchronize", ctypes.c_void_p(self.stream))
        return y


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setitem(gpufft._device._MODULES, "test_device",
                        (lambda module, x, shape, dtype: OnDevice(np.full(shape, np.nan, dtype), x.stream), None))
    gpufft.use(backend="cuda")
    yield
    gpufft.use(backend="openmp")


def array_of(kind, shape):
    x = np.sin(np.arange(2 * math.prod(shape))).reshape(2, *shape)
    return (x[0] + 1j * x[1] if kind[0] == "c" else 99 + 99 * x[0]).astype(kind)


def close(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    assert np.linalg.norm(got - want) <= (1e-6 if want.dtype.char in "fF" else 1e-14) * np.linalg.norm(want)


@pytest.mark.parametrize("name, kind, shape, given", [
    ("fft", "c8", (3, 40), {}), ("ifft", "c16", (6, 20), {"axis": 0, "norm": "ortho"}),
    ("fft2", "f4", (12, 20), {}), ("fftn", "c8", (6, 8, 10), {"axes": [0, 2]}),
    ("ifftn", "c8", (6, 8, 10), {}), ("rfft", "f8", (30,), {}), ("rfft2", "u1", (16, 18), {}),
    ("irfft2", "c8", (12, 9), {}), ("irfftn", "c16", (4, 6, 8), {"s": (4, 6, 15)})])
def test_results_are_those_of_scipy(name, kind, shape, given):
    x = array_of(kind, shape)
    want = getattr(scipy.fft, name)(x, **given)
    for of in (stream.value, 1, None):
        y = getattr(gpufft, name)(OnDevice(x, of), **given)
        assert type(y) is OnDevice and y.stream == of
        close(y.get(), want)


def test_one_plan_serves_other_arrays_of_its_shape():
    for seed in range(3):
        x = array_of("c8", (16, 18)) + np.complex64(seed)
        close(gpufft.fft2(OnDevice(x)).get(), scipy.fft.fft2(x))
    close(gpufft.fft2(x), scipy.fft.fft2(x))  # in the host's memory, again


def test_the_backend_is_cuda_unless_another_is_chosen():
    x = OnDevice(array_of("c8", (16, 18)))
    gpufft.use()
    close(gpufft.fft2(x).get(), scipy.fft.fft2(x.host))
    assert gpufft.describe(x, "fft2")[0]["backend"] == "cuda"
    gpufft.use(backend="openmp")
    with pytest.raises(NotImplementedError, match="the backend cuda, not openmp"):
        gpufft.fft2(x)


def test_scipy_gets_them():
    x = OnDevice(array_of("c8", (16, 18)))
    with scipy.fft.set_backend(gpufft):
        close(scipy.fft.fft2(x).get(), scipy.fft.fft2(x.host))


def changed(**interface):
    x = OnDevice(array_of("c8", (6, 8)))
    x.__class__ = type("OnDevice", (OnDevice,), {
        "__module__": "test_device", "__cuda_array_interface__": {**x.__cuda_array_interface__, **interface}})
    return x


@pytest.mark.parametrize("x, given, error, why", [
    (lambda: changed(data=(0, False)), {}, ValueError, "input"),
    (lambda: changed(data=(np.ones(99).ctypes.data, False)), {}, (ValueError, NotImplementedError), "the input is not"),
    (lambda: changed(shape=(60, 80)), {}, ValueError, "exceeds"),
    (lambda: changed(strides=(128, 8)), {}, NotImplementedError, "contiguous"),
    (lambda: changed(typestr="<i8"), {}, NotImplementedError, "convert the array with test_device"),
    (lambda: changed(mask=1), {}, NotImplementedError, "masked"),
    (lambda: changed(), {"s": (6, 9)}, NotImplementedError, "cut or pad"),
    (lambda: changed(), {"axes": ()}, NotImplementedError, "convert"),
    (lambda: changed(), {"axes": (2,)}, ValueError, "axes"),
    (lambda: changed(shape=(2, 3, 2, 4), strides=None), {"axes": (0, 1, 2, 3)}, NotImplementedError, "up to 3 axes"),
    (lambda: type("Other", (), {"__module__": "other.part", "__cuda_array_interface__": {}})(), {}, NotImplementedError,
     "cupy, numba, torch.*not from other"),
])
def test_what_does_not_serve_is_an_exception(x, given, error, why):
    with pytest.raises(error, match=why):
        gpufft.fftn(x(), **given)


def test_real_numbers_are_not_spectra():
    x = OnDevice(array_of("f4", (6, 8)))
    for name in ("ifft2", "irfft2"):
        with pytest.raises(NotImplementedError, match="for instance to complex64"):
            getattr(gpufft, name)(x)
    with pytest.raises(TypeError):
        gpufft.rfft2(OnDevice(array_of("c8", (6, 8))))
