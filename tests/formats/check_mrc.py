"""Checks gpufft's MRC against mrcfile: numbers, axes, headers. usage: check_mrc.py GPUFFT"""
import gzip, json, os, struct, subprocess, sys, tempfile, warnings
import mrcfile, numpy as np
G = os.path.abspath(sys.argv[1]); os.chdir(tempfile.mkdtemp())
passed = failed = 0
def check(ok, what):
    global passed, failed
    if ok: passed += 1
    else:
        failed += 1; print('failed:', what)
def run(*a, **k):
    r = subprocess.run([G, *a], capture_output=True, **k)
    check(r.returncode == 0, f'{a} {r.stderr}')
    return r
def info(name): return json.loads(run('info', '--json', name).stdout)
def spacing(name): return {x['name']: (x['extent'], round(x['spacing'] or 0, 5)) for x in info(name)['axes']}
def valid(name):
    with open('log', 'w') as log: ok = mrcfile.validate(name, print_file=log)
    check(ok, f'{name} is not valid: ' + open('log').read()[:300])
def load(name):
    with mrcfile.open(name) as m: return m.data.copy(), m.header.copy()
r = np.random.default_rng(1)
def data(t, shape):
    if t == 'c8': return (r.standard_normal(shape) + 1j * r.standard_normal(shape)).astype('c8')
    # in float16 numpy's standard deviation, with which mrcfile checks, overflows soon
    if t[0] == 'f': return ((1 if t == 'f2' else 100) * r.standard_normal(shape)).astype(t)
    i = np.iinfo(t); return r.integers(i.min, i.max + 1, shape).astype(t)
def new(name, a, kind, ext=0, order='<'):
    with mrcfile.new(name, overwrite=True) as m:
        m.set_data(a)
        if kind == 'stack': m.set_image_stack()
        if kind == 'volume': m.set_volume()
        m.voxel_size = (1.5, 2.5, 3.5) if kind != 'stack' else (1.5, 2.5, 1)
        m.header.origin = (1, 2, 3); m.add_label('a label')
        if ext: m.set_extended_header(np.frombuffer(r.bytes(ext), dtype='V1')); m.header.exttyp = b'AGAR'
    if order == '>':
        with mrcfile.open(name) as m:
            h = m.header.astype(m.header.dtype.newbyteorder('>'))
            d = m.data.astype(m.data.dtype.newbyteorder('>')); e = m.extended_header.tobytes()
        h['machst'] = [0x11, 0x11, 0, 0]
        open(name, 'wb').write(h.tobytes() + e + d.tobytes())
def patch(name, out, *fields):
    h = bytearray(open(name, 'rb').read())
    for at, form, *v in fields: struct.pack_into('<' + form, h, at, *v)
    open(out, 'wb').write(h)

