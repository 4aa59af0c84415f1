"""Checks gpufft's NIfTI against nibabel: numbers, axes, headers. usage: check_nifti.py GPUFFT"""
import json, os, subprocess, sys, tempfile, warnings
import numpy as np, nibabel as nib
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
    if t[0] == 'c': return (r.standard_normal(shape) + 1j * r.standard_normal(shape)).astype(t)
    if t[0] == 'f': return (100 * r.standard_normal(shape)).astype(t)
    i = np.iinfo(t); return r.integers(max(i.min, -2**52), min(i.max, 2**52), shape, dtype=t, endpoint=True)
n = 0
for t in ('u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f4', 'f8', 'c8', 'c16'):
    for shape in ((31, 20, 5), (31, 20), (31, 20, 5, 3), (31, 20, 1, 4)):
        for way in ('1', '2', '1big', '2big', 'scaled', 'gz', 'pair', 'ext'):
            if way == 'scaled' and t not in ('u1', 'i2', 'i4', 'f4'): continue
            if way not in ('1', '2', 'scaled') and t not in ('i2', 'f4', 'c8', 'i8'): continue
            n += 1; what = f'{t} {shape} {way}'; a = data(t, shape)
            cls = nib.Nifti2Image if way.startswith('2') else nib.Nifti1Pair if way == 'pair' else nib.Nifti1Image
            hc = cls.header_class(endianness='>') if 'big' in way else cls.header_class()
            hc.set_data_dtype(a.dtype)
            im = cls(a, np.diag([2, 3, 4, 1]).astype(float), hc, dtype=a.dtype)
            im.header.set_xyzt_units('mm', 'sec'); im.header['descrip'] = b'a description'
            z = [2, 3, 4, 1.5][:len(shape)]; im.header.set_zooms(z)
            if way == 'ext': im.header.extensions.append(nib.nifti1.Nifti1Extension('comment', b'an extension of some text'))
            if way == 'scaled': im.header.set_slope_inter(0.5, 10)
            name = f'{n}.' + ('hdr' if way == 'pair' else 'nii.gz' if way == 'gz' else 'nii')
            if way == 'scaled':
                nib.save(im, name); o = nib.load(name); b = bytearray(open(name, 'rb').read()); off = int(o.dataobj.offset)
                import struct
                b[112:120] = struct.pack('<ff', 0.5, 10); b[off:] = a.tobytes(order='F'); open(name, 'wb').write(b)
            else: nib.save(im, name)
            o = nib.load(name); want = np.asanyarray(o.dataobj)
            i = run('info', '--json', name); check(i.returncode == 0, what + ' info ' + i.stderr)
            if i.returncode: continue
            j = json.loads(i.stdout); ax = {x['name']: x for x in j['axes']}
            check(ax['x']['spacing'] == 2 and ax['y']['spacing'] == 3 and ax['x']['unit'] == 'mm' and (len(shape) < 3 or shape[2] == 1 or ax['z']['spacing'] == 4), what + ' spacing')
            check(len(shape) < 4 or (ax['t']['spacing'] == 1.5 and ax['t']['unit'] == 's'), what + ' time')
            c = run('fwd', name, '--complex=s.npy'); check(c.returncode == 0, what + ' fwd ' + c.stderr)
            if c.returncode: continue
            v = want.astype('c16').T; axes = range(v.ndim) if v.ndim < 4 else (range(1, 4) if shape[2] > 1 else range(2, 4))
            sp = np.fft.fftn(v, axes=tuple(axes)); got = np.load('s.npy').reshape(sp.shape)
            check(abs(got - sp).max() < 3e-6 * abs(sp).max(), what + ' numbers')
            c = run('inv', 's.npy', '--out=b.nii'); check(c.returncode == 0, what + ' inv ' + c.stderr)
            if c.returncode: continue
            b = nib.load('b.nii'); bd = np.asanyarray(b.dataobj)
            check(bd.shape == want.shape, what + f' shape {bd.shape} {want.shape}')
            if bd.shape != want.shape: continue
            exact = t in ('u1', 'i1', 'u2', 'i2')
            check((abs(bd.astype('c16') - want) <= (1e-5 if way == 'scaled' else 0) + (0 if exact else 2e-6 * abs(want).max())).all(), what + ' back')
            check(b.header.get_data_dtype().newbyteorder('=') == o.header.get_data_dtype().newbyteorder('=') or len(shape) == 4 and way == 'scaled', what + f' type {b.header.get_data_dtype()}')
            check(np.allclose(b.affine, o.affine) and b.header['descrip'] == o.header['descrip'] and b.header.get_xyzt_units() == o.header.get_xyzt_units() and np.allclose(b.header.get_zooms(), o.header.get_zooms()), what + f' header {b.header.get_zooms()} {o.header.get_zooms()} {b.affine.tolist()} {b.header["descrip"]} {b.header.get_xyzt_units()}')
            if way == 'ext': check(b.header.extensions[0].get_content() == o.header.extensions[0].get_content(), what + ' extension')
            if t[0] != 'c':
                for suffix in ('nii', 'nii.gz'):
                    g = run('filter', name, '--lowpass=0.3c', '-o', 'f.' + suffix); check(g.returncode == 0, what + ' filter ' + g.stderr)
                    if g.returncode == 0: f = nib.load('f.' + suffix); check(f.shape == want.shape and np.allclose(f.affine, o.affine) and np.isfinite(f.get_fdata()).all(), what + f' filtered {suffix} {f.shape}')
rgb = np.zeros((31, 20, 5), dtype=[('R', 'u1'), ('G', 'u1'), ('B', 'u1')])
for k in 'RGB': rgb[k] = r.integers(0, 256, rgb.shape)
nib.save(nib.Nifti1Image(rgb, np.eye(4)), 'rgb.nii'); c = run('fwd', 'rgb.nii', '--complex=s.npy')
w = np.fft.fftn(np.stack([rgb[k] for k in 'RGB'], -1).astype('f8').transpose(2, 1, 0, 3), axes=(0, 1, 2)); check(abs(np.load('s.npy') - w).max() < 3e-6 * abs(w).max(), 'rgb')
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
