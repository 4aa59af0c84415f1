#!/usr/bin/env python3
"""Compares gpufft register with scikit-image (pip install scikit-image).

    python3 tests/core/check_register.py ./gpufft [FOLDER OF PHOTOGRAPHS] [--pairs=200] [--frames=1000]

1. Crops of 256x256 of photographs, shifted between samples by a ramp of phases, both with noise of a
   tenth of the picture's standard deviation: no error above 0.02 samples, and none of the
   quantiles above that of phase_cross_correlation(upsample_factor=100), with its own normalisation and
   without.
2. Pairs of unrelated photographs and noises: none is taken for related.
3. Frames of 512x512: the time of a frame, of both programs in turn. Printed, not judged: it depends on the
   machine.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from skimage import data, io
from skimage.registration import phase_cross_correlation

given = dict(a[2:].split("=") for a in sys.argv[1:] if a.startswith("--"))
names = [a for a in sys.argv[1:] if not a.startswith("--")]
gpufft, n_pairs, n_frames = names[0], int(given.get("pairs", 200)), int(given.get("frames", 1000))
backend = [f"--backend={given['backend']}"] if "backend" in given else []
rng = np.random.default_rng(20080115)
failed = 0


def load():
    if len(names) > 1:
        pictures = [io.imread(p) for p in sorted(pathlib.Path(names[1]).glob("*.png"))]
    else:
        pictures = [data.camera(), data.brick(), data.moon(), data.coins()]
    grey = [(p if p.ndim == 2 else p[..., :3] @ [0.2126, 0.7152, 0.0722]).astype(float) for p in pictures]
    return [p for p in grey if min(p.shape) >= 300]


def register(*arguments):
    run = subprocess.run([gpufft, "register", "--json", *backend, *map(str, arguments)], capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def check(condition, text):
    global failed
    failed += not condition
    print(("ok      " if condition else "FAILED  ") + text)


def shifted(picture, shift):
    ky, kx = (np.fft.fftfreq(n) for n in picture.shape)
    ramp = np.exp(-2j * np.pi * np.add.outer(ky * shift[0], kx * shift[1]))
    return np.fft.ifft2(np.fft.fft2(picture) * ramp).real


def crops(photographs, folder):
    errors = {"gpufft": [], "skimage": [], "skimage, normalization=None": []}
    for i in range(n_pairs):
        picture = photographs[i % len(photographs)]
        shift = rng.uniform(-10, 10, 2)
        moved = shifted(picture, shift)
        y, x = (rng.integers(14, n - 256 - 14) for n in picture.shape)
        a, b = picture[y : y + 256, x : x + 256], moved[y : y + 256, x : x + 256]
        a, b = (v + rng.normal(0, a.std() / 10, a.shape) for v in (a, b))
        np.save(folder / "pair.npy", np.stack([a, b]).astype(np.float32))
        line = register(folder / "pair.npy", "--dims=2")[-1]
        found = line.get("shift", [np.inf, np.inf])
        errors["gpufft"].append(np.hypot(*(np.array(found) + shift)))
        for name, normalization in (("skimage", "phase"), ("skimage, normalization=None", None)):
            found = phase_cross_correlation(a, b, upsample_factor=100, normalization=normalization)[0]
            errors[name].append(np.hypot(*(found + shift)))
    for name, e in errors.items():
        print(f"        {name}: median {np.median(e):.4f}, 90% {np.quantile(e, 0.9):.4f}, largest {max(e):.4f}")
    check(max(errors["gpufft"]) <= 0.02, "no error above 0.02 samples")
    for q in (0.5, 0.9, 1):
        least = min(np.quantile(e, q) for name, e in errors.items() if name != "gpufft")
        check(np.quantile(errors["gpufft"], q) <= least, f"at most skimage's error ({100 * q:.0f}% of the pairs)")


def unrelated(photographs, folder):
    wrong, highest = 0, 0
    for i in range(n_pairs):
        n = (64, 128, 256)[i % 3]
        chosen = rng.choice(len(photographs) + 2, 2, replace=False)
        pair = []
        for k in chosen:
            if k >= len(photographs):  # white noise, and a random walk
                v = rng.normal(0, 1, (n, n))
                pair.append(v if k == len(photographs) else v.cumsum(0).cumsum(1))
            else:
                y, x = (rng.integers(0, m - n + 1) for m in photographs[k].shape)
                pair.append(photographs[k][y : y + n, x : x + n])
        for name, v in zip("ab", pair):
            np.save(folder / f"{name}.npy", v.astype(np.float32))
        for estimate in ("shift", "rigid"):
            line = register(folder / "a.npy", folder / "b.npy", f"--estimate={estimate}")[-1]
            wrong += line["ok"]
            if not line["ok"]:
                highest = max(highest, float(line["error"].split("peak is ")[1].split()[0]))
    check(wrong == 0, f"{wrong} of {2 * n_pairs} unrelated pairs taken for related; the highest peak is {highest:.1f}")


def frames(photographs, folder):
    picture = next(p for p in photographs if p.shape == (512, 512))
    few = [shifted(picture, rng.uniform(-5, 5, 2)) + rng.normal(0, 5, (512, 512)) for _ in range(20)]
    stack = np.stack([few[i % 20] for i in range(n_frames)]).astype(np.float32)
    np.save(folder / "stack.npy", stack)
    start = time.perf_counter()
    register(folder / "stack.npy", "--dims=2")
    ours = (time.perf_counter() - start) / n_frames
    start = time.perf_counter()
    for i in range(20):
        phase_cross_correlation(stack[0], stack[i], upsample_factor=100)
    theirs = (time.perf_counter() - start) / 20
    print(f"        {n_frames} frames: gpufft {1e3 * ours:.2f} ms, skimage {1e3 * theirs:.2f} ms each, {theirs / ours:.1f} times")


with tempfile.TemporaryDirectory() as name:
    photographs = load()
    crops(photographs, pathlib.Path(name))
    unrelated(photographs, pathlib.Path(name))
    if n_frames:
        frames(photographs, pathlib.Path(name))
sys.exit(failed > 0)
