"""Checks windows and densities against scipy.signal, and slopes on fields of a known power law.
usage: check_psd.py GPUFFT"""
import json, os, subprocess, sys, tempfile
import numpy as np
from scipy import signal
G = os.path.abspath(sys.argv[1]); os.chdir(tempfile.mkdtemp())
passed = failed = 0
def check(ok, what):
    global passed, failed
    if ok: passed += 1
    else:
        failed += 1; print('failed:', what)
def run(*a): return subprocess.run([G, *a], capture_output=True, text=True, check=True).stdout
def stats(x, *a):
    np.save('x.npy', x); return json.loads(run('stats', 'x.npy', '--json', *a))
def near(a, b, bound): return np.max(np.abs(np.asarray(a) - b)) <= bound * np.max(np.abs(b))
WINDOWS = {'none': 'boxcar', 'hann': 'hann', 'hamming': 'hamming', 'blackman': 'blackman',
           'tukey:0.3': ('tukey', 0.3), 'kaiser:8.6': ('kaiser', 8.6)}
r = np.random.default_rng(1)

# fwd: the spectrum of x times scipy's window along each axis.
for shape in ((1,), (2,), (100,), (37, 64), (1, 9), (9, 1), (8, 5, 12)):
    for name, theirs in WINDOWS.items():
        x = r.standard_normal(shape); np.save('x.npy', x); y = x.copy()
        for axis, n in enumerate(shape):
            y = y * signal.get_window(theirs, n).reshape([n if i == axis else 1 for i in range(len(shape))])
        run('fwd', 'x.npy', '--window=' + name, '--complex=s.npy', '--quiet')
        check(near(np.load('s.npy').reshape(shape), np.fft.fftn(y), 1e-13), f'fwd {shape} {name}')

# --edges=smooth: Moisan's periodic component, from the jumps between opposite edges.
for n, m in ((37, 64), (8, 8), (5, 2), (1, 30)):
    x = r.standard_normal((n, m)).cumsum(0).cumsum(1); v = np.zeros((n, m))
    if n > 1: v[0] += x[-1] - x[0]; v[-1] += x[0] - x[-1]
    if m > 1: v[:, 0] += x[:, -1] - x[:, 0]; v[:, -1] += x[:, 0] - x[:, -1]
    below = 2 * np.cos(2 * np.pi * np.fft.fftfreq(n))[:, None] + 2 * np.cos(2 * np.pi * np.fft.fftfreq(m)) - 4
    below[0, 0] = 1
    smooth = np.fft.fft2(v) / below; smooth[0, 0] = 0
    np.save('x.npy', x); run('fwd', 'x.npy', '--edges=smooth', '--complex=s.npy', '--quiet')
    check(near(np.load('s.npy').reshape(n, m), np.fft.fft2(x) - smooth, 1e-12), f'smooth {n}x{m}')

