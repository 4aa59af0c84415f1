"""Checks gpufft filter --destripe: 400 ordinary pictures stay as they are, and stripes are removed at least as well as by
pystripe, if it is installed, in four photographs; random rows by 6 dB in each of ten draws.
usage: check_destripe.py GPUFFT [COUNT]     needs numpy, scipy, Pillow, scikit-image (its photographs), perhaps pystripe"""
import io, json, os, subprocess, sys, tempfile
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage as nd
import skimage
G = os.path.abspath(sys.argv[1]); COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 400
os.chdir(tempfile.mkdtemp())
passed = failed = 0
def check(ok, what):
    global passed, failed
    if ok: passed += 1
    else:
        failed += 1; print('failed:', what)
DATA = os.path.join(os.path.dirname(skimage.__file__), 'data')
NAMES = [n for n in ('astronaut.png', 'brick.png', 'camera.png', 'cell.png', 'chelsea.png', 'clock_motion.png', 'coffee.png', 'coins.png',
                     'grass.png', 'gravel.png', 'hubble_deep_field.jpg', 'ihc.png', 'moon.png', 'motorcycle_left.png', 'page.png',
                     'retina.jpg', 'rocket.jpg', 'text.png') if os.path.exists(os.path.join(DATA, n))]
def load(n): return Image.open(os.path.join(DATA, n))
def filter_all(folder, *a):
    out = subprocess.run([G, 'filter', folder, *a, '--json', '--quiet', '--mkdir', '--out=' + folder + '-out/{stem}.png'],
                         capture_output=True, text=True)
    return [json.loads(l) for l in out.stdout.splitlines()]

# ---- ordinary pictures: crops, scaled, darkened, blurred, noisy, saved as JPEG; and drawings with lines of every kind ----
PHOTOS = [np.asarray(load(n).convert('RGB')) for n in NAMES]
def photo(r):
    a = PHOTOS[r.integers(len(PHOTOS))]; s = 1 if r.random() < .5 else r.uniform(.35, 1.6)
    if s != 1:
        a = np.asarray(Image.fromarray(a).resize((max(int(a.shape[1] * s), 130), max(int(a.shape[0] * s), 130)),
                                                 Image.LANCZOS if r.random() < .7 else Image.NEAREST))
    h, w = min(a.shape[0], r.integers(100, 520)), min(a.shape[1], r.integers(100, 520))
    y, x, k = r.integers(a.shape[0] - h + 1), r.integers(a.shape[1] - w + 1), r.random()
    a = a[y:y + h, x:x + w].astype(float)
    if k < .15: return a * r.uniform(.15, .6)
    if k < .3: return (a - 128) * r.uniform(1.2, 3) + 128
    if k < .4: return a + r.normal(0, r.uniform(1, 12), a.shape)
    if k < .5: return nd.gaussian_filter(a, (r.uniform(0, 4), r.uniform(0, 4), 0))
    return nd.uniform_filter1d(a, int(r.integers(3, 40)), axis=int(r.integers(2))) if k < .6 else a
def spaced(r, n, a, b):
    at = 0
    while at < n:
        yield at
        at += int(r.integers(a, b))
