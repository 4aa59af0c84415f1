"""Transforms of CuPy's arrays on an NVIDIA GPU beside cupy.fft: results, streams, copies, mistakes; PyTorch's and Numba's
arrays if they are installed. Needs CuPy and libgpufft.so.0.

usage: LD_LIBRARY_PATH=FOLDER-OF-LIBGPUFFT python3 tests/python/check_cupy.py"""

import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "core/api/python"))
import cupy  # noqa: E402
import cupyx  # noqa: E402
import gpufft  # noqa: E402
import numpy as np  # noqa: E402

counts = [0, 0]
CASES = (("fft", "c", (4096,), {}), ("ifft", "c", (1009,), {}), ("fft", "c", (3, 1000), {"axis": 0}),
         ("rfft", "f", (5000,), {}), ("irfft", "c", (2501,), {}), ("irfft", "c", (501,), {"n": 1001}),
         ("fft2", "c", (512, 512), {}), ("ifft2", "c", (480, 640), {"norm": "ortho"}),
         ("fft2", "c", (50, 64, 100), {}), ("rfft2", "f", (511, 513), {}), ("irfft2", "c", (300, 201), {}),
         ("fftn", "c", (64, 80, 96), {}), ("ifftn", "c", (33, 35, 39), {"norm": "forward"}),
         ("fftn", "c", (30, 40, 50), {"axes": (0, 2)}), ("fftn", "c", (30, 40, 50), {"axes": (0, 1)}),
         ("fft", "c", (30, 40, 50), {"axis": 1}), ("rfftn", "f", (40, 50, 60), {}), ("irfftn", "c", (40, 50, 31), {}),
         ("rfftn", "f", (40, 50, 60), {"axes": (1, 2)}), ("rfft", "f", (40, 50, 60), {"axis": 0}))


def check(good, what):
    counts[not good] += 1
    if not good:
        print("failed:", what, flush=True)


def error(got, want):
    return float(cupy.linalg.norm((got - want).ravel()) / cupy.linalg.norm(want.ravel()))


def random(kind, shape):
    rng = np.random.default_rng(1)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if kind[0] == "c" else 0)
    return cupy.asarray(x.astype(kind))


def check_results(stream, name):
    for function, kind, shape, given in CASES:
        for single in (True, False):
            x = random({"c": ("c8", "c16"), "f": ("f4", "f8")}[kind][not single], shape)
            before = x.copy()
            what = f"{function} {x.dtype} {shape} {given} on {name}"
            y = getattr(gpufft, function)(x, **given)
            check(bool((x == before).all()), f"{what}: the input is changed")
            want = getattr(cupy.fft, function)(before, **given)
            check(type(y) is cupy.ndarray and (y.shape, y.dtype) == (want.shape, want.dtype), what)
            far = error(y, want)
            check(far < (2e-6 if single else 1e-14), f"{what}: {far:.1e} apart")
    stream.synchronize()


def check_order(stream):
    """Kernels of CuPy's before and behind a transform, none of which is waited for."""
    busy, kept, results = cupy.ones((8192, 8192), "f4"), [], []
    x = random("c8", (700, 900))
    for i in range(20):
        busy = cupy.sin(busy)
        x *= 1 + busy[0, 0]
        x[i] += busy[:900, i]
        kept.append(x.copy())
        results.append(gpufft.fft2(x) * 2)
    stream.synchronize()
    for one, result in zip(kept, results):
        check(error(result, 2 * cupy.fft.fft2(one)) < 2e-6, "the order of a stream")


def seconds(function, stream, times=5):
    taken = []
    for _ in range(times):
        stream.synchronize()
        start = time.perf_counter()
        function()
        queued = time.perf_counter() - start
        stream.synchronize()
        taken.append((time.perf_counter() - start, queued))
    return min(taken)