# Lines: scipy's two-sided periodogram and Welch's average, whose bins k and -k are ring k.
def lines(p, n): return np.array([p[0]] + [(p[k] + p[-k]) / 2 for k in range(1, n // 2 + 1)])
for n in (64, 101, 4096):
    for name, theirs in WINDOWS.items():
        x = np.cumsum(r.standard_normal(n)) + 50
        p = signal.periodogram(x, 1, theirs, detrend='constant', return_onesided=False)[1]
        s = stats(x, '--psd', '--window=' + name)
        check(near(s['signals'][0]['radial']['density'], lines(p, n), 1e-12), f'periodogram {n} {name}')
for n, tile, overlap in ((1000, 64, 50), (1000, 63, 50), (999, 100, 75), (640, 64, 0), (64, 64, 50)):
    x = np.cumsum(r.standard_normal(n))
    p = signal.welch(x, 1, 'hann', tile, int(tile * overlap / 100), detrend='constant', return_onesided=False)[1]
    s = stats(x, '--psd', f'--tiles={tile},{overlap}%')
    check(near(s['signals'][0]['radial']['density'], lines(p, tile), 1e-12), f'welch {n} {tile} {overlap}')
x = r.standard_normal(500) + 1j * r.standard_normal(500) + 3 - 2j
p = signal.periodogram(x, 1, 'hann', detrend='constant', return_onesided=False)[1]
check(near(stats(x, '--psd')['signals'][0]['radial']['density'], lines(p, 500), 1e-12), 'complex')

# Pictures and volumes: the same formula in NumPy, over rings; tiles; a pixel's size; the variance.
def density(x, name, cell=1):
    w = np.ones(())
    for n in x.shape: w = np.multiply.outer(w, signal.get_window(WINDOWS[name], n))
    return np.abs(np.fft.fftn(w * (x - x.mean()))) ** 2 * cell / np.sum(w * w)
def rings(p):
    far = 0
    for axis, n in enumerate(p.shape):
        k = np.fft.fftfreq(n, 1 / n) * max(p.shape) / n
        far = far + (k ** 2).reshape([n if i == axis else 1 for i in range(p.ndim)])
    ring = np.floor(np.sqrt(far) + 0.5).astype(int).ravel()
    return np.bincount(ring, p.ravel()) / np.maximum(np.bincount(ring), 1)
for shape in ((48, 64), (33, 21), (64, 5), (1, 40), (6, 20, 17)):
    for name in WINDOWS:
        x = r.standard_normal(shape) * 20 + 100 + np.arange(shape[-1])
        s = stats(x, '--psd', '--window=' + name)
        check(near(s['signals'][0]['radial']['density'], rings(density(x, name)), 1e-11), f'density {shape} {name}')
x = r.standard_normal((100, 90)).cumsum(0)
tiles = [x[i:i + 32, j:j + 32] for i in range(0, 69, 16) for j in range(0, 59, 16)]
s = stats(x, '--psd', '--tiles=32')
check(s['tiles'] == len(tiles), 'number of tiles')
check(near(s['signals'][0]['radial']['density'], np.mean([rings(density(t, 'hann')) for t in tiles], 0), 1e-11), 'tiles')
s = stats(x, '--psd', '--pixel=0.5um', '--window=none')
check(s['density_unit'] == 'unit^2 / (cycle/um)^2', 'unit')
check(near(s['signals'][0]['radial']['density'], rings(density(x, 'none', 0.25)), 1e-11), 'pixel')
radial = s['signals'][0]['radial']
check(abs(np.dot(radial['bins'], radial['density']) / (100 * 90 * 0.25) / x.var() - 1) < 1e-12, 'variance')
s = stats(x.astype('f4'), '--psd')
check(near(s['signals'][0]['radial']['density'], rings(density(x, 'hann')), 1e-5), 'single precision')

# Directions: the energy of the bins in the band by their angle.
s = stats(x, '--psd', '--angular', '--band=0.05,0.3')
fy, fx = np.meshgrid(np.fft.fftfreq(100), np.fft.fftfreq(90), indexing='ij')
inside = (np.hypot(fx, fy) >= 0.05) & (np.hypot(fx, fy) <= 0.3)
angle = (np.rint(np.degrees(np.arctan2(-fy, fx))).astype(int) + 89) % 180
want = np.bincount(angle[inside], density(x, 'hann')[inside], 180)
check(near(s['signals'][0]['angles']['energy'], want / want.sum(), 1e-9), 'directions')

# Fields of a known slope, cut from larger ones, so that they are not periodic. A standard error is exceeded
# twice by one in twenty; rings that a window blurs make it a little more.
for slope, size, ndim in ((-3, 256, 2), (-2, 256, 2), (-3, 1 << 14, 1), (-1, 1 << 14, 1), (-4, 64, 3)):
    exceeded, all_of = 0, []
    for seed in range(20 if ndim < 3 else 5):
        r = np.random.default_rng(seed)
        whole = (3 * size,) * ndim if ndim < 3 else (2 * size,) * ndim
        f = np.sqrt(sum(np.square(g) for g in np.meshgrid(*[np.fft.fftfreq(n) for n in whole], indexing='ij', sparse=True)))
        f.flat[0] = 1
        x = np.fft.ifftn(np.fft.fftn(r.standard_normal(whole)) * f ** (slope / 2)).real[(slice(0, size),) * ndim]
        fit = stats(x.astype('f4'), '--psd')['signals'][0]['slope']
        exceeded += abs(fit['value'] - slope) > 2 * fit['error']
        all_of.append(fit['value'])
    bias, error = np.mean(all_of) - slope, np.std(all_of) / np.sqrt(len(all_of))
    print(f'slope {slope} of {ndim} axes: {np.mean(all_of):.4f} +- {np.std(all_of):.4f}, standard error {fit["error"]:.4f}, '
          f'{exceeded} of {len(all_of)} beyond two')
    check(exceeded <= 1 + len(all_of) // 10, f'slope {slope}, {ndim} axes: {exceeded} beyond two standard errors')
    check(abs(bias) < 3 * error + 0.01, f'slope {slope}, {ndim} axes: bias {bias:.4f}')
print(f'{passed} passed, {failed} failed'); sys.exit(failed > 0)
