"""Checks gpufft's FITS against astropy: numbers, axes, cards. usage: check_fits.py GPUFFT"""
import json, os, subprocess, sys, tempfile, warnings
import numpy as np
from astropy.io import fits
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
    i = np.iinfo(t); return r.integers(max(i.min, -2**52), min(i.max, 2**52), shape, dtype=t, endpoint=True)
n = 0
for t in ('u1', 'i1', 'i2', 'u2', 'i4', 'u4', 'i8', 'f4', 'f8'):
    for shape in ((50,), (20, 31), (5, 20, 31), (1, 20, 31), (2, 3, 20, 31)):
        for way in ('plain', 'scaled', 'blank', 'extension', 'gz'):
            if way == 'scaled' and t not in ('u1', 'i2', 'i4', 'f4', 'f8'): continue
            if way == 'blank' and t not in ('u1', 'i2', 'i4'): continue
            n += 1; name = f'{n}.fits'; a = data(t, shape)
            what = f'{t} {shape} {way}'
            hdu = fits.PrimaryHDU(a) if way != 'extension' else fits.ImageHDU(a, name='SCI')
            h = hdu.header
            h['CTYPE1'] = 'RA---TAN'; h['CDELT1'] = -0.001; h['CUNIT1'] = 'deg'
            if len(shape) > 1: h['CTYPE2'] = 'DEC--TAN'; h['CDELT2'] = 0.002; h['CUNIT2'] = 'deg'
            if len(shape) > 2: h['CTYPE3'] = 'FREQ'; h['CDELT3'] = 1e6; h['CUNIT3'] = 'Hz'
            h['OBJECT'] = "M 13 'x'"; h['HISTORY'] = 'a history'; h['LONGSTRN'] = 'x' * 100; h['HIERARCH ESO A B'] = 3.5
            lost = None
            if way == 'scaled': h['BSCALE'] = 0.5; h['BZERO'] = 100.
            if way == 'blank': h['BLANK'] = int(a.flat[7])
            hl = fits.HDUList([hdu] if way != 'extension' else [fits.PrimaryHDU(), hdu])
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                if way == 'scaled':   # stored integers, scaled when they are read
                    hdu = fits.PrimaryHDU(a); hdu.header.extend(h, update=True)
                    fits.HDUList([hdu]).writeto(name, overwrite=True)
                    with open(name, 'r+b') as f:
                        b = bytearray(f.read())
                    if b.find(b'BSCALE  =') < 0:
                        hdr = fits.Header.fromstring(bytes(b[:b.find(b'END     ')]).decode()); 
                        text = h.copy()
                        hh = fits.getheader(name); hh['BSCALE'] = 0.5; hh['BZERO'] = 100.
                        raw = a.astype(a.dtype.newbyteorder('>')).tobytes(); raw += bytes(-len(raw) % 2880)
                        open(name, 'wb').write(hh.tostring().encode() + raw)
                else: hl.writeto(name, overwrite=True)
                if way == 'gz': subprocess.run(['gzip', '-f', name]); name += '.gz'
                with fits.open(name) as f: w = next(x for x in f if x.data is not None); want = np.array(w.data); wh = w.header.copy()
            i = run('info', '--json', name); check(i.returncode == 0, what + ' info ' + i.stderr)
            if i.returncode: continue
            j = json.loads(i.stdout)
            ax = {x['name']: x for x in j['axes']}
            check(abs(ax['x']['spacing'] - 3.6) < 1e-9 and ax['x']['unit'] == 'arcsec', what + ' spacing')
            real = np.isfinite(want.astype('f8')); nan = not real.all()
            c = run('fwd', name, '--complex=s.npy', *(['--nan=zero'] if nan else []))
            check(c.returncode == 0, what + ' fwd ' + c.stderr)
            if c.returncode: continue
            sh = [s for s in shape]
            while len(sh) > 2 and sh[0] == 1: sh.pop(0)
            d = np.where(real, want, 0).astype('f8').reshape(sh)
            axes = range(len(sh)) if len(sh) < 3 else range(len(sh) - 2, len(sh))
            sp = np.fft.fftn(d, axes=tuple(axes) if len(sh) < 4 else (0, 2, 3))
            got = np.load('s.npy').reshape(sp.shape)
            check(abs(got - sp).max() < 3e-6 * abs(sp).max(), what + ' numbers')
            c = run('inv', 's.npy', '--out=b.fits'); check(c.returncode == 0, what + ' inv ' + c.stderr)
            if c.returncode: continue
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                with fits.open('b.fits') as f, fits.open(name) as o:
                    f.verify('exception'); b = f[0]; src = next(x for x in o if x.header['NAXIS'] and x.header.get('NAXIS1'))
                    bd = np.array(b.data)
                    if not nan:
                        e = abs(bd.reshape(sh).astype('f8') - d)
                        check((e <= (0 if t in ('u1', 'i1', 'i2', 'u2') and len(sh) < 4 else 1e-6 * abs(d).max())).all(), what + f' back {e.max()}')
                    bits = [fits.getheader(x, k)['BITPIX'] for x, k in (('b.fits', 0), (name, 1 if way == 'extension' else 0))]
                    check(bits[0] == bits[1] or len(sh) == 4, what + f' BITPIX {bits}')
                    for k in ('OBJECT', 'CTYPE1', 'CDELT1', 'LONGSTRN', 'ESO A B', 'HISTORY'):
                        check(str(b.header[k]) == str(wh[k]), what + f' {k}')
            check(os.path.getsize('b.fits') % 2880 == 0, what + ' blocks')
            g = run('filter', name, '--lowpass=0.2c', '-o', 'f.fits', *(['--nan=keep'] if nan else []))
            check(g.returncode == 0, what + ' filter ' + g.stderr)
            if g.returncode == 0:
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore'); 
                    with fits.open('f.fits') as f: f.verify('exception'); check(f[0].header['OBJECT'] == "M 13 'x'", what + ' cards')
