"""The Python module against SciPy and NumPy: random calls, views, threads, forks, Ctrl-C, operations."""

import inspect
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import typing

import gpufft
import numpy as np
import pytest
import pywt
import scipy.fft

gpufft.use(backend="openmp")
NAMES = [p + n for p in ("", "i", "r", "ir") for n in ("fft", "fft2", "fftn")]
SEED = int(os.environ.get("SEED", "1"))


def array_of(rng, kind, shape):
    x = 9 * rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if kind[0] == "c" else x).astype(kind)


def arguments_of(rng, name, x):
    """Random arguments that both libraries take."""
    given = {"norm": [None, "ortho", "forward", "backward"][rng.integers(4)]}
    if name.endswith("fft"):
        given["axis"] = int(rng.integers(-x.ndim, x.ndim))
        if rng.random() < 0.5 or x.shape[given["axis"]] == 1:  # which has no irfft of its own length
            given["n"] = int(rng.integers(2, 12))
        return given
    n = 2 if name.endswith("2") else int(rng.integers(1, x.ndim + 1))
    given["axes"] = tuple(int(a) for a in rng.permutation(x.ndim)[:n])
    if rng.random() < 0.5:
        given["s"] = [int(k) for k in rng.integers(2, 9, n)]
    return given


def close(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    single = want.dtype in (np.float32, np.complex64)
    assert np.abs(got - want).max(initial=0) <= (2e-6 if single else 4e-15) * 9 * want.size ** 0.5 + \
        (1e-6 if single else 1e-14) * np.abs(want).max(initial=0)


@pytest.mark.parametrize("name", NAMES)
def test_random_calls_agree_with_scipy(name):
    rng = np.random.default_rng([SEED, NAMES.index(name)])
    for _ in range(60):
        kind = rng.choice([k for k in ("f4", "f8", "c8", "c16", "u1", "i2", "i8", "f2", "?", ">f4")
                           if name[0] != "r" or k[0] != "c"])
        x = array_of(rng, kind, rng.integers(2, 8, int(rng.integers(2, 6))))
        if rng.random() < 0.4:
            x = np.moveaxis(x, 0, -1)[::-1, ::2]
        if name[0] == "i" and name[1] == "r" and x.dtype.kind != "c":
            x = x.astype(np.complex128)
        given = arguments_of(rng, name, x)
        close(getattr(gpufft, name)(x, **given), getattr(scipy.fft, name)(x, **given))


def test_large_views_are_read_where_they_are():
    x = np.random.default_rng(SEED).standard_normal((300, 70, 40)).astype("c8")
    for view in (x, x[::3], x[::-1, 5:], x.transpose(2, 0, 1), x[:, :, 7:31].real):
        assert np.shares_memory(gpufft._fft._array(view), x)
        close(gpufft.fft2(view), scipy.fft.fft2(view))


def test_copies_are_made_in_the_memory_of_the_result():
    x = np.random.default_rng(SEED).standard_normal((300, 70, 80), np.float32).view("c8")
    for of, given in ((x.astype(">c8"), {}), (x, {"s": (72, 44)})):
        gpufft.describe(of, "fft2", **given)
        tracemalloc.start()
        got = gpufft.fft2(of, **given)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        close(got, scipy.fft.fft2(of, **given))
        assert peak < 1.1 * got.nbytes
    workspace = [gpufft.describe(x.real.astype(t))[0]["workspace"] for t in ("f8", "i8")]
    assert workspace[1] - workspace[0] == 8 * x.size


def test_five_axes_are_transformed_in_turn():
    x = array_of(np.random.default_rng(SEED), "f8", (4, 5, 6, 7, 8))
    close(gpufft.rfftn(x), scipy.fft.rfftn(x))
    close(gpufft.irfftn(gpufft.rfftn(x)), x)


def test_one_plan_serves_eight_threads():
    x = array_of(np.random.default_rng(SEED), "c16", (8, 48, 50))
    want = [scipy.fft.fft2(frame) for frame in x]
    wrong = []

    def work(i):
        for _ in range(40):
            if not np.allclose(gpufft.fft2(x[i]), want[i], atol=1e-10):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_other_threads_run_during_a_call():
    x = np.ones((2048, 2048), "c8")
    gpufft.fft2(x)
    beats, ends = [], threading.Event()

    def beat():
        while not ends.is_set():
            beats.append(time.perf_counter())
            time.sleep(1e-3)

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.perf_counter()
    for _ in range(4):
        gpufft.fft2(x)
    end = time.perf_counter()
    ends.set()
    thread.join()
    assert sum(start < b < end for b in beats) > 0.1 * (end - start) / 1e-3


def test_a_forked_child_opens_the_library_anew():
    x = np.arange(12.0)
    want = gpufft.fft(x)
    child = os.fork()
    if not child:
        try:
            os._exit(0 if np.array_equal(gpufft.fft(x), want) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(gpufft.fft(x), want)


def test_control_c_ends_a_long_call():
    text = """if True:
        import gpufft, numpy, sys
        gpufft.use(backend="openmp")
        x = numpy.random.default_rng(1).standard_normal((1024, 1024)).astype("f4")
        print("begins", flush=True)
        try:
            gpufft.deconvolve(x, "gaussian:2", iterations=100000)
        except KeyboardInterrupt:
            sys.exit(7)"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"begins\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    assert child.wait(30) == 7


def test_memory_of_others_through_dlpack():
    class Other:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **given):
            return self.x.__dlpack__(**given)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    x = array_of(np.random.default_rng(SEED), "f4", (300, 301))
    assert np.shares_memory(gpufft._fft._array(Other(x)), x)
    want = scipy.fft.rfft2(x)
    close(gpufft.rfft2(Other(x)), want)
    close(np.from_dlpack(gpufft.rfft2(Other(x))), want)
    assert np.array_equal(gpufft.filter(Other(x), lowpass="9px"), gpufft.filter(x, lowpass="9px"))


@pytest.mark.parametrize("module", ["cupy", "torch", "dlpack"])
def test_arrays_on_a_device_are_refused(module):
    class OnDevice:
        shape, dtype = (8, 8), np.dtype("f4")

        def __array__(self, *given):
            raise TypeError("no implicit conversion")

        def __dlpack_device__(self):
            return (2, 0)

    if module == "dlpack":
        del OnDevice.__array__
    else:
        OnDevice.__cuda_array_interface__ = {"shape": (8, 8), "typestr": "<f4", "data": (0, False), "version": 3}
    if module == "cupy":
        del OnDevice.__dlpack_device__
    for call in (gpufft.fft2, gpufft.spectrum, lambda x: gpufft.dwt2(x, "db2"),
                 lambda x: gpufft.match(np.ones((9, 9)), x), lambda x: gpufft.write("x.npy", x)):
        with pytest.raises(NotImplementedError, match="copy it to the host"):
            call(OnDevice())


@pytest.mark.parametrize("call, error", [
    (lambda: gpufft.rfft(np.ones(4, "c8")), TypeError),
    (lambda: gpufft.fft(np.ones(0)), ValueError),
    (lambda: gpufft.fft(np.ones(4), n=0), ValueError),
    (lambda: gpufft.fft(np.ones(4), axis=2), ValueError),
    (lambda: gpufft.fftn(np.ones((4, 4)), axes=(0, 0)), ValueError),
    (lambda: gpufft.fftn(np.ones((4, 4)), s=(2,), axes=(0, 1)), ValueError),
    (lambda: gpufft.fft(np.ones(4), norm="none"), ValueError),
    (lambda: gpufft.fft(np.ones(4), norm=["ortho"]), ValueError),
    (lambda: gpufft.fft(np.ones(4), workers=0), ValueError),
    (lambda: gpufft.fft(np.ones(4, "g")), NotImplementedError),
    (lambda: gpufft.next_fast_len(0), ValueError),
    (lambda: gpufft.Operation("blur"), ValueError),
    (lambda: gpufft.filter(np.ones((8, 8)), lowpas=3), ValueError),
    (lambda: gpufft.filter(np.full((8, 8), np.nan), lowpass="3px"), ValueError),
    (lambda: gpufft.match(np.ones((8, 8)), np.ones((9, 9))), ValueError),
    (lambda: gpufft.use(backend="nothing") or gpufft.fft(np.ones(4)), ValueError),
])
def test_mistakes_are_exceptions(call, error):
    try:
        with pytest.raises(error) as found:
            call()
        assert str(found.value)
    finally:
        gpufft.use(backend="openmp")


@pytest.mark.parametrize("name", NAMES)
def test_a_transform_is_described(name):
    x = np.ones((20, 3, 4, 5), "f4" if name[0] == "r" else "c8")
    plans = gpufft.describe(x, name, workers=1)
    assert [p["backend"] for p in plans] == ["openmp"] * (2 if name.endswith("n") else 1)
    assert all(p["passes"] and p["why"] and p["calls"] > 0 and p["bytes"] >= 20 * 3 * 4 * 4 for p in plans)
    with pytest.raises(ValueError):
        gpufft.describe(x, name, norm="none")


def test_next_fast_len_is_a_product_of_small_primes():
    for n in range(1, 3000):
        m = gpufft.next_fast_len(n)
        assert n <= m <= 2 ** (n - 1).bit_length() and is_smooth(m)


def is_smooth(n):
    for p in (2, 3, 5, 7):
        while n % p == 0:
            n //= p
    return n == 1


def test_a_low_pass_is_that_of_numpy():
    x = array_of(np.random.default_rng(SEED), "f8", (48, 60))
    ky, kx = np.meshgrid(np.fft.fftfreq(48), np.fft.fftfreq(60), indexing="ij")
    want = np.fft.ifft2(np.fft.fft2(x) * (np.hypot(ky, kx) <= 0.2)).real
    got = gpufft.filter(x, lowpass="0.2c,ideal", edges="periodic")
    assert got.dtype == np.float64 and np.abs(got - want).max() < 1e-12


def test_an_operation_takes_frames_types_and_channels():
    rng = np.random.default_rng(SEED)
    soften = gpufft.Operation("filter", lowpass="6px")
    for _ in range(3):
        x = rng.integers(0, 256, (40, 50)).astype("u1")
        assert soften(x).dtype == np.uint8
        assert np.abs(soften(x, "f4").round().clip(0, 255) - soften(x)).max() <= 1
    rgb = rng.integers(0, 256, (30, 40, 3)).astype("u1")
    got = gpufft.filter(rgb, lowpass="6px", channels=True)
    for c in range(3):
        assert np.abs(got[..., c].astype(int) - gpufft.filter(rgb[..., c], lowpass="6px")).max() <= 1


def test_facts_of_match_register_frc_and_psd():
    rng = np.random.default_rng(SEED)
    x = array_of(rng, "f4", (64, 80))
    scores, facts = gpufft.match(x, x[10:20, 30:44])
    assert scores.shape == (55, 67) and facts["peaks"]["at"].tolist() == [[10, 30]]
    aligned, facts = gpufft.register(np.roll(x, (2, 3), (0, 1)), x)
    assert aligned.shape == x.shape and np.allclose(np.abs(facts["shift"]), (2, 3), atol=1e-3)
    rings = gpufft.frc(x, x)["rings"]
    assert np.allclose(rings["correlation"], 1, atol=1e-5) and rings["bins"].dtype == np.int64
    signal_of = gpufft.psd(np.ones((64, 64)) + 1e-3 * x[:, :64])["signals"][0]
    assert {"radial", "slope", "peaks"} <= set(signal_of)
    assert gpufft.stats(x)["signals"][0]["mean"] == pytest.approx(float(x.mean()), abs=1e-5)


def test_a_blur_is_undone_by_its_kernel():
    rng = np.random.default_rng(SEED)
    x = gpufft.filter(100 * rng.random((96, 96)), lowpass="8px", edges="periodic")
    psf = np.zeros((7, 7))
    psf[1:6, 1:6] = 1 / 25
    k = np.zeros_like(x)
    k[:7, :7] = psf
    k = np.roll(k, (-3, -3), (0, 1))
    blurred = np.fft.ifft2(np.fft.fft2(x) * np.fft.fft2(k)).real
    back = gpufft.deconvolve(blurred, psf, edges="periodic", noise=0.01)
    assert np.std(back - x) < 0.35 * np.std(blurred - x)


@pytest.mark.filterwarnings("ignore:Level value")
def test_random_wavelets_agree_with_pywt():
    rng = np.random.default_rng(SEED)
    modes = ("symmetric", "zero", "periodization")
    for _ in range(200):
        kind = rng.choice(["f4", "f8", "c8", "c16", "i4", "f2"])
        x = array_of(rng, kind, rng.integers(1, 9, int(rng.integers(2, 6))))
        if rng.random() < 0.3:
            x = np.moveaxis(x, 0, -1)[::-1]
        mode = [str(m) for m in rng.choice(modes, 1 + int(rng.random() < 0.2))]
        mode = mode[0] if len(mode) == 1 else tuple(mode)
        axes = tuple(int(a) for a in rng.integers(-x.ndim, x.ndim, 2))
        want, got = pywt.dwt2(x, "db2", mode, axes), gpufft.dwt2(x, "db2", mode, axes)
        for a, b in zip((want[0], *want[1]), (got[0], *got[1])):
            close(b, a)
        missing = (want[0], (want[1][0], None, want[1][2]))
        close(gpufft.idwt2(missing, "db2", mode, axes), pywt.idwt2(missing, "db2", mode, axes))
        given = mode if isinstance(mode, str) else mode[0]
        level = None if rng.random() < 0.5 else int(rng.integers(0, 6))
        want = pywt.wavedec(x, "db2", given, level, axes[0])
        got = gpufft.wavedec(x, pywt.Wavelet("db2"), given, level, axes[0])
        assert len(got) == len(want)
        for a, b in zip(want, got):
            close(b, a)


def test_wavelets_that_are_not_offered():
    x = np.ones((8, 8))
    for call, text in ((lambda: gpufft.dwt2(x, "haar"), "there is db2"),
                       (lambda: gpufft.dwt2(x, "db2", "reflect"), "symmetric, zero and periodization"),
                       (lambda: gpufft.dwt2(x, ("db2", "db2", "db2")), "one for each axis"),
                       (lambda: gpufft.dwt2(x, "db2", axes=(0, 2)), "axis 2"),
                       (lambda: gpufft.dwt2(x, "db2", axes=(0,)), "two axes"),
                       (lambda: gpufft.dwt2(np.full((8, 8), np.nan), "db2"), "NaN"),
                       (lambda: gpufft.idwt2((x, (x, x, x[1:])), "db2"), "different shapes"),
                       (lambda: gpufft.idwt2((None, (None, None, None)), "db2"), "or none"),
                       (lambda: gpufft.wavedec(x, "db2", level=-1), "below 0")):
        with pytest.raises(ValueError, match=text):
            call()


def test_times_beside_scipy():
    """One worker: 8x8 at most twice SciPy's time, from 64x64 at most its time; the best of several
    rounds, as other work disturbs them."""
    rows = []
    for side, most in ((8, 2), (64, 1), (256, 1), (1024, 1)):
        x = array_of(np.random.default_rng(SEED), "c8", (side, side))
        n, best = max(1, 200000 // side ** 2), [1e9, 1e9]
        for _ in range(15):
            for i, f in enumerate((gpufft.fft2, scipy.fft.fft2)):
                start = time.perf_counter()
                for _ in range(n):
                    f(x, workers=1)
                best[i] = min(best[i], (time.perf_counter() - start) / n)
        rows.append((side, best[0] / best[1], most))
        print(f"{side}x{side}: {best[0] * 1e6:.1f} us, SciPy {best[1] * 1e6:.1f}, ratio {best[0] / best[1]:.2f}")
    assert all(ratio <= most for _, ratio, most in rows), rows


@pytest.mark.parametrize("name", [n for n in gpufft.__all__ if n not in ("Error", "Image", "Operation")])
def test_functions_tell_their_types(name):
    function = getattr(gpufft, name)
    given = inspect.signature(function).parameters.values()
    assert function.__module__ == "gpufft" and len(function.__doc__) > 30 and "return" in function.__annotations__
    assert all(p.annotation is not p.empty for p in given)
    assert typing.get_type_hints(function)


SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../samples")


def test_a_picture_keeps_what_its_file_tells(tmp_path):
    picture = gpufft.read(os.path.join(SAMPLES, "scene-rgb.png"))
    assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    assert picture.spacing == [(None, None)] * 2 and picture.record is None
    with pytest.raises(ValueError):
        picture[0, 0, 0] = 1
    soft = gpufft.filter(picture, lowpass="20px")
    gpufft.write(tmp_path / "soft.png", soft)
    assert np.array_equal(gpufft.read(tmp_path / "soft.png"), soft)
    corner = soft[:50, :60]
    gpufft.write(tmp_path / "corner.tif", corner)
    assert np.array_equal(gpufft.read(tmp_path / "corner.tif"), corner)


@pytest.mark.parametrize("name, given", [
    ("scene.png", {}), ("scene.png", {"window": "hann", "scale": "sqrt", "range": "full"}),
    ("scene-rgb.png", {}), ("scene.png", {"kind": "phase", "edges": "smooth", "shift": False}),
    ("scene.png", {"kind": "power", "range": (1, 5e4), "norm": "ortho"})])
def test_the_picture_of_a_spectrum_is_that_of_the_program(tmp_path, name, given):
    sample, program = os.path.join(SAMPLES, name), os.path.join(SAMPLES, "../gpufft")
    options = [f"--{t}" for t in gpufft._operations._texts(given)]
    subprocess.run([program, "fwd", sample, *options, "--backend=openmp", f"--out={tmp_path}/o.png"],
                   check=True)
    got, want = gpufft.spectrum(gpufft.read(sample), **given), gpufft.read(tmp_path / "o.png")
    assert got.dtype == np.uint8 and np.array_equal(got, want)
    numbers = gpufft.spectrum(gpufft.read(sample), "f4", **given)
    assert numbers.shape == got.shape and numbers.dtype == np.float32


def test_files_that_cannot_be_read_or_written(tmp_path):
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "cut.png").write_bytes(
        open(os.path.join(SAMPLES, "scene.png"), "rb").read()[:5000])
    for name, error in (("none.png", OSError), ("text.png", ValueError), ("cut.png", ValueError)):
        with pytest.raises(error):
            gpufft.read(tmp_path / name)
    with pytest.raises(OSError):
        gpufft.write(tmp_path / "no folder" / "x.png", np.zeros((4, 4), "u1"))
    gpufft.write(tmp_path / "volume.npy", np.arange(24, dtype="f4").reshape(2, 3, 4))
    assert gpufft.read(tmp_path / "volume.npy").ravel().tolist() == list(range(24))