def check_copies(stream):
    x, host = random("c8", (8192, 8192)), cupyx.empty_pinned((8192, 8192), "c8")
    gpufft.fft2(x)
    (own, queued), (copy, _) = (seconds(f, stream) for f in (lambda: gpufft.fft2(x), lambda: x.get(out=host)))
    theirs, _ = seconds(lambda: cupy.fft.fft2(x), stream)
    print(f"fft2 of 8192x8192, c64: {own * 1e3:.2f} ms, queued in {queued * 1e6:.0f} us; cupy.fft {theirs * 1e3:.2f} ms; "
          f"a copy to locked memory {copy * 1e3:.2f} ms")
    check(own < copy / 4, "a transform takes a quarter of a copy's time")
    check(queued < own / 2, "a call returns before its work has ended")
    small = random("c8", (64, 64))
    gpufft.fft2(small)
    start = time.perf_counter()
    for _ in range(1000):
        gpufft.fft2(small)
    stream.synchronize()
    print(f"fft2 of 64x64, c64: {(time.perf_counter() - start) * 1e3:.1f} us a call")


def pretends(address, shape=(64, 64), **more):
    interface = {"shape": shape, "typestr": "<c8", "data": (address, False), "version": 3, **more}
    return type("ndarray", (), {"__module__": "cupy", "device": cupy.cuda.Device(0), "__cuda_array_interface__": interface})()


def check_mistakes():
    x, host, freed = random("c8", (64, 64)), np.ones(1 << 16), cupy.cuda.Memory(1 << 16)
    address = freed.ptr
    del freed
    mistakes = [(lambda: pretends(host.ctypes.data), ValueError), (lambda: pretends(address), ValueError),
                (lambda: pretends(0), ValueError), (lambda: pretends(x.data.ptr, (1 << 14, 1 << 14)), ValueError),
                (lambda: x[:, ::2], NotImplementedError), (lambda: cupy.ones((64, 64), "i8"), NotImplementedError),
                (lambda: x.ravel()[1:65], NotImplementedError)]
    if cupy.cuda.runtime.getDeviceCount() > 1:
        mistakes.append((lambda: on_second(), ValueError))
    for i, (make, kind) in enumerate(mistakes):
        try:
            gpufft.fftn(make())
            check(False, f"mistake {i} passes")
        except kind as e:
            check(str(e) and "\n" not in str(e), f"mistake {i}: {e}")
    check(error(gpufft.fft2(x), cupy.fft.fft2(x)) < 2e-6 and cupy.cuda.Device().id == 0, "a call after mistakes")


def on_second():
    with cupy.cuda.Device(1):
        return cupy.ones((64, 64), "c8")


def check_torch(torch):
    with torch.cuda.stream(torch.cuda.Stream()):
        x = torch.randn(300, 400, device="cuda", dtype=torch.complex64)
        y = gpufft.fft2(x)
        check(type(y) is torch.Tensor and y.is_cuda, "a tensor becomes a tensor")
        check(float((y - torch.fft.fft2(x)).norm() / y.norm()) < 2e-6, "torch")
        real = torch.randn(300, 401, device="cuda", dtype=torch.float64)
        check(float((gpufft.rfft2(real) - torch.fft.rfft2(real)).norm()) < 1e-9, "torch, real")


def check_numba(numba):
    from numba import cuda as _  # noqa: F401
    x = np.random.default_rng(1).standard_normal((300, 400)).astype("c8")
    y = gpufft.fft2(numba.cuda.to_device(x)).copy_to_host()
    check(np.linalg.norm(y - np.fft.fft2(x)) < 2e-6 * np.linalg.norm(y), "numba")


def main():
    with tempfile.TemporaryDirectory() as cache:
        gpufft.use(backend="cuda", cache_folder=cache)
        for name, stream in (("the default stream", cupy.cuda.Stream.null),
                             ("a stream of its own", cupy.cuda.Stream(non_blocking=True))):
            with stream:
                check_results(stream, name)
                check_order(stream)
        with stream:
            check_copies(stream)
        check_mistakes()
        for name, function in (("torch", check_torch), ("numba", check_numba)):
            try:
                module = __import__(name)
            except ImportError:
                print(f"{name}: skipped")
                continue
            try:
                function(module)
            except Exception as e:
                check(False, f"{name}: {e}")
        gpufft.use(backend="cuda")
    print(f"{counts[0]} passed, {counts[1]} failed")
    return counts[1] > 0


sys.exit(main())