# Unsigned and blank 64-bit integers; units and angles that have no unit; boxes written out of order.
for t, blank in (('u8', None), ('i8', None), ('i8', -2**63), ('i8', 3)):
    a = r.integers(0, 2**40, (20, 31)).astype(t); h = fits.PrimaryHDU(a)
    if blank is not None: a[3, 4] = blank; h = fits.PrimaryHDU(a); h.header['BLANK'] = blank
    h.writeto('64.fits', overwrite=True); what = f'{t} with BLANK {blank}'
    c = run('fwd', '64.fits', '--complex=s.npy', '--nan=zero'); check(c.returncode == 0, what + ' ' + c.stderr)
    c = run('inv', 's.npy', '--out=64b.fits'); check(c.returncode == 0, what + ' ' + c.stderr)
    with fits.open('64b.fits') as f:
        f.verify('exception'); check(f[0].header['BITPIX'] == 64 and f[0].header.get('BLANK') == blank, what + ' cards')
        want = a.astype('f8'); want[3, 4] = 0 if blank is not None else want[3, 4]
        check(abs(f[0].data.astype('f8') - want).max() <= 2**40 * 1e-12, what + ' numbers')
for cards, want in (({'CTYPE1': 'RA', 'CDELT1': 0.001}, (3.6, 'arcsec')), ({'CTYPE1': 'HPLN-TAN', 'CDELT1': 2.4, 'CUNIT1': 'arcsec'}, (2.4, 'arcsec')),
                    ({'CDELT1': 2.5, 'CUNIT1': 'Angstrom'}, (2.5, 'A')), ({'CD1_1': 3e-4, 'CD2_1': 4e-4, 'CTYPE1': 'GLON-CAR'}, (1.8, 'arcsec'))):
    h = fits.PrimaryHDU(data('f4', (20, 30))); h.header.update(cards); h.writeto('u.fits', overwrite=True)
    x = json.loads(run('info', '--json', 'u.fits').stdout)['axes'][-1]
    check(abs(x['spacing'] - want[0]) < 1e-9 and x['unit'] == want[1], f'{cards} {x}')
v = data('u2', (24, 40, 50)); fits.PrimaryHDU(v).writeto('v.fits')
for o, more in (('v1.fits', []), ('v2.fits', ['--max-memory=150K', '--scratch=auto'])):
    c = run('filter', 'v.fits', '--lowpass=0.2c', '--out=' + o, *more); check(c.returncode == 0, c.stderr)
check(open('v1.fits', 'rb').read() == open('v2.fits', 'rb').read(), 'boxes')
with fits.open('v2.fits') as f: f.verify('exception'); check(f[0].data.dtype.newbyteorder('=') == np.dtype('u2'), 'u2')
g = fits.GroupsHDU(fits.GroupData(np.ones((3, 4, 5), 'f4'), parnames=['a'], pardata=[np.arange(3)], bitpix=-32))
fits.HDUList([g, fits.ImageHDU(v)]).writeto('g.fits'); j = run('info', '--json', 'g.fits')
check(j.returncode == 0 and json.loads(j.stdout)['shape'] == [24, 40, 50], 'behind random groups ' + j.stderr)
np.save('a.npy', data('f4', (20, 30))); run('filter', 'a.npy', '--pixel=2A', '--lowpass=0.2c', '--out=a.fits')
check(fits.getheader('a.fits')['CUNIT1'] == 'Angstrom', 'Angstrom')
fits.CompImageHDU(data('i2', (50, 60))).writeto('c.fits'); i = run('info', 'c.fits'); check(i.returncode == 1 and 'funpack' in i.stderr, 'compressed ' + i.stderr)
i = run('filter', '1.fits', '--lowpass=3', '-o', 'x.npy'); 
np.save('p.npy', data('f4', (20, 30))); i = run('filter', 'p.npy', '--pixel=2arcsec', '--lowpass=5', '-o', 'n.fits'); check(i.returncode == 0, i.stderr)
h = fits.getheader('n.fits'); check(abs(h['CDELT1'] - 2 / 3600) < 1e-12 and h['CUNIT1'] == 'deg', 'new header')
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