# Every type, byte order and kind: read, transformed, restored, filtered, in gzip.
shapes = {'image': (20, 31), 'stack': (5, 20, 31), 'volume': (5, 20, 31), 'volumes': (3, 5, 20, 31)}
n = 0
for t in ['i1', 'i2', 'f4', 'c8', 'u2', 'f2']:
    for order in '<>':
        for kind, shape in shapes.items():
            for ext in (0, 1024):
                a = data(t, shape); n += 1; name = f'{n}.mrc'; what = f'{t} {order} {kind} {ext}'
                new(name, a, kind, ext, order)
                j = info(name)
                check(j['shape'] == ([15, 20, 31] if kind == 'volumes' else list(shape)), what + ' shape')
                want = {'x': (31, 1.5), 'y': (20, 2.5)}
                if kind in ('volume', 'volumes'): want['z'] = (5, 3.5)
                if kind in ('stack', 'volumes'): want['n'] = (shape[0], 0)
                check(spacing(name) == want, what + f' {spacing(name)}')
                run('fwd', name, '--complex=s.npy')
                axes = {'image': (0, 1), 'stack': (1, 2), 'volume': (0, 1, 2), 'volumes': (1, 2, 3)}[kind]
                w = np.fft.fftn(a.astype('c16'), axes=axes).reshape(j['shape'])
                s = np.load('s.npy'); check(abs(s - w).max() < 2e-6 * abs(w).max(), what + ' numbers')
                run('inv', 's.npy', '--out=b.mrc'); valid('b.mrc')
                b, h = load('b.mrc'); o, was = load(name)
                tolerance = {'f2': 1e-3, 'f4': 1e-4, 'c8': 1e-5}.get(t, 0)
                check(b.dtype == o.dtype.newbyteorder('=') and b.shape == o.shape and np.allclose(b, o, rtol=tolerance, atol=tolerance), what + ' back')
                for k in ('ispg', 'nx', 'ny', 'nz', 'mx', 'my', 'mz', 'mode', 'mapc', 'origin', 'cella', 'cellb', 'nlabl', 'exttyp'):
                    check(h[k] == was[k], what + f' {k}: {h[k]} {was[k]}')
                check(bytes(h.label[0]) == bytes(was.label[0]), what + ' label')
                check(mrcfile.open('b.mrc').extended_header.tobytes() == mrcfile.open(name).extended_header.tobytes(), what + ' extended')
                if t != 'c8':
                    check(h.dmin == b.min() and h.dmax == b.max(), what + ' extremes')
                    check(np.isclose(h.rms, b.std(dtype='f8'), rtol=1e-3) and abs(h.dmean - b.mean(dtype='f8')) < 1e-3 * h.rms, what + ' statistics')
                    run('filter', name, '--lowpass=0.3c', '-o', 'f.mrc'); valid('f.mrc')
                    check(load('f.mrc')[0].shape == shape, what + ' filter')
                with gzip.open(name + '.gz', 'wb') as z: z.write(open(name, 'rb').read())
                run('fwd', name + '.gz', '--complex=g.npy')
                check(np.array_equal(np.load('g.npy'), s), what + ' gz')

# Stored axes in another order keep their spacing.
a = data('f4', (6, 20, 31)); new('v.mrc', a, 'volume')
for c, b, s in ((3, 1, 2), (2, 1, 3), (1, 3, 2), (3, 2, 1), (2, 3, 1)):
    count = [0] * 3; cell = [0.] * 3; step = (1.5, 2.5, 3.5)
    for axis, m in ((c, 31), (b, 20), (s, 6)): count[axis - 1] = m; cell[axis - 1] = m * step[axis - 1]
    patch('v.mrc', 'p.mrc', (64, '3i', c, b, s), (28, '3i', *count), (40, '3f', *cell))
    want = {'xyz'[axis - 1]: (m, step[axis - 1]) for axis, m in ((c, 31), (b, 20), (s, 6))}
    check(spacing('p.mrc') == want, f'{c}{b}{s} {spacing("p.mrc")}')
    run('filter', 'p.mrc', '--lowpass=0.2c', '-o', 'f.mrc'); valid('f.mrc')
    check(spacing('f.mrc') == want and (load('f.mrc')[1].mapc, load('f.mrc')[1].maps) == (c, s), f'{c}{b}{s} written')

# IMOD's unsigned bytes; a wrong machine stamp; bytes behind the samples.
u = r.integers(0, 256, (6, 20, 31)).astype('u1'); new('i.mrc', u.view('i1'), 'volume')
patch('i.mrc', 'i.mrc', (152, 'i', 1146047817))
run('fwd', 'i.mrc', '--complex=s.npy'); w = np.fft.fftn(u.astype('f8'))
check(abs(np.load('s.npy') - w).max() < 2e-6 * abs(w).max(), 'unsigned bytes')
patch('v.mrc', 'p.mrc', (212, '4B', 0x11, 0x11, 0, 0)); open('p.mrc', 'ab').write(b'more')
run('fwd', 'p.mrc', '--complex=s.npy'); w = np.fft.fftn(a.astype('f8'))
check(abs(np.load('s.npy') - w).max() < 2e-6 * abs(w).max(), 'a wrong stamp')

