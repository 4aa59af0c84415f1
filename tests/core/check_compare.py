#!/usr/bin/env python3
"""Compares gpufft match with scikit-image and gpufft frc with NumPy. Run by hand: make check-compare.

    check_compare.py GPUFFT

Masked templates and rings have formulas of their own here, sample by sample. One line a comparison;
exits 1 if one differs by more than its limit."""
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from skimage.feature import match_template

program = os.path.abspath(sys.argv[1])
failed = 0
rng = np.random.default_rng(7)


def gpufft(*words):
    run = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return json.loads(run.stdout) if "--json" in words else run.stdout


def compare(what, got, want, limit):
    global failed
    error = np.abs(np.asarray(got) - np.asarray(want)).max()
    bad = not error <= limit
    failed += bad
    print(f"{'WRONG' if bad else 'ok':6}{error:9.2e}  {what}")


def picture(shape, dtype):
    """Smooth noise with detail, like a photograph."""
    x = rng.standard_normal(shape)
    for axis in range(len(shape)):
        x = x + np.roll(x, 1, axis) + np.roll(x, 2, axis)
    x = (x - x.min()) / np.ptp(x)
    return (x * (255 if dtype == np.uint8 else 65535)).astype(dtype)


# ---- match ----

def masked_score(image, template, weight):
    """Weighted correlation coefficients, window by window."""
    w = weight / weight.sum()
    t = template - (w * template).sum()
    scores = np.zeros([n - k + 1 for n, k in zip(image.shape, template.shape)])
    for at in np.ndindex(scores.shape):
        x = image[tuple(slice(a, a + k) for a, k in zip(at, template.shape))]
        x = x - (w * x).sum()
        power = (w * x * x).sum() * (w * t * t).sum()
        scores[at] = (w * t * x).sum() / np.sqrt(power) if power > 1e-9 else 0
    return scores


