"""Checks gpufft's Zarr against zarr: numbers, axes, codecs, missing chunks. usage: check_zarr.py GPUFFT"""
import itertools, json, os, shutil, subprocess, sys, tempfile
import numpy as np, zarr, numcodecs
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec, BytesCodec
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
def make(path, version, t, shape, chunks, codec, sep, fill=0, order='<'):
    kw = dict(shape=shape, chunks=chunks, fill_value=fill, zarr_format=version, overwrite=True)
    if version == 2:
        c = {'none': None, 'blosc': numcodecs.Blosc('lz4'), 'zstd': numcodecs.Zstd(3), 'zlib': numcodecs.Zlib(5), 'gzip': numcodecs.GZip(5)}[codec]
        return zarr.create_array(path, dtype=np.dtype(t).newbyteorder(order), compressors=c, chunk_key_encoding={'name': 'v2', 'separator': sep}, **kw)
    c = {'none': None, 'blosc': BloscCodec(cname='zstd'), 'zstd': ZstdCodec(), 'gzip': GzipCodec(), 'zlib': GzipCodec()}[codec]
    return zarr.create_array(path, dtype=t, compressors=c, serializer=BytesCodec(endian='big' if order == '>' and np.dtype(t).itemsize > 1 else 'little'), chunk_key_encoding={'name': 'default', 'separator': sep}, **kw)
def compare(path, want, axes, what):
    c = run('fwd', path, '--complex=s.npy'); check(c.returncode == 0, what + ' fwd ' + c.stderr)
    if c.returncode: return
    w = np.fft.fftn(want.astype('c16'), axes=axes); s = np.load('s.npy').reshape(w.shape)
    check(abs(s - w).max() < 3e-6 * (abs(w).max() + 1), what + f' numbers {abs(s - w).max()}')
n = 0
for version, t, codec, order in itertools.product((2, 3), ('u1', 'i2', 'u2', 'i4', 'f2', 'f4', 'f8', 'i8', 'c8'), ('none', 'blosc', 'zstd', 'gzip', 'zlib'), '<>'):
    if order == '>' and codec != 'none': continue
    shape, chunks = [((20, 31), (7, 10)), ((5, 20, 31), (2, 7, 31)), ((50,), (16,))][n % 3]; n += 1
    a = data(t, shape); name = f'{n}.zarr'; z = make(name, version, t, shape, chunks, codec, './'[n % 2], order=order); z[...] = a
    compare(name, a, tuple(range(a.ndim)), f'{version} {t} {codec} {order} {shape}')
    shutil.rmtree(name)
for version, names, sep in itertools.product((2, 3), ('tczyx', 'czyx', 'tyx', 'zyx', 'cyx', 'yx'), './'):
    shape = tuple({'t': 3, 'c': 2, 'z': 5, 'y': 20, 'x': 31}[k] for k in names); a = data('u2', shape); what = f'{version} {names} {sep}'
    shutil.rmtree('g.ome.zarr', ignore_errors=True); g = zarr.open_group('g.ome.zarr', mode='w', zarr_format=version)
    axes = [{'name': k, 'type': {'t': 'time', 'c': 'channel'}.get(k, 'space'), **({'unit': 'micrometer'} if k in 'zyx' else {'unit': 'second'} if k == 't' else {})} for k in names]
    for lv in (0, 1):
        b = a[..., ::2**lv, ::2**lv]; z = make(f'g.ome.zarr/{lv}', version, 'u2', b.shape, tuple(min(s, 7 if k in 'yx' else 2) for s, k in zip(b.shape, names)), 'blosc', sep); z[...] = b
    m = {'version': '0.4' if version == 2 else '0.5', 'axes': axes, 'datasets': [{'path': str(lv), 'coordinateTransformations': [{'type': 'scale', 'scale': [{'t': 0.1, 'c': 1, 'z': 0.5}.get(k, 0.25 * 2**lv) for k in names]}]} for lv in (1, 0)]}
    if version == 2: g.attrs['multiscales'] = [m]
    else: g.attrs['ome'] = {'version': '0.5', 'multiscales': [m]}
    c = run('info', '--json', 'g.ome.zarr'); check(c.returncode == 0, what + ' info ' + c.stderr)
    if c.returncode: continue
    ax = {x['name']: x for x in json.loads(c.stdout)['axes']}
    check(all(ax[k]['extent'] == s for k, s in zip(names, shape)) and ax['x']['spacing'] == 0.25 and ax['x']['unit'] == 'um', what + f' axes {ax}')
    compare('g.ome.zarr', a, tuple(i for i, k in enumerate(names) if k in 'zyx'), what)
    c = run('info', '--json', 'g.ome.zarr/1'); ax = {x['name']: x for x in json.loads(c.stdout)['axes']}
    check(ax['x']['extent'] == 16 and ax['x']['spacing'] == 0.5 and ax['x']['unit'] == 'um' and list(ax) == list(names), what + f' level {ax}')
    compare('g.ome.zarr/1', a[..., ::2, ::2], tuple(i for i, k in enumerate(names) if k in 'zyx'), what + ' level')
    c = run('filter', 'g.ome.zarr', '--lowpass=2um', '--ome', '-o', 'f.ome.tif'); check(c.returncode == 0, what + ' filter ' + c.stderr)