# Spectra and coefficients as MRC, with their record; pipes; volumes larger than memory.
run('fwd', 'v.mrc', '--complex=c.mrc'); valid('c.mrc'); run('inv', 'c.mrc', '-o', 'b.mrc'); valid('b.mrc')
check(np.allclose(load('b.mrc')[0], a, atol=1e-3) and spacing('b.mrc') == spacing('v.mrc'), 'spectrum')
run('fwd', 'v.mrc', '-o', 'm.mrc'); valid('m.mrc'); check(load('m.mrc')[1].rms > 0, 'magnitude')
run('dwt', 'v.mrc', '-o', 'w.mrc'); valid('w.mrc'); run('idwt', 'w.mrc', '-o', 'b.mrc'); valid('b.mrc')
check(np.allclose(load('b.mrc')[0], a, atol=1e-3) and load('w.mrc')[1].rms > 0, 'coefficients')
run('filter', 'v.mrc', '--lowpass=0.2c', '-o', 'f.mrc')
open('q.mrc', 'wb').write(run('filter', 'v.mrc', '--lowpass=0.2c', '-o', 'mrc:-').stdout); valid('q.mrc')
check(np.array_equal(load('q.mrc')[0], load('f.mrc')[0]), 'pipe')
big = data('f4', (64, 96, 96)); new('big.mrc', big, 'volume')
run('fwd', 'big.mrc', '--complex=c.mrc', '--max-memory=4M', '--scratch=auto'); valid('c.mrc')
w = np.fft.fftn(big.astype('f8')); check(abs(load('c.mrc')[0] - w).max() < 2e-6 * abs(w).max(), 'larger than memory')
run('inv', 'c.mrc', '-o', 'b.mrc', '--max-memory=4M', '--scratch=auto'); valid('b.mrc')
check(np.allclose(load('b.mrc')[0], big, atol=1e-3), 'back, larger than memory')

# From other files: a new header. NaN leave the statistics open.
for t, kind in (('u1', '3'), ('i2', '3'), ('f4', '2'), ('c8', '3')):
    a = data(t, (4, 20, 31) if kind == '3' else (20, 31)); np.save('a.npy', a)
    run('fwd', 'a.npy', '--complex=s.npy'); run('inv', 's.npy', '-o', 'b.mrc'); valid('b.mrc')
    b, h = load('b.mrc')
    check(h.ispg == (1 if kind == '3' else 0) and h.mz == (4 if kind == '3' else 1) and bytes(h.label[0]).strip() == b'gpufft', f'new {t} {h.ispg} {h.mz}')
    check(np.allclose(b, a, atol=1e-3), f'new {t}')
a = data('f4', (20, 31)); a[3, 4] = np.nan; np.save('a.npy', a)
run('filter', 'a.npy', '--lowpass=0.2c', '--nan=keep', '-o', 'b.mrc'); valid('b.mrc')
check(np.isnan(load('b.mrc')[0]).sum() == 1, 'NaN')

# Four bits.
for w in (30, 31):
    a = r.integers(0, 16, (4, 20, w)).astype('u1')
    rows = np.zeros((4, 20, (w + 1) // 2), 'u1'); rows |= a[:, :, 0::2]; rows[:, :, :w // 2] |= a[:, :, 1::2] << 4
    new('q.mrc', np.zeros((4, 20, w), 'i1'), 'volume'); patch('q.mrc', 'q.mrc', (12, 'i', 101))
    h = open('q.mrc', 'rb').read()[:1024]; open('q.mrc', 'wb').write(h + rows.tobytes())
    run('fwd', 'q.mrc', '--complex=s.npy')
    x = np.fft.fftn(a.astype('f8')); check(abs(np.load('s.npy') - x).max() < 2e-6 * abs(x).max(), 'four bits')
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
