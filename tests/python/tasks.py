"""Ten tasks by gpufft and by SciPy or scikit-image: the medians of five times; then fft2 on one thread by gpufft, by
SciPy with gpufft as its backend, and by SciPy: as the tables of man/python.md.
Needs SciPy and scikit-image. usage: tasks.py [THREADS]"""

import sys
import time

import gpufft
import numpy as np
import scipy.fft
import scipy.signal
import skimage.feature
import skimage.registration
import skimage.restoration

gpufft.use(backend="openmp")
THREADS = int(sys.argv[1]) if len(sys.argv) > 1 else 2
rng = np.random.default_rng(1)
picture = gpufft.filter(rng.random((2048, 2048)).astype("f4"), lowpass="6px")
small = picture[:1024, :1024].copy()
letter = picture[700:740, 900:940].copy()
frames = (rng.standard_normal((200, 256, 256)) + 1j).astype("c8")
volume = (rng.standard_normal((256, 256, 256)) + 1j).astype("c8")
line = (rng.standard_normal(1000003) + 1j).astype("c16")
disk = np.hypot(*np.mgrid[-3:4, -3:4]) <= 3
disk = (disk / disk.sum()).astype("f4")
kernel = rng.random((31, 31)).astype("f4")
kernel /= kernel.sum()
shifted = np.roll(small, (5, -9), (0, 1))


def low_pass():
    padded = np.pad(picture, 256, mode="symmetric")
    ky, kx = np.meshgrid(np.fft.fftfreq(padded.shape[0]), np.fft.rfftfreq(padded.shape[1]), indexing="ij")
    table = np.exp(-np.log(2) / 2 * (ky ** 2 + kx ** 2) * 20 ** 2).astype("f4")
    back = scipy.fft.irfft2(scipy.fft.rfft2(padded, workers=THREADS) * table, padded.shape, workers=THREADS)
    return back[256:-256, 256:-256]


TASKS = (
    ("`rfft2(picture)`, 2048x2048, f32", lambda: gpufft.rfft2(picture, workers=THREADS),
     lambda: scipy.fft.rfft2(picture, workers=THREADS)),
    ("`fft2(frames)`, 200 of 256x256, c64", lambda: gpufft.fft2(frames, workers=THREADS),
     lambda: scipy.fft.fft2(frames, workers=THREADS)),
    ("`fftn(volume)`, 256x256x256, c64", lambda: gpufft.fftn(volume, workers=THREADS),
     lambda: scipy.fft.fftn(volume, workers=THREADS)),
    ("`fft(line)`, 1000003 points, a prime, c128", lambda: gpufft.fft(line, workers=THREADS),
     lambda: scipy.fft.fft(line, workers=THREADS)),
    ("`filter(picture, lowpass=\"20px\")`, mirrored edges", lambda: gpufft.filter(picture, lowpass="20px", workers=THREADS),
     low_pass),
    ("`filter(picture, kernel, convolve=\"kernel\")`, 31x31", lambda: gpufft.filter(picture, kernel, convolve="kernel",
                                                                             edges="periodic", workers=THREADS),
     lambda: scipy.signal.fftconvolve(np.pad(picture, 15, mode="wrap"), kernel, mode="valid")),
    ("`deconvolve(small, \"disk:3\")`, Wiener, 1024x1024", lambda: gpufft.deconvolve(small, "disk:3", noise=0.01, workers=THREADS),
     lambda: skimage.restoration.wiener(small, disk, 0.1)),
    ("`deconvolve(small, disk, iterations=20)`, Richardson-Lucy", lambda: gpufft.deconvolve(small, disk, iterations=20,
                                                                                           workers=THREADS),
     lambda: skimage.restoration.richardson_lucy(small, disk, 20)),
    ("`register(shifted, small)`, 1024x1024, to 1/100", lambda: gpufft.register(shifted, small, workers=THREADS),
     lambda: skimage.registration.phase_cross_correlation(small, shifted, upsample_factor=100)),
    ("`match(picture, letter)`, 40x40 in 2048x2048", lambda: gpufft.match(picture, letter, workers=THREADS),
     lambda: skimage.feature.match_template(picture, letter)),
)


def seconds(function):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return sorted(times)[2]


def through_scipy(x, calls):
    with scipy.fft.set_backend(gpufft):
        return each(scipy.fft.fft2, x, calls)


def each(function, x, calls):
    """Microseconds of a call, one after the other on the same samples."""
    start = time.perf_counter()
    for _ in range(calls):
        function(x, workers=1)
    return (time.perf_counter() - start) / calls * 1e6


for name, ours, theirs in TASKS:
    a, b = seconds(ours), seconds(theirs)
    print(f"| {name} | {a * 1e3:.1f} ms | {b * 1e3:.1f} ms | {b / a:.1f} |", flush=True)
for side, calls in ((8, 50), (64, 30), (512, 2)):  # of about a millisecond, so that other work disturbs few of them
    x = (rng.standard_normal((side, side)) + 1j).astype("c8")
    rounds = [(each(gpufft.fft2, x, calls), through_scipy(x, calls), each(scipy.fft.fft2, x, calls)) for _ in range(501)]
    medians = (sorted(times)[250] for times in zip(*rounds))
    print(f"| {side}x{side} | " + " | ".join(f"{t:.1f} us" for t in medians) + " |", flush=True)