def drawing(r):
    h, w = (int(v) for v in r.integers(120, 500, 2)); y, x = np.mgrid[0:h, 0:w].astype(float)
    white, shade = np.full((h, w), 255.), 80 + r.uniform(-60, 60) * y / h + r.uniform(-60, 60) * x / w
    rows = lambda a: np.repeat(a[:, None], w, 1)
    noise = lambda *s: nd.gaussian_filter(r.normal(0, 1, (h, w)), s if len(s) > 1 else s[0])
    def windows():
        for at in spaced(r, h, 1, 40): white[at:] = r.uniform(100, 255)
        for _ in range(30):
            a, b, c, d = r.integers(0, h), r.integers(0, w), r.integers(3, h), r.integers(3, w)
            white[a:a + 1, b:b + d] = white[a:a + c, b:b + 1] = r.uniform(0, 255)
        return white
    def text():
        size = int(r.integers(6, 18)); im = Image.new('L', (w, h), 255); d = ImageDraw.Draw(im); f = ImageFont.load_default(size)
        for at in spaced(r, h, size, size + 3): d.text((-3, at), ''.join(chr(c) for c in r.integers(97, 122, 300)), fill=0, font=f)
        return np.asarray(im).astype(float)
    def floors():
        for at in spaced(r, h, 3, 30): shade[at:at + r.integers(1, 4)] += r.uniform(-50, 50)
        shade[:, :int(w * r.uniform(0, .3))] = 200
        return nd.gaussian_filter(shade, r.uniform(0, 1))
    def bars():
        for at in spaced(r, w, 3, 25): white[int(r.uniform(.1, 1) * h):, at:at + r.integers(1, 12)] = r.uniform(0, 200)
        return white
    def table():
        for at in r.integers(0, h, h // 8): white[at] = r.uniform(0, 180)
        white[:, r.integers(0, w, w // 30)] = 0
        return white
    def brushed(): return shade + noise(0, r.uniform(20, w / 4)) * r.uniform(30, 200)
    def wood(): return 130 + 40 * np.sin((y + noise(30) * r.uniform(0, 200)) / r.uniform(1, 6)) + 10 * noise(0, 15)
    def spectrogram():
        a = 40 * r.random((h, w))
        for at in r.integers(0, h, 12): a[at:at + 2] += r.uniform(30, 200) * (nd.gaussian_filter1d(r.random(w), 10) > .5)
        return a
    def flag():
        n = r.integers(3, 60); a = rows(r.uniform(0, 255, n + 1)[np.arange(h) * n // h]); a[:h // 2, :w // 3] = 60
        return a
    def barcode():
        white[h // 10:-h // 10] = np.repeat(r.integers(0, 2, w) * 255., r.integers(1, 5))[:w]
        return white
    def sea():
        f = rows(np.cumsum(1 / np.linspace(1, 12, h)))
        return 130 + 30 * np.sin(f * r.uniform(1, 6) + noise(2, 20) * r.uniform(0, 60))
    def books():
        a = np.repeat(np.repeat(r.uniform(0, 255, w), r.integers(2, 14))[None, :w], h, 0) + r.normal(0, 4, (h, w))
        a[:r.integers(1, h // 2)] = 30
        return nd.gaussian_filter(a, (0, r.uniform(0, 1.5)))
    def planks(): return shade + rows(np.repeat(r.normal(0, 15, h), r.integers(2, 7))[:h]) + r.normal(0, 2, (h, w))
    def gradient(): return 100 + r.uniform(0, 30) * y / h + r.uniform(0, 3) * np.sin(x / 30)
    def layers():
        at = np.clip(y + noise(15, 40) * r.uniform(20, 600) + 50, 0, 2 * h - 2)
        return nd.map_coordinates(r.uniform(60, 200, 2 * h), [at], order=1)
    def strands(): return 120 + noise(r.uniform(5, 60), .5) * r.uniform(50, 400)
    def gantt():
        for at in spaced(r, h, 2, 12): b = r.integers(0, w // 2); white[at:at + r.integers(1, 8), b:b + r.integers(10, w)] = r.uniform(0, 220)
        return white
    def music():
        for at in range(10, h, 60): white[[min(at + 6 * i, h - 1) for i in range(5)]] = 0
        for a, b in zip(r.integers(0, h, 200), r.integers(0, w, 200)): white[a:a + 5, b:b + 6] = 0
        return white
    def grain(): return 128 + r.normal(0, r.uniform(2, 60), (h, w))
    def circuit():
        a = np.full((h, w), 30.)
        for b, c in zip(r.integers(0, h, 120), r.integers(0, w, 120)):
            if r.random() < .7: a[b:b + r.integers(1, 3), max(0, c - r.integers(5, w)):c] = r.uniform(60, 255)
            else: a[max(0, b - r.integers(5, h)):b, c:c + r.integers(1, 3)] = r.uniform(60, 255)
        return a
    def cells():
        c = int(r.integers(4, 20)); a = r.normal(128, 30, (h // c + 1, w // c + 1)) + r.normal(0, r.uniform(0, 60), (h // c + 1, 1))
        return np.kron(a, np.ones((c, c)))[:h, :w]
    def louvre():
        p = int(r.integers(3, 12)); a = np.where(y.astype(int) % p < r.integers(1, p), 200., 90.)
        for _ in range(r.integers(0, 12)):
            a[((y - r.uniform(0, h)) / r.uniform(5, h / 3)) ** 2 + ((x - r.uniform(0, w)) / r.uniform(5, w / 3)) ** 2 < 1] = r.uniform(0, 255)
        return a
    def clouds():
        f = np.hypot(np.fft.fftfreq(h)[:, None] * r.uniform(.3, 3), np.fft.fftfreq(w)[None]); f[0, 0] = 1
        a = np.fft.ifft2(np.fft.fft2(r.normal(0, 1, (h, w))) / f ** r.uniform(.8, 2)).real
        return 128 + 50 * (a - a.mean()) / a.std()
    def plot():
        for _ in range(6): white[np.clip((np.cumsum(r.normal(0, 2, w)) + r.uniform(0, h)).astype(int), 0, h - 1), np.arange(w)] = 0
        white[::h // 8] = 200
        return white
    kinds = [windows, text, floors, bars, table, brushed, wood, spectrogram, flag, barcode, sea, books, planks, gradient, layers, strands,
             gantt, music, grain, circuit, cells, louvre, clouds, plot]
    kind = kinds[r.integers(len(kinds))]
    a = kind()
    return kind.__name__, a if r.random() < .5 else np.swapaxes(a, 0, 1)
def bytes_of(a): return np.clip(np.round(a), 0, 255).astype(np.uint8)
def save_as_found(r, a, path):
    a = bytes_of(a)
    if r.random() < .4:
        b = io.BytesIO(); Image.fromarray(a).save(b, 'JPEG', quality=int(r.integers(30, 95))); a = np.asarray(Image.open(b))
    if a.ndim == 3 and r.random() < .5: a = np.asarray(Image.fromarray(a).convert('L'))
    Image.fromarray(a).save(path)
os.mkdir('ordinary')
for i in range(COUNT):
    r = np.random.default_rng(i); kind, a = ('photo', photo(r)) if i % 2 == 0 else drawing(r)
    save_as_found(r, a, f'ordinary/{i:04d}-{kind}.png')
changed = [(d['in'], d['stripes']) for d in filter_all('ordinary', '--destripe') if d['stripes']]
print(f'{len(changed)} of {COUNT} ordinary pictures changed')
check(not changed, f'ordinary pictures with stripes: {changed[:9]}')

# ---- stripes ----
try:
    import scipy.fftpack, pywt, tifffile, imageio
    np.float = float; np.int = int # as pystripe 1.2.2 calls them
    from pystripe.core import filter_streaks
except ImportError:
    filter_streaks = None
def psnr(a, b): return 10 * np.log10(255 ** 2 / max(np.mean((a.astype(float) - b) ** 2), 1e-9))
def theirs(a, s):
    """The best of several settings, chosen by the original."""
    best = 0
    for turned in (0, 1):
        for name in ('db2', 'db3', 'db5', 'db10'):
            for sigma in ([64, 64], [128, 256]):
                x = s.T if turned else s
                v = filter_streaks(x, sigma=sigma, level=0, wavelet=name)[:x.shape[0], :x.shape[1]]
                best = max(best, psnr(a, np.clip(v.T if turned else v, 0, 255)))
    return best
os.mkdir('named'); os.mkdir('auto'); made = {}
for n in ('brick', 'camera', 'coins', 'moon'):
    a = np.asarray(load(n + '.png').convert('L')).astype(float); h, w = a.shape; y = np.arange(h)[:, None]
    r = np.random.default_rng(sum(map(ord, n))); dark = bytes_of(a * .5 - 20).astype(float); grainy = bytes_of(a + r.normal(0, 8, a.shape)).astype(float)
    for folder, kind, clean, striped in (
            ('auto', 'rows6', a, a + r.normal(0, 6, (h, 1))), ('auto', 'rows3', a, a + r.normal(0, 3, (h, 1))),
            ('named', 'rows20', a, a + r.normal(0, 20, (h, 1))), ('auto', 'alternate', a, a + 12 * (2 * (y % 2) - 1)),
            ('named', 'dark', dark, dark + 12 * (2 * (y % 2) - 1)), ('auto', 'grainy', grainy, grainy + r.normal(0, 6, (h, 1))),
            ('named', 'few', a, a + r.normal(0, 30, (h, 1)) * (r.random((h, 1)) < .1)),
            ('auto', 'led5', a, a * (1 + .15 * np.sin(2 * np.pi * y * 5 / h + 1))),
            ('auto', 'led12', a, a + 12 * np.sin(2 * np.pi * y * 12 / h + 1)),
            ('named', 'soft', a, a + np.convolve(r.normal(0, 12, h), [.25, .5, .25], 'same')[:, None])):
        made[folder, n, kind] = clean, bytes_of(striped); Image.fromarray(bytes_of(striped)).save(f'{folder}/{n}-{kind}.png')
filter_all('auto', '--destripe'); filter_all('named', '--destripe=90')
for (folder, n, kind), (clean, striped) in made.items():
    before, after = psnr(clean, striped), psnr(clean, np.asarray(Image.open(f'{folder}-out/{n}-{kind}.png')))
    other = theirs(clean, striped) if filter_streaks else 0
    print(f'{n:8} {kind:10} {before:5.1f} dB > {after:5.1f} dB, pystripe {other:5.1f} dB')
    if (n, kind) != ('moon', 'soft'): check(after >= other, f'{n} {kind}: {after:.1f} dB, pystripe {other:.1f} dB')

# ---- ten draws of random rows in each photograph, and what a named angle costs one without stripes ----
os.mkdir('draws'); os.mkdir('clean'); made = {}
for n in NAMES:
    a = np.asarray(load(n).convert('L'))
    if n in ('page.png', 'text.png') or max(a.shape) > 1100: continue
    Image.fromarray(a).save(f'clean/{n[:-4]}.png'); made[n[:-4]] = a, []
    for i in range(10 if n in ('brick.png', 'camera.png', 'coins.png', 'moon.png') else 2):
        striped = bytes_of(a + np.random.default_rng(i).normal(0, 6, (len(a), 1))); made[n[:-4]][1].append(psnr(a, striped))
        Image.fromarray(striped).save(f'draws/{n[:-4]}-{i}.png')
filter_all('draws', '--destripe'); filter_all('clean', '--destripe=90')
for n, (a, before) in made.items():
    gain = [psnr(a, np.asarray(Image.open(f'draws-out/{n}-{i}.png'))) - b for i, b in enumerate(before)]
    cost = psnr(a, np.asarray(Image.open(f'clean-out/{n}.png')))
    print(f'{n:18} random rows: {min(gain):5.1f} to {max(gain):5.1f} dB better; a named angle without stripes: {cost:5.1f} dB')
    check(min(gain) >= 6, f'{n}: {min(gain):.1f} dB'); check(cost > 35, f'{n} without stripes: {cost:.1f} dB')
print(f'{passed} passed, {failed} failed')
sys.exit(failed > 0)
