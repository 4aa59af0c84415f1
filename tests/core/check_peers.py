#!/usr/bin/env python3
"""Compares gpufft frc with RELION's relion_postprocess on two noisy maps of a particle. Run by hand: make check-peers.

    check_peers.py GPUFFT

RELION 3.1 adds the bins of half a spectrum, so that those of the plane x = 0 count twice; gpufft adds those of all of it.
NumPy sums with either weights here: each program has to agree with its own to rounding, and both with each other
within a fraction of the noise. One line a comparison; exits 1 if one differs by more than its limit."""
import json
import os
import subprocess
import sys
import tempfile

import mrcfile
import numpy as np

program = os.path.abspath(sys.argv[1])
failed = 0
N, PIXEL = 64, 1.5
ROUNDED = 6e-6  # RELION writes five decimals of a negative number


def compare(what, got, want, limit):
    global failed
    error = np.abs(np.asarray(got) - np.asarray(want)).max()
    bad = not error <= limit
    failed += bad
    print(f"{'WRONG' if bad else 'ok':6}{error:9.2e}  {what}")


# ---- the maps ----

def write(name, x):
    with mrcfile.new(name) as f:
        f.set_data(x.astype(np.float32))
        f.voxel_size = PIXEL
    return x.astype(np.float32).astype(float)


def make():
    """A particle of 150 blobs on a level of 0.2, twice with noise; a ball with a soft edge around it."""
    rng = np.random.default_rng(5)
    grid = np.stack(np.meshgrid(*[np.arange(N) - N / 2] * 3, indexing="ij"))
    thing = np.full((N,) * 3, 0.2)
    for _ in range(150):
        at, size = rng.normal(0, 6, 3), rng.uniform(1.2, 3)
        far = ((grid - at[:, None, None, None]) ** 2).sum(0)
        thing += rng.uniform(0.5, 1.5) * np.exp(-far / 2 / size**2)
    a, b = (write(f"half{k}.mrc", thing + rng.normal(0, 0.5, thing.shape)) for k in (1, 2))
    edge = np.clip((np.sqrt((grid**2).sum(0)) - 18) / 6, 0, 1)
    return a, b, write("mask.mrc", 0.5 + 0.5 * np.cos(np.pi * edge))


# ---- the programs ----

def gpufft(*words):
    run = subprocess.run([program, "frc", "half1.mrc", "half2.mrc", "--json", *words],
                         capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    return {k: np.array([r[k] for r in found["rings"]]) for k in found["rings"][0]}, found


def relion():
    """The columns of its table, and the values above it."""
    os.mkdir("relion")
    words = ["--i", "half1.mrc", "--mask", "mask.mrc", "--force_mask", "--angpix", str(PIXEL), "--o", "relion/post"]
    subprocess.run(["relion_postprocess", *words], capture_output=True)  # fails after the table without ghostscript
    with open("relion/post.star") as f:
        above, _, table = f.read().partition("data_fsc")
    rows = [line.split() for line in table.partition("data_")[0].splitlines()]
    names = [r[0][4:] for r in rows if len(r) == 2]
    values = np.array([r for r in rows if len(r) == len(names)], float)
    return dict(zip(names, values.T)), dict(w for w in map(str.split, above.splitlines()) if len(w) == 2)


def shells(a, b, weight):
    """The correlation of each shell; bins whose opposite is not in half the spectrum have this weight."""
    fa, fb = np.fft.rfftn(a), np.fft.rfftn(b)
    f = np.fft.fftfreq(N, 1 / N)
    z, y, x = np.meshgrid(f, f, np.arange(N // 2 + 1), indexing="ij")
    shell = np.floor(np.sqrt(x * x + y * y + z * z) + 0.5).astype(int)
    weights = np.where((x > 0) & (x < N // 2), weight, 1)
    add = lambda v: np.bincount(shell.ravel(), (v * weights).ravel())[:N // 2 + 1]
    return add((fa * fb.conj()).real) / np.sqrt(add(abs(fa) ** 2) * add(abs(fb) ** 2))


# ---- comparisons ----

def check_fsc():
    a, b, m = make()
    star, value = relion()
    whole, _ = gpufft()
    compare("shells' frequencies", star["Resolution"][1:], whole["frequency"][1:] / PIXEL, 1e-6)
    unmasked = star["FourierShellCorrelationUnmaskedMaps"]
    noise = 1 / np.sqrt(whole["bins"])  # the deviation of two noises' correlation
    compare("RELION, unmasked", unmasked, shells(a, b, 1), ROUNDED)
    compare("gpufft, unmasked", whole["correlation"], shells(a, b, 2), 1e-9)
    compare("      beside RELION", whole["correlation"], unmasked, 0.02)
    compare("      beside RELION, in deviations of noise", (whole["correlation"] - unmasked) / noise, 0, 1)

    start = N * PIXEL / float(value["_rlnRandomiseFrom"])  # the first shell of random phases, which includes its middle
    masked, found = gpufft("--mask=mask.mrc", f"--randomize={(start - 1e-6) / N}")
    t = star["FourierShellCorrelationMaskedMaps"]
    own = [x - (m * x).sum() / m.sum() for x in (a, b)]
    compare("RELION, masked", t, shells(m * a, m * b, 1), ROUNDED)
    compare("gpufft, masked, the mean subtracted", masked["correlation"][1:], shells(m * own[0], m * own[1], 2)[1:], 1e-9)
    few = noise * np.sqrt(N**3 * (m**4).sum()) / (m**2).sum()  # the mask leaves fewer independent bins
    compare("      beside RELION, in deviations of noise", ((masked["correlation"] - t) / few)[2:], 0, 1)

    n, corrected = star["CorrectedFourierShellCorrelationPhaseRandomizedMaskedMaps"], star["FourierShellCorrelationCorrected"]
    late = np.arange(len(t)) >= start + 2
    compare("RELION, corrected from two shells on", corrected[late], (t[late] - n[late]) / (1 - n[late]), 3 * ROUNDED)
    compare("      as masked before", corrected[~late], t[~late], 0)
    # Two curves of random phases differ by at most sqrt 2 of that noise, which the correction
    # multiplies by its derivative, (1 - t) / (1 - n)^2.
    apart = (masked["randomized"] - n) / (few * np.sqrt(2))
    compare("random phases beside RELION, in deviations", apart[late], 0, 4)
    compare("      root mean square", np.sqrt(np.mean(apart[late] ** 2)), 0, 1.3)
    apart = (masked["corrected"] - corrected)[late]
    slope = (1 - t[late]) / (1 - np.maximum(n, masked["randomized"])[late]) ** 2
    noise = few[late] * np.sqrt(2) * slope + abs(masked["correlation"] - t)[late]
    compare("corrected beside RELION, in deviations", apart / noise, 0, 4)
    at = next(c["resolution"] for c in found["crossings"] if c["threshold"] == "0.143")
    print(f"      resolution at 0.143: RELION {value['_rlnFinalResolution']} A (a shell), gpufft {at:.3f} A")
    compare("resolution at 0.143, in shells", N * PIXEL / at, N * PIXEL / float(value["_rlnFinalResolution"]) + 0.5, 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_fsc()
        os.chdir("/")
    sys.exit(failed > 0)
