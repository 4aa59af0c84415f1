"""libgpufft through ctypes: open libraries, plans and runs, as core/api/gpufft.h has them."""

import ctypes
import os
import signal
import threading

MAX_RANK, MAX_AXES = 8, 3
FORWARD, INVERSE = 0, 1
TYPES = {"u1": 0, "i1": 1, "u2": 2, "i2": 3, "u4": 4, "i4": 5, "f4": 6, "f8": 7, "c8": 8, "c16": 9}
_FAILURES = {-1: ValueError, -2: ValueError, -3: OSError, -4: MemoryError, -6: ValueError, -7: NotImplementedError}


class Error(RuntimeError):
    """A failure of the library that no other exception fits, such as a device that was lost."""


pointer, integer, text, long = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int64
extents = long * MAX_RANK
reference = ctypes.POINTER(pointer)


def struct(**members):
    """A struct of the header, which begins with its size."""

    class Struct(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), *members.items()]

        def __init__(self, **values):
            super().__init__(ctypes.sizeof(self), **values)

    return Struct


_TICK = ctypes.CFUNCTYPE(integer, pointer, ctypes.c_double)
Transform = struct(direction=integer, in_type=integer, out_type=integer, rank=integer, shape=extents, n_axes=integer,
                   axes=integer * MAX_AXES, half=integer, norm=integer, in_stride=extents, out_stride=extents,
                   in_place=integer, on_device=integer, runs=long)
Options = struct(backend=text, device=text, threads=integer, untuned=integer, memory=long, cache_folder=text,
                 log=pointer, tick=_TICK, user=pointer)
Description = struct(backend=text, why=text, n_passes=integer, n_calls=long, bytes=long, workspace=long, device=long)


def _load():
    name = "libgpufft.so.0"
    here = os.path.dirname(os.path.abspath(__file__))
    # In a wheel the library is beside the module; after "make install" in lib, three folders above.
    installed = (os.path.join(here, *up, name) for up in ((), ("..", "..", "..")))
    return ctypes.CDLL(next(filter(os.path.exists, installed), name))


_lib = _load()


def fail(rc):
    """Raises the exception of a negative code, with the library's message."""
    raise _FAILURES.get(rc, Error)(_message().decode("utf-8", "replace"))


def code(rc):
    """The type of a result that is a code: negative ones are raised."""
    return rc if rc >= 0 else fail(rc)


def bind(name, result, *arguments):
    """A function of the library with the types of its result and its arguments."""
    f = getattr(_lib, "gpufft_" + name)
    f.restype, f.argtypes = result, arguments
    return f


_message, _version = bind("message", text), bind("version", text)
_open, _close = bind("open", code, ctypes.POINTER(Options), reference), bind("close", None, pointer)
_plan = bind("plan_make", code, pointer, ctypes.POINTER(Transform), reference)
_describe = bind("plan_describe", code, pointer, ctypes.POINTER(Description))
_pass = bind("plan_pass", text, pointer, integer)
_bind, _run = bind("plan_bind", integer, pointer, pointer, pointer, reference), bind("run", integer, pointer)
_stream = bind("bound_stream", integer, pointer, pointer)
_free = bind("bound_free", None, pointer)
good_size = bind("good_size", long, long)
_lock = threading.Lock()
_libraries = {}  # by threads and whether Ctrl-C is looked for
_settings = {"backend": None, "device": None, "memory": 0, "cache_folder": None}
_stopped = []  # by Ctrl-C, during a watched call of the main thread


def watched(call, *arguments):
    """Calls the library so that Ctrl-C ends it. The interpreter raises KeyboardInterrupt between its
    own instructions, of which a call has none but those of _look(): for as long as it lasts, Ctrl-C
    only leaves a note there."""
    handler = None
    if threading.current_thread() is threading.main_thread():
        handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        return call(*arguments)
    _stopped.clear()
    signal.signal(signal.SIGINT, lambda number, frame: _stopped.append(frame))
    try:
        rc = call(*arguments)
    finally:
        signal.signal(signal.SIGINT, handler)
    if _stopped:
        handler(signal.SIGINT, _stopped[0])
    return rc


def _look(_user, _done):
    return bool(_stopped) and threading.current_thread() is threading.main_thread()


_tick, _no_tick = _TICK(_look), _TICK()


def _library(threads, looks):
    with _lock:
        if (threads, looks) not in _libraries:
            o = Options(threads=threads, tick=_tick if looks else _no_tick, **_settings)
            handle = ctypes.c_void_p()
            _open(ctypes.byref(o), ctypes.byref(handle))
            _libraries[threads, looks] = handle
        return _libraries[threads, looks]


def use(**settings):
    """Replaces settings, and opens libraries anew for all plans made from now on. In a forked child
    those of the parent are of no use, and closing them does nothing."""
    _settings.update((k, os.fsencode(v) if isinstance(v, (str, os.PathLike)) else v) for k, v in settings.items())
    with _lock:
        for handle in _libraries.values():
            _close(handle)
        _libraries.clear()


class Plan:
    """A plan, which any number of threads may run at once."""

    def __init__(self, transform, threads, looks):
        self._handle = ctypes.c_void_p()
        self._looks = looks
        _plan(_library(threads, looks), ctypes.byref(transform), ctypes.byref(self._handle))

    def __del__(self, free=bind("plan_free", None, pointer)):
        free(self._handle)

    def run(self, source, target, stream=None):
        """From and to the addresses of arrays of the planned shapes and strides; the stream is that of a device's."""
        bound = ctypes.c_void_p()
        rc = _bind(self._handle, source, target, ctypes.byref(bound))
        if not rc and stream:
            _stream(bound, stream)
        if not rc:
            rc = watched(_run, bound) if self._looks else _run(bound)
            _free(bound)
        if rc:
            fail(rc)

    def describe(self):
        """Backend, the reason for it, passes, bytes."""
        d = Description()
        _describe(self._handle, ctypes.byref(d))
        passes = [_pass(self._handle, i).decode() for i in range(d.n_passes)]
        return {"backend": d.backend.decode(), "why": d.why.decode(), "passes": passes,
                "calls": d.n_calls, "bytes": d.bytes, "workspace": d.workspace,
                "device": d.device}


def version() -> str:
    """The version of the library, such as "0.1.0"."""
    return _version().decode()
