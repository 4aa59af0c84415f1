#!/usr/bin/env python3
# Prints tests/core/filter_reference.txt: what the formulas in gpufft-filter(1) make of a few small arrays,
# in NumPy's double precision. tests/cli/filter.test runs the same options and compares.
#     python3 tests/core/filter_reference.py > tests/core/filter_reference.txt
# Sample i of an array, in C order, is (37 i i + 11 i) mod 251; of 16 bits, 256 times that plus i mod 256.
# A case is a line "= SHAPE TYPE DIMS OPTIONS", DIMS being how many of the last axes are transformed, and
# then the numbers. A shape that ends in +3 has three channels.
import itertools

import numpy as np



def samples(shape, kind="u8"):
    i = np.arange(np.prod(shape), dtype=np.int64)
    v = (37 * i * i + 11 * i) % 251
    return (v if kind == "u8" else 256 * v + i % 256).astype(float).reshape(shape)


def bins(n):  # signed
    return np.fft.fftfreq(n, 1 / n)


def low(size, period, radius, profile, centre=None):
    """L on a spectrum of `period` samples of a picture of `size`; radius and centre in the latter's bins."""
    d2 = 0
    for i, (n, p) in enumerate(zip(size, period)):
        k, r = bins(p) * n / p, radius[i]
        c = 0 if centre is None else centre[i]
        d = np.min([abs(k - c + t * n) for t in range(-3, 4)], axis=0)  # the shorter way round
        d2 = np.add.outer(d2, (d / r) ** 2) if i else (d / r) ** 2
    if profile == "gaussian":
        return np.exp(-d2 / 2)
    if profile == "ideal":
        return (d2 <= 1 + 1e-12).astype(float)
    return 1 / (1 + d2 ** int(profile.split(":")[1]))


def radii(text, size):
    if text.endswith("c"):
        return [float(text[:-1]) * n for n in size]
    if text.endswith("%"):
        return [float(text[:-1]) / 100 * n / 2 for n in size]
    return [float(text)] * len(size)


def mask_of(size, period, mask):
    """Centred mask, its even part, at the bins of a longer period."""
    m = np.fft.ifftshift(mask)
    even = (m + np.roll(np.flip(m), [1] * m.ndim, range(m.ndim))) / 2
    out = np.empty(period)
    for at in itertools.product(*map(range, period)):
        k = [bins(p)[a] * n / p for a, p, n in zip(at, period, size)]
        total = 0
        for corner in itertools.product((0, 1), repeat=len(k)):
            w, where = 1, []
            for x, up, n in zip(k, corner, size):
                f = x - np.floor(x)
                w *= f if up else 1 - f
                where.append(int(np.floor(x) + up) % n)
            total += w * even[tuple(where)]
        out[at] = total
    return out


def kernel_of(period, h):
    """The transfer function of a kernel with its centre at n // 2."""
    s = h.sum()
    if abs(s) > 1e-6 * abs(h).sum():
        h = h / s
    out = 0
    for at in np.ndindex(*h.shape):
        phase = 0
        for i, p in enumerate(period):
            f = np.fft.fftfreq(p) * (at[i] - h.shape[i] // 2)
            phase = np.add.outer(phase, f) if i else f
        out = out + h[at] * np.exp(-2j * np.pi * phase)
    return out


LAPLACE = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], float)


