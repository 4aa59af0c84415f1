"""Checks gpufft's TIFF stacks against tifffile: ImageJ and OME, axes, spacing. usage: check_tiff.py GPUFFT"""
import itertools, json, os, subprocess, sys, tempfile, xml.etree.ElementTree as ET
import numpy as np, tifffile
G = os.path.abspath(sys.argv[1]); os.chdir(tempfile.mkdtemp())
passed = failed = 0
def check(ok, what):
    global passed, failed
    if ok: passed += 1
    else:
        failed += 1; print('failed:', what)
def run(*a): return subprocess.run([G, *a], capture_output=True, text=True)
r = np.random.default_rng(1)
def data(t, shape):
    if t[0] == 'f': return (100 * r.standard_normal(shape)).astype(t)
    i = np.iinfo(t); return r.integers(i.min, i.max, shape, dtype=t, endpoint=True)
def transform(a, axes):
    n = tuple(i for i, k in enumerate(axes) if k in 'ZYX')
    return np.fft.fftn(a.astype('f8'), axes=n)
def series(name):
    with tifffile.TiffFile(name) as f: s = f.series[0]; return s.axes, s.asarray(), f.is_imagej, f.is_ome, f.pages[0].description
cases = [('ij', t, axes, shape) for t in ('u1', 'u2', 'f4') for axes, shape in (('ZYX', (5, 20, 31)), ('TZCYX', (3, 4, 2, 20, 31)), ('TYX', (3, 20, 31)), ('CYX', (2, 20, 31)), ('TCYX', (3, 2, 20, 31)), ('ZCYX', (4, 2, 20, 31)), ('TZYX', (3, 4, 20, 31)), ('YX', (20, 31)))]
cases += [('ome', t, ''.join(p) + 'YX', tuple({'T': 3, 'Z': 4, 'C': 2}[k] for k in p) + (20, 31)) for t in ('u1', 'u2', 'i2', 'f4', 'f8', 'i4') for n in (1, 2, 3) for p in itertools.permutations('TZC', n)]
for kind, t, axes, shape in cases:
    a = data(t, shape); what = f'{kind} {t} {axes}'; name = 'a.ome.tif' if kind == 'ome' else 'a.tif'
    if kind == 'ij': tifffile.imwrite(name, a, imagej=True, resolution=(5., 4.), metadata={'axes': axes, 'spacing': 0.5, 'unit': 'um', 'finterval': 0.1}, byteorder='>' if t == 'u2' else '<')
    else: tifffile.imwrite(name, a, metadata={'axes': axes, 'PhysicalSizeX': 0.2, 'PhysicalSizeXUnit': 'µm', 'PhysicalSizeY': 0.25, 'PhysicalSizeYUnit': 'µm', 'PhysicalSizeZ': 0.5, 'TimeIncrement': 0.1}, compression='zlib' if t == 'i2' else None)
    c = run('info', '--json', name); check(c.returncode == 0, what + ' info ' + c.stderr)
    j = json.loads(c.stdout); ax = {x['name']: x for x in j['axes'] or []}
    check('x' in ax and abs(ax['x']['spacing'] - 0.2) < 1e-6 and abs(ax['y']['spacing'] - 0.25) < 1e-6 and ax['x']['unit'] == 'um', what + f' spacing {ax.get("x")}')
    check(all(ax[k.lower()]['extent'] == n for k, n in zip(axes, shape)), what + ' extents')
    c = run('fwd', name, '--complex=s.npy'); check(c.returncode == 0, what + ' fwd ' + c.stderr)
    if c.returncode: continue
    w = transform(a, axes); s = np.load('s.npy'); check(abs(s.reshape(w.shape) - w).max() < 3e-6 * abs(w).max(), what + ' numbers')
    out = 'b.ome.tif' if kind == 'ome' else 'b.tif'
    c = run('inv', 's.npy', '--out=' + out); check(c.returncode == 0, what + ' inv ' + c.stderr)
    if c.returncode: continue
    bx, b, ij, ome, text = series(out)
    check(bx.replace('S', '') == series(name)[0] and b.shape == series(name)[1].shape and (ij if kind == 'ij' else ome), what + f' axes {bx} {b.shape} {ij} {ome}')
    check(b.dtype == a.dtype and (np.array_equal(b, a) if t in ('u1', 'u2', 'i2') else np.allclose(b, a, rtol=1e-5, atol=1e-3)), what + ' back')
    c = run('filter', name, '--lowpass=0.2c', '--out=f' + out); check(c.returncode == 0, what + ' filter ' + c.stderr)
    fx, f, ij, ome, text = series('f' + out); check(fx == bx and (ij if kind == 'ij' else ome), what + f' filtered {fx}')
    if kind == 'ome': check('PhysicalSizeX="0.2"' in text and ET.fromstring(text.encode()) is not None, what + ' xml')
    else: check('unit=' in text and (abs(tifffile.TiffFile('f' + out).pages[0].tags['XResolution'].value[0] / tifffile.TiffFile('f' + out).pages[0].tags['XResolution'].value[1] - 5) < 1e-4), what + ' unit')
    c = run('filter', name, '--lowpass=0.2c', '--ome', '--out=o.ome.tif'); check(c.returncode == 0, what + ' --ome ' + c.stderr)
    if c.returncode == 0: ox, o, ij, ome, text = series('o.ome.tif'); check(ome and ox == fx and np.array_equal(o, f) and ET.fromstring(text.encode()) is not None, what + f' ome {ox} {fx} {ome}')
    if 'C' in axes:
        c = run('filter', name, '--select=c=1', '--lowpass=0.2c', '--out=c.tif'); check(c.returncode == 0, what + ' select ' + c.stderr)
        cx, d, *_ = series('c.tif'); check(d.size == a.size // a.shape[axes.index('C')], what + ' selected')
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