# Blosc's variants, checksums, names of dimensions, chunks of several times and channels
for cname, shuffle, t in itertools.product(('lz4', 'lz4hc', 'zstd', 'zlib', 'blosclz'), (0, 1, 2), ('u1', 'u2', 'f8')):
    a = data(t, (40, 50)); z = zarr.create_array('v.zarr', shape=a.shape, chunks=(16, 32), dtype=t, zarr_format=2, overwrite=True, fill_value=0, compressors=numcodecs.Blosc(cname, 5, shuffle)); z[...] = a
    compare('v.zarr', a, (0, 1), f'blosc {cname} {shuffle} {t}')
for codecs in ([Crc32cCodec()], [GzipCodec(), Crc32cCodec()], [ZstdCodec(), Crc32cCodec()]):
    a = data('u2', (3, 20, 31)); z = zarr.create_array('v.zarr', shape=a.shape, chunks=(2, 7, 31), dtype='u2', overwrite=True, compressors=codecs, dimension_names=['t', 'y', 'x']); z[...] = a
    compare('v.zarr', a, (1, 2), f'{codecs}')
    f = 'v.zarr/c/0/0/0'; b = bytearray(open(f, 'rb').read()); b[-1] ^= 1; open(f, 'wb').write(b); c = run('fwd', 'v.zarr', '-o', 'x.npy'); check(c.returncode == 1 and 'checksum' in c.stderr, 'sum ' + c.stderr)
for chunks in ((2, 1, 2, 7, 10), (3, 2, 5, 20, 31), (1, 2, 1, 20, 31), (4, 4, 8, 32, 32), (1, 1, 1, 1, 31)):
    a = data('i2', (3, 2, 5, 20, 31)); z = zarr.create_array('v.zarr', shape=a.shape, chunks=chunks, dtype='i2', overwrite=True, dimension_names=list('tczyx')); z[...] = a
    compare('v.zarr', a, (2, 3, 4), f'{chunks}')
    c = run('fwd', 'v.zarr', '--select=t=1:3,c=1', '--dims=2', '--complex=s.npy'); w = np.fft.fft2(a[1:3, 1]); check(c.returncode == 0 and abs(np.load('s.npy').reshape(w.shape) - w).max() < 3e-6 * abs(w).max(), f'{chunks} select ' + c.stderr)
    c = run('fwd', 'v.zarr', '--dims=2', '--max-memory=150K', '--backend=openmp', '--complex=s.npy'); w = np.fft.fft2(a); check(c.returncode == 0 and abs(np.load('s.npy').reshape(w.shape) - w).max() < 3e-6 * abs(w).max() or 'needs' in c.stderr, f'{chunks} memory ' + c.stderr)
z = zarr.create_array('v.zarr', shape=(20, 31), chunks=(7, 10), dtype='c8', overwrite=True, fill_value=1 + 2j); z[:7, :10] = 3j; compare('v.zarr', z[...], (0, 1), 'complex fill')
# missing chunks, fill values, and what is refused
z = make('m.zarr', 2, 'f4', (20, 31), (7, 10), 'zstd', '.', fill=3.5); z[:7, :10] = 1; compare('m.zarr', z[...], (0, 1), 'missing')
z = make('m.zarr', 3, 'u2', (20, 31), (7, 10), 'zstd', '/', fill=9); z[8:, 12:] = 1; compare('m.zarr', z[...], (0, 1), 'missing 3')
z = zarr.create_array('s.zarr', shape=(40, 40), chunks=(10, 10), shards=(20, 20), dtype='u2', overwrite=True); z[...] = 1; c = run('info', 's.zarr'); check(c.returncode == 1 and 'sharding' in c.stderr, 'shards ' + c.stderr)
make('t.zarr', 2, 'u2', (20, 31), (7, 10), 'zlib', '.')[...] = data('u2', (20, 31)); f = 't.zarr/0.0'; b = open(f, 'rb').read()
for k in range(0, len(b), 7): open(f, 'wb').write(b[:k]); c = run('fwd', 't.zarr', '-o', 'x.npy'); check(c.returncode == 1 and c.stderr.count('\n') == 1, f'cut at {k} ' + c.stderr)
c = run('fwd', 't.zarr', '-o', 'out.zarr'); check(c.returncode in (1, 2) and 'zarr' in c.stderr.lower(), 'written ' + c.stderr)
os.mkdir('d'); shutil.copytree('m.zarr', 'd/m.zarr'); np.save('d/p.npy', data('u1', (5, 6))); c = run('fwd', 'd', '-o', 'o_{stem}.npy'); check(c.returncode == 0 and os.path.exists('o_m.npy') and os.path.exists('o_p.npy'), 'folder ' + c.stderr)
c = run('fwd', 'g.ome.zarr', '--dims=2', '--complex=g.ome.zarr/1/s.npy'); check(c.returncode == 2 and 'inputs are never written' in c.stderr and not os.path.exists('g.ome.zarr/1/s.npy'), 'inside ' + c.stderr)
print(f'{passed} passed, {failed} failed')
sys.exit(failed != 0)
