"""Makes PyWavelets' own tests test gpufft: `pytest -p pywt_plugin FILE…` of pywt/tests.

gpufft does dwt2, idwt2 and wavedec of what it offers, PyWavelets all else, also for other wavelets and modes. Most of
its tests name the Haar wavelet without need: they run with db2. pywt_skips.txt has names of the others, with the
reasons: they fail with db2 in PyWavelets, too. Tests that call none of the three are skipped."""

import functools
import pathlib
import types

import gpufft
import pytest
import pywt

OFFERED = {"symmetric", "zero", "periodization"}
calls = []
skips = dict(line.split(": ", 1) for line in
             (pathlib.Path(__file__).parent / "pywt_skips.txt").read_text().splitlines())


def is_offered(wavelet, mode):
    if isinstance(wavelet, (tuple, list)) or isinstance(mode, (tuple, list)):
        return False
    return getattr(wavelet, "name", wavelet) == "db2" and getattr(mode, "name", mode) in OFFERED


def instead(name, original):
    @functools.wraps(original)
    def function(data, wavelet, mode="symmetric", *args, **kwargs):
        if not is_offered(wavelet, mode):
            return original(data, wavelet, mode, *args, **kwargs)
        calls.append(name)
        return getattr(gpufft, name)(data, wavelet, mode, *args, **kwargs)

    return function


gpufft.use(backend="openmp")
for name in ("dwt2", "idwt2", "wavedec"):
    function = instead(name, getattr(pywt, name))
    for module in (pywt, pywt._multilevel, pywt._mra):
        if hasattr(module, name):
            setattr(module, name, function)


def with_db2(code):
    """The code with db2 where it names Haar's wavelet."""
    return code.replace(co_consts=tuple(
        with_db2(c) if isinstance(c, types.CodeType) else "db2" if c in ("haar", "db1") else c
        for c in code.co_consts))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    test, arguments = pyfuncitem.obj, pyfuncitem.funcargs
    if pyfuncitem.originalname in skips:
        pytest.skip(skips[pyfuncitem.originalname])
    calls.clear()
    changed = types.FunctionType(with_db2(test.__code__), test.__globals__, test.__name__,
                                 test.__defaults__, test.__closure__)
    try:
        changed(**{a: arguments[a] for a in pyfuncitem._fixtureinfo.argnames})
    except Exception:
        if calls:
            raise
    if not calls:
        pytest.skip("PyWavelets alone")
    return True
