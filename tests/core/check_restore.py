#!/usr/bin/env python3
# Compares --deconvolve with skimage.restoration on photographs: PSNR in dB, ours with the noise measured, theirs with
# the fixed parameter that is best on average over the photographs for each blur and noise.
#     tests/core/check_restore.py PHOTO...        needs ./gpufft, NumPy, SciPy, scikit-image
#     tests/core/check_restore.py --time          20 Richardson-Lucy iterations at 2048 x 2048 beside theirs
#     tests/core/check_restore.py --noise PHOTO...   the measured noise over the true one
# Up to ten crops of 256 x 256 are blurred within the larger photograph, so that they have no wrapped edges, and then
# rounded to 8 bits. Theirs is given the crop, and the crop continued by its mirror image; the better one counts.
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.ndimage import convolve
from skimage import io, restoration

SIZE, MARGIN, MOST = 256, 24, 10
BLURS = {"gaussian:2": None, "disk:4": None, "motion:15,0": None}


def psf_of(text):
    """By 21 x 21 points a pixel, independently of the program's integrals."""
    name, value = text.split(":")
    fine, n = 21, 17
    at = (np.arange(n * fine) + 0.5) / fine - n / 2
    y, x = np.meshgrid(at, at, indexing="ij")
    size = float(value.split(",")[0])
    v = {"gaussian": lambda: np.exp(-(x * x + y * y) / 2 / size**2),
         "disk": lambda: x * x + y * y <= size * size,
         "motion": lambda: (abs(x) <= size / 2) & (abs(y) < 0.5 / fine + 1e-9)}[name]()
    v = v.reshape(n, fine, n, fine).sum(axis=(1, 3)).astype(float)
    return v / v.sum()


def psnr(a, b):
    return 10 * np.log10(255**2 / np.mean((np.clip(a, 0, 255) - b) ** 2))


def gpufft(samples, *options):
    with tempfile.TemporaryDirectory() as d:
        np.save(d + "/in.npy", samples)
        subprocess.run(["./gpufft", "filter", d + "/in.npy", "--out=" + d + "/out.npy", "--depth=32", "--quiet",
                        *options], check=True)
        return np.load(d + "/out.npy")


def crops(files):
    """Crops with a margin, spread over the photographs; those of flat places are left out."""
    out, full = [], SIZE + 2 * MARGIN
    for f in files:
        p = io.imread(f).astype(float)
        p = p[..., :3] @ [0.2126, 0.7152, 0.0722] if p.ndim == 3 else p
        for y in range(0, p.shape[0] - full + 1, SIZE // 2):
            for x in range(0, p.shape[1] - full + 1, SIZE // 2):
                out.append(p[y:y + full, x:x + full])
    step = max(1, len(out) / MOST)
    return [out[int(i * step)] for i in range(min(MOST, len(out)))]


def theirs(d, psf):
    """Results of each method and parameter."""
    out = {}
    for edges in ("", "mirrored "):
        u = (np.pad(d, MARGIN, mode="symmetric") if edges else d) / 255
        cut = (lambda r: r[MARGIN:-MARGIN, MARGIN:-MARGIN] * 255) if edges else (lambda r: r * 255)
        for balance in (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3):
            out[f"{edges}wiener {balance}"] = cut(restoration.wiener(u, psf, balance, clip=False))
        out[f"{edges}unsupervised"] = cut(restoration.unsupervised_wiener(u, psf, clip=False, rng=1)[0])
        for n in (5, 10, 20, 40):
            out[f"{edges}richardson {n}"] = cut(restoration.richardson_lucy(u, psf, n, clip=False))
    return out


def compare(files):
    rng = np.random.default_rng(1)
    photos, bad = crops(files), 0
    print(f"{len(photos)} photographs; mean PSNR\n{'blur':12} noise blurred  wiener   r-l auto  theirs")
    for blur in BLURS:
        for s in (1, 5, 10):
            psf, rows = psf_of(blur), []
            for p in photos:
                inner = p[MARGIN:-MARGIN, MARGIN:-MARGIN]
                d = convolve(p, psf, mode="mirror")[MARGIN:-MARGIN, MARGIN:-MARGIN]
                d = np.clip(np.rint(d + rng.normal(0, s, d.shape)), 0, 255).astype(np.uint8)
                own = {"wiener": gpufft(d, "--deconvolve=" + blur),
                       "auto": gpufft(d, "--deconvolve=" + blur, "--iterations=auto")}
                row = {name: psnr(v, inner) for name, v in own.items()}
                row["blurred"] = psnr(d, inner)
                row.update({"their " + name: psnr(v, inner) for name, v in theirs(d.astype(float), psf).items()})
                rows.append(row)
            mean = {name: np.mean([r[name] for r in rows]) for name in rows[0]}
            best = max((m, name) for name, m in mean.items() if name.startswith("their "))
            behind = sum(r["wiener"] < r[best[1]] for r in rows)
            bad += mean["wiener"] < best[0]
            print(f"{blur:12} {s:5} {mean['blurred']:7.2f} {mean['wiener']:7.2f} {mean['auto']:10.2f} {best[0]:7.2f} "
                  f"({best[1][6:]}; ours is behind on {behind})", flush=True)
    return bad


def noise(files):
    import json
    rng = np.random.default_rng(2)
    for p in crops(files):
        ratios = []
        for s in (1, 2, 5, 10, 20):
            d = np.clip(np.rint(p + rng.normal(0, s, p.shape)), 0, 255).astype(np.uint8)
            with tempfile.TemporaryDirectory() as t:
                np.save(t + "/in.npy", d)
                said = subprocess.run(["./gpufft", "filter", t + "/in.npy", "--out=" + t + "/out.npy", "--json",
                                       "--deconvolve=gaussian:1"], check=True, capture_output=True).stdout
            ratios.append(json.loads(said)["deconvolved"]["noise"] / s)
        print("  ".join(f"{r:5.2f}" for r in ratios))
    return 0


def race():
    d = np.random.default_rng(3).integers(0, 256, (2048, 2048)).astype(np.uint8)
    psf = psf_of("gaussian:2")
    start, cpu = time.time(), time.process_time()
    restoration.richardson_lucy(d / 255, psf, 20)
    slow, slow_cpu = time.time() - start, time.process_time() - cpu
    spent = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    for edges in ("periodic", "mirror"):
        start, cpu = time.time(), spent()
        gpufft(d, "--deconvolve=gaussian:2", "--iterations=20", "--edges=" + edges)
        took, cpu = time.time() - start, spent() - cpu
        print(f"--edges={edges}: {took:.2f} s, with its files, skimage {slow:.2f} s, ratio {slow / took:.1f}; "
              f"CPU time {cpu:.2f} s, skimage {slow_cpu:.2f} s")
    return 0


if __name__ == "__main__":
    args = sys.argv[1:]
    if args[:1] == ["--time"]:
        sys.exit(race())
    sys.exit(noise(args[1:]) if args[:1] == ["--noise"] else compare(args))