def check_match():
    shapes = [((97, 131), (11, 8)), ((64, 64), (64, 64)), ((40, 33), (1, 7)), ((12, 25, 31), (5, 6, 7))]
    for (shape, size), dtype in itertools.product(shapes, (np.uint8, np.uint16, np.float32, np.float64)):
        image = picture(shape, dtype)
        at = tuple((n - k) // 3 for n, k in zip(shape, size))
        template = image[tuple(slice(a, a + k) for a, k in zip(at, size))]
        np.save("image.npy", image)
        np.save("template.npy", template)
        for precision, limit in (("double", 1e-6), ("single", 1e-4)):
            found = gpufft("match", "image.npy", "template.npy", "--out=map.npy", "--json", f"--precision={precision}")
            want = match_template(image.astype(float), template.astype(float))
            compare(f"match {shape} {size} {dtype.__name__} {precision}", np.load("map.npy"), want, limit)
            compare("      its place", found["peaks"][0]["at"], at, 0)
    for shape, size in (((40, 37), (7, 9)), ((9, 14, 12), (3, 4, 5)), ((200,), (13,))):
        image, template = picture(shape, np.float32), picture(size, np.float32)
        weight = (rng.random(size) * (rng.random(size) > 0.4)).astype(np.float32)
        for name, a in (("image", image), ("template", template), ("weight", weight)):
            np.save(f"{name}.npy", a)
        gpufft("match", "image.npy", "template.npy", "--template-mask=weight.npy", "--out=map.npy")
        compare(f"match {shape} {size} masked", np.load("map.npy"),
                masked_score(image.astype(float), template.astype(float), weight.astype(float)), 1e-6)


# ---- frc ----

def radius(shape):
    """Rings as distances in cycles a sample, in steps of 1/(longest extent), rounded half up."""
    grid = np.meshgrid(*[np.fft.fftfreq(n) for n in shape], indexing="ij")
    far = np.sqrt(sum(g * g for g in grid)) * max(shape)
    return np.floor(far + 0.5).astype(int), grid


def rings(a, b, turn=None):
    fa, fb = np.fft.fftn(a), np.fft.fftn(b)
    ring, grid = radius(a.shape)
    if turn:
        fb = fb * np.exp(-2j * np.pi * sum(g * turn for g in grid))
    n = max(a.shape) // 2 + 1
    add = lambda v: np.bincount(ring.ravel(), v.ravel(), ring.max() + 1)[:n]
    power = np.sqrt(add(abs(fa) ** 2) * add(abs(fb) ** 2))
    return np.divide(add((fa * fb.conj()).real), power, out=np.zeros(n), where=power > 0), add(np.ones(a.shape))


def crossing(curve, threshold, frequency):
    """The first fall below, by a straight line between rings."""
    for i in range(2, len(curve)):
        if curve[i - 1] >= threshold[i - 1] and curve[i] < threshold[i]:
            d0, d1 = curve[i - 1] - threshold[i - 1], curve[i] - threshold[i]
            return frequency[i - 1] + (frequency[i] - frequency[i - 1]) * d0 / (d0 - d1)
    return None


def soft(shape, r, edge):
    grid = np.meshgrid(*[np.arange(n) - (n - 1) / 2 for n in shape], indexing="ij")
    d = np.clip((np.sqrt(sum(g * g for g in grid)) - r) / edge, 0, 1)
    return 0.5 + 0.5 * np.cos(np.pi * d)


def masked(x, m):
    return m * (x - (m * x).sum() / m.sum())


def check_frc():
    for shape in ((64, 64), (63, 50), (1, 77), (90,), (20, 24, 17)):
        thing = picture(shape, np.float32).astype(float)
        a, b = (thing + 3000 * rng.standard_normal(shape) for _ in range(2))
        np.save("a.npy", a)
        np.save("b.npy", b)
        got = gpufft("frc", "a.npy", "b.npy", "--json")
        want, bins = rings(a, b)
        compare(f"frc {shape}", [r["correlation"] for r in got["rings"]], want, 1e-9)
        compare("      bins", [r["bins"] for r in got["rings"]], bins, 0)
        frequency, n = np.arange(len(want)) / max(shape), np.sqrt(bins / 2)
        levels = {"1/7": 1 / 7 + 0 * n, "0.143": 0.143 + 0 * n, "3 sigma": 3 / n,
                  "half-bit": (0.2071 + 1.9102 / n) / (1.2071 + 0.9102 / n)}
        for c in got["crossings"]:
            at = crossing(want, levels[c["threshold"]], frequency)
            compare(f"      {c['threshold']}", c["frequency"] or 0, at or 0, 1e-9)
        if min(shape) < 2:
            continue
        m = soft(shape, 9, 0.1 * min(shape))
        got = gpufft("frc", "a.npy", "b.npy", "--json", "--mask=soft:9")
        want = rings(masked(a, m), masked(b, m))[0]  # whose mean is rounding
        compare("      soft mask", [r["correlation"] for r in got["rings"][1:]], want[1:], 1e-9)
        halves = [a[tuple(slice(k, n // 2 * 2, 2) for n in shape)] for k in (0, 1)]
        got = gpufft("frc", "a.npy", "--json")
        want = rings(*halves, turn=0.5)[0]  # no bin at half a cycle has a place between samples
        compare("      halves", [r["correlation"] for r in got["rings"][:-1]], want[:-1], 1e-9)
        compare("      halves' frequencies", [r["frequency"] for r in got["rings"]],
                np.arange(max(shape) // 2 // 2 + 1) / (max(shape) // 2) / 2, 1e-12)
        got = gpufft("frc", "a.npy", "b.npy", "--json", "--mask=soft:9", "--randomize=0.1")
        beyond = [ring for ring in got["rings"] if ring["frequency"] > 0.1 and ring["randomized"] < 1]
        t, r, c = np.array([[ring[k] for k in ("correlation", "randomized", "corrected")] for ring in beyond]).T
        compare("      corrected", c, (t - r) / (1 - r), 1e-9)
    # Without a mask, phases that are random do not correlate: about 1/sqrt n.
    got = gpufft("frc", "a.npy", "a.npy", "--json", "--randomize=0.2")
    beyond = [r for r in got["rings"] if r["frequency"] > 0.25]
    compare("frc random phases, in deviations", np.sqrt(np.mean([r["randomized"] ** 2 * r["bins"] / 2 for r in beyond])), 1, 0.5)
    compare("frc phases below are kept", [r["randomized"] for r in got["rings"] if r["frequency"] < 0.15], 1, 1e-9)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_match()
        check_frc()
        os.chdir("/")
    sys.exit(failed > 0)
