"""Checks gpufft's MRC against mrcfile: numbers, axes, headers. usage: check_mrc.py GPUFFT"""
import json, os, subprocess, sys, tempfile, warnings
import mrcfile, numpy as np
G = os.path.abspath(sys.argv[1]); os.chdir(tempfile.mkdtemp())
passed = failed = 0
def check(ok, what):
    global passed, failed
    if ok: passed += 1
    else:
        failed += 1; print('failed:', what)
def run(*a):
    r = subprocess.run([G, *a], capture_output=True, text=True)
    return r
r = np.random.default_rng(1)
types = ['i1', 'i2', 'f4', 'c8', 'u2', 'f2']
def data(t, shape):
    if t == 'c8': return (r.standard_normal(shape) + 1j * r.standard_normal(shape)).astype('c8')
    if t[0] == 'f': return (100 * r.standard_normal(shape)).astype(t)
    i = np.iinfo(t); return r.integers(i.min, i.max + 1, shape).astype(t)
n = 0
for t in types:
    for order in '<>':
        for kind in ('image', 'stack', 'volume', 'volumes'):
            for ext in (0, 1024):
                shape = {'image': (20, 31), 'stack': (5, 20, 31), 'volume': (5, 20, 31), 'volumes': (3, 5, 20, 31)}[kind]
                a = data(t, shape); n += 1; name = f'{n}.mrc'
                with mrcfile.new(name, overwrite=True) as m:
                    m.set_data(a)
                    if kind == 'stack': m.set_image_stack()
                    if kind == 'volume': m.set_volume()
                    if kind == 'volumes': m.set_volume() if m.data.ndim == 3 else None
                    m.voxel_size = (1.5, 2.5, 3.5) if kind != 'stack' else (1.5, 2.5, 1)
                    m.header.origin = (1, 2, 3); m.add_label('a label')
                    if ext: m.set_extended_header(np.frombuffer(r.bytes(ext), dtype='V1')); m.header.exttyp = b'AGAR'
                if order == '>':
                    with mrcfile.open(name) as m:
                        h = m.header.astype(m.header.dtype.newbyteorder('>'))
                        d = m.data.astype(m.data.dtype.newbyteorder('>')); e = m.extended_header.tobytes()
                    h['machst'] = [0x11, 0x11, 0, 0]
                    open(name, 'wb').write(h.tobytes() + e + d.tobytes())
                what = f'{t} {order} {kind} {ext}'
                i = run('info', '--json', name); check(i.returncode == 0, what + ' info ' + i.stderr)
                j = json.loads(i.stdout)
                check(j['shape'] == ([15, 20, 31] if kind == 'volumes' else list(shape)), what + ' shape')
                ax = {x['name']: x['spacing'] for x in j['axes']}
                check(abs(ax['x'] - 1.5) < 1e-6 and abs(ax['y'] - 2.5) < 1e-6, what + ' spacing')
                check(('n' in ax) == (kind in ('stack', 'volumes')), what + ' axes')
                if kind == 'volume': check(abs(ax['z'] - 3.5) < 1e-6, what + ' z')
                c = run('fwd', name, '--complex=s.npy'); check(c.returncode == 0, what + c.stderr)
                axes = {'image': (0, 1), 'stack': (1, 2), 'volume': (0, 1, 2), 'volumes': (1, 2, 3)}[kind]
                w = np.fft.fftn(a.astype('c16'), axes=axes).reshape(j['shape'])
                s = np.load('s.npy'); check(abs(s - w).max() < 2e-6 * abs(w).max(), what + ' numbers')
                c = run('inv', 's.npy', '--out=b.mrc'); check(c.returncode == 0, what + ' inv ' + c.stderr)
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter('always')
                    with mrcfile.open('b.mrc') as b, mrcfile.open(name) as o:
                        same = np.array_equal(b.data, o.data) if t[0] in 'iu' else np.allclose(b.data, o.data, rtol=1e-3 if t == 'f2' else 1e-5, atol=1e-3 if t=='f2' else 1e-4)
                        check(same and b.data.dtype == o.data.dtype.newbyteorder('='), what + f' back {b.data.dtype} {b.data.shape} {o.data.shape}')
                        for k in ('ispg', 'nx', 'ny', 'nz', 'mx', 'my', 'mz', 'mode', 'mapc'):
                            check(b.header[k] == o.header[k], what + f' {k}: {b.header[k]} {o.header[k]}')
                        check(abs(b.voxel_size.x - 1.5) < 1e-6 and abs(b.voxel_size.y - 2.5) < 1e-6 and abs(b.voxel_size.z - o.voxel_size.z) < 1e-6, what + f' voxel {b.voxel_size} {o.voxel_size}')
                        check(b.header.origin == o.header.origin and bytes(b.header.label[0]) == bytes(o.header.label[0]), what + ' origin, label')
                        check(b.extended_header.tobytes() == o.extended_header.tobytes(), what + ' extended')
                        if t[0] != 'c' and kind != 'volumes': check(b.header.dmin == b.data.min() and abs(b.header.dmean - b.data.mean(dtype='f8')) < 1e-5 * (1 + abs(b.header.dmean)), what + ' statistics')
                out = open('log', 'w'); ok = mrcfile.validate('b.mrc', print_file=out); out.close()
                check(ok or t in ('c8', 'f2') or kind == 'volumes', what + ' valid: ' + open('log').read()[:200])
                subprocess.run(['gzip', '-kf', name])
                g = run('fwd', name + '.gz', '--complex=g.npy'); check(g.returncode == 0 and np.array_equal(np.load('g.npy'), s), what + ' gz ' + g.stderr)
                f = run('filter', name, '--lowpass=0.3c', '-o', 'f.mrc')
                if t != 'c8': check(f.returncode == 0 and mrcfile.open('f.mrc').data.shape == tuple(j['shape'] if kind!='volumes' else shape), what + ' filter ' + f.stderr)
# four bits
for w in (30, 31):
    a = r.integers(0, 16, (4, 20, w)).astype('u1')
    rows = np.zeros((4, 20, (w + 1) // 2), 'u1'); rows |= a[:, :, 0::2]; rows[:, :, :w // 2] |= a[:, :, 1::2] << 4
    with mrcfile.new('q.mrc', overwrite=True) as m: m.set_data(np.zeros((4, 20, w), 'i1'))
    h = bytearray(open('q.mrc', 'rb').read()[:1024]); h[12:16] = (101).to_bytes(4, 'little'); h[88:92] = (1).to_bytes(4, 'little')
    open('q.mrc', 'wb').write(bytes(h) + rows.tobytes())
    c = run('fwd', 'q.mrc', '--complex=s.npy'); check(c.returncode == 0, c.stderr)
    x = np.fft.fftn(a.astype('f8')); check(abs(np.load('s.npy') - x).max() < 2e-6 * abs(x).max(), 'four bits')
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
