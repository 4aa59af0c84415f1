"""Makes scipy.fft's own tests test gpufft: `pytest -p scipy_plugin --pyargs scipy.fft.tests …`.

Tests of what gpufft does not offer are skipped: scipy_skips.txt has parts of their names, with the reasons.
Any other test in which SciPy has to transform fails."""

import functools
import multiprocessing
import pathlib

import gpufft
import pytest
import scipy.fft
import scipy.fft._pocketfft as pocketfft

missed = set()
skips = [line.split(": ", 1) for line in
         (pathlib.Path(__file__).parent / "scipy_skips.txt").read_text().splitlines()]


def instead(name, original):
    """In SciPy's module, for tests that call it directly and as the backend that comes last."""

    @functools.wraps(original)
    def function(*args, **kwargs):
        try:
            if name in gpufft._fft.functions and kwargs.get("plan") is None:
                return getattr(gpufft, name)(*args, **kwargs)
        except NotImplementedError:
            pass
        if kwargs.get("plan") is None:
            missed.add(name)
        return original(*args, **kwargs)

    return function


gpufft.use(backend="openmp")
for name in (*(prefix + n for prefix in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for n in ("", "2", "n")),
             "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"):
    if hasattr(pocketfft, name):  # those for two axes are not in every version
        setattr(pocketfft, name, instead(name, getattr(pocketfft, name)))
scipy.fft.register_backend("scipy")
scipy.fft.set_global_backend(gpufft)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    for part, reason in skips:
        if part in pyfuncitem.nodeid:
            pytest.skip(reason)
    multiprocessing.set_start_method("fork", force=True)  # SciPy's choice, a server, would not have the backend
    missed.clear()
    arguments = pyfuncitem.funcargs
    pyfuncitem.obj(**{a: arguments[a] for a in pyfuncitem._fixtureinfo.argnames})
    assert not missed, f"SciPy ran {', '.join(sorted(missed))}"
    return True