def transfer(options, size, period):
    m = np.ones(period)
    for o in options:
        name, _, value = o.partition("=")
        parts = value.split(",")
        profile = parts.pop() if parts[-1][0].isalpha() else "gaussian"
        if name == "--lowpass":
            m = m * low(size, period, radii(parts[0], size), profile)
        elif name == "--highpass":
            m = m * (1 - low(size, period, radii(parts[0], size), profile))
        elif name in ("--bandpass", "--bandreject"):
            inner, outer = (low(size, period, radii(r, size), profile) for r in parts)
            band = outer * (1 - inner)
            m = m * (band if name == "--bandpass" else 1 - band)
        elif name == "--notch":
            c = [float(v) for v in parts[:-1]][::-1]
            r = radii(parts[-1], size)
            own = all((2 * v) % n == 0 for v, n in zip(c, size))
            for sign in (1,) if own else (1, -1):
                m = m * (1 - low(size, period, r, profile, [sign * v for v in c]))
        elif name == "--mask":
            m = m * mask_of(size, period, samples(size) / 255)
        elif value.startswith("gaussian:"):
            f2 = 0
            for i, p in enumerate(period):
                f2 = np.add.outer(f2, np.fft.fftfreq(p) ** 2) if i else np.fft.fftfreq(p) ** 2
            m = m * np.exp(-2 * np.pi**2 * float(value[9:]) ** 2 * f2)
        elif name == "--convolve":
            h = {"laplace.pfm": LAPLACE, "k3x5.pgm": samples((3, 5)), "k2x4.pgm": samples((2, 4))}[value]
            m = m * kernel_of(period, h.reshape((1,) * (len(period) - h.ndim) + h.shape))
    return m


def multiply(u, options, size):
    return np.fft.ifftn(np.fft.fftn(u) * transfer(options, size, u.shape)).real


def smooth_number(n):
    for p in (2, 3, 5, 7):
        while n % p == 0:
            n //= p
    return n == 1


def taper(u, axis):
    n = u.shape[axis]
    if n == 1:
        return u
    w = max(1, n // 8)
    while not smooth_number(n + w):
        w += 1
    j = np.arange(w)
    a = (1 + np.cos(np.pi * (j + 0.5) / w)) / 2
    a = a.reshape([-1 if i == axis else 1 for i in range(u.ndim)])
    more = a * np.take(u, n - 1 - j, axis) + (1 - a) * np.take(u, w - 1 - j, axis)
    return np.concatenate([u, more], axis)


def mirror(u):
    for i, n in enumerate(u.shape):
        if n > 1:
            u = np.concatenate([u, np.flip(u, i)], i)
    return u


def moisan(u):
    """u = periodic + smooth."""
    v, laplace = np.zeros_like(u), 0
    for i, n in enumerate(u.shape):
        t, x = np.moveaxis(v, i, 0), np.moveaxis(u, i, 0)
        t[0] += x[-1] - x[0]
        t[-1] += x[0] - x[-1]
        f = 2 * np.cos(2 * np.pi * np.arange(n) / n) - 2
        laplace = np.add.outer(laplace, f) if i else f
    flat = np.array(laplace)
    flat[(0,) * u.ndim] = 1
    s = np.fft.fftn(v) / flat
    s[(0,) * u.ndim] = 0
    s = np.fft.ifftn(s).real
    return u - s, s


def apply(u, options):
    edges = [o[8:] for o in options if o.startswith("--edges=")] or ["periodic"]
    size, inside = u.shape, tuple(slice(n) for n in u.shape)
    if edges[0] == "smooth":
        p, s = moisan(u)
        return multiply(p, options, size) + multiply(mirror(s), options, size)[inside]
    if edges[0] == "mirror":
        u = mirror(u)
    if edges[0] == "taper":
        for i in range(u.ndim):
            u = taper(u, i)
    return multiply(u, options, size)[inside]


def run(shape, kind, dims, options):
    channels = shape.endswith("+3")
    size = tuple(int(n) for n in shape.replace("+3", "").split("x"))
    u = samples(size + (3,) if channels else size + (1,), kind)
    if "--color=luma" in options:
        u = (u @ np.array([0.2126, 0.7152, 0.0722]))[..., None]
    out = np.empty_like(u)
    pages = size[: len(size) - dims]
    for page in np.ndindex(*pages):
        for c in range(u.shape[-1]):
            out[page + (Ellipsis, c)] = apply(u[page + (Ellipsis, c)], options)
    for o in options:
        if o.startswith("--offset="):
            white = 255 if kind == "u8" else 65535
            v = o[9:]
            out += (white + 1) / 2 if v == "mid" else round(float(v[:-1]) / 100 * white) if v[-1] == "%" else float(v)
    print("= %s %s %d %s" % (shape, kind, dims, " ".join(options)))
    v = out.ravel()
    for i in range(0, len(v), 12):
        print(" ".join("%.8g" % (x + 0.0) for x in v[i : i + 12]))


print("# By tests/core/filter_reference.py, with NumPy %s." % np.__version__)
FACTORS = ["--lowpass=1.7", "--highpass=2.3", "--bandpass=1.2,2.9", "--bandreject=1.2,2.9", "--notch=2,-1,1.1"]
for i, f in enumerate(FACTORS):
    for j, profile in enumerate(("", ",gaussian", ",ideal", ",butterworth:1", ",butterworth:3")):
        if j != 1 or i == 0:
            run(("8x8", "7x9", "6x11", "9x4")[(i + j) % 4], "u8", 2, [f + profile])
for f in ("--lowpass=0.2c", "--lowpass=45%,butterworth:2", "--bandpass=10%,0.4c", "--lowpass=0.23c,ideal"):
    run("6x11", "u8", 2, [f])
for f in ("--notch=0,0,2", "--notch=4,0,1.5", "--notch=4,-4,1.5,ideal", "--notch=-3.5,2.25,0.1c"):
    run("8x8", "u8", 2, [f])
run("13", "u8", 1, ["--lowpass=3,butterworth:2"])
run("13", "u8", 1, ["--notch=4,1.5"])
run("12", "u16", 1, ["--highpass=25%"])
run("1x13", "u8", 2, ["--lowpass=3"])
run("4x5x6", "u8", 3, ["--lowpass=1.6"])
run("4x5x6", "u8", 3, ["--notch=1,-2,1,1.2,butterworth:2"])
run("4x5x6", "u8", 2, ["--highpass=1.5"])
run("3x4x5", "u8", 3, ["--bandpass=20%,90%", "--edges=mirror"])
run("5x6+3", "u8", 2, ["--lowpass=2", "--edges=mirror"])
run("5x6+3", "u8", 2, ["--highpass=2", "--color=luma"])
run("7x5", "u16", 2, ["--lowpass=1.5", "--highpass=1"])
run("7x5", "u16", 2, ["--highpass=2", "--offset=mid"])
run("5x4", "u8", 2, ["--highpass=1", "--offset=50%"])
run("5x4", "u8", 2, ["--highpass=1", "--offset=-12.5"])
for shape in ("8x6", "7x9"):
    for edges in ("periodic", "mirror", "taper", "smooth"):
        for f in ("--mask=mask.pgm", "--convolve=k3x5.pgm"):
            run(shape, "u8", 2, [f, "--edges=" + edges])
        run(shape, "u8", 2, ["--lowpass=1.3", "--edges=" + edges])
        run(shape, "u8", 2, ["--notch=2,-1,0.9,butterworth:2", "--highpass=0.1c", "--edges=" + edges])
run("6x7", "u8", 2, ["--convolve=k2x4.pgm"])
run("6x7", "u8", 2, ["--convolve=laplace.pfm", "--offset=100"])
run("6x7", "u8", 2, ["--convolve=gaussian:0.8"])
run("6x7", "u8", 2, ["--convolve=gaussian:1.5", "--edges=taper"])
run("6x7", "u8", 2, ["--mask=mask.pgm", "--convolve=k2x4.pgm", "--lowpass=2", "--edges=smooth"])
run("3x4x5", "u8", 3, ["--convolve=gaussian:1", "--edges=smooth"])
run("3x4x5", "u8", 3, ["--lowpass=1", "--edges=taper"])
run("3x4x6", "u8", 2, ["--mask=mask.pgm", "--edges=mirror"])
run("3x4x6", "u8", 3, ["--convolve=laplace.pfm"])
