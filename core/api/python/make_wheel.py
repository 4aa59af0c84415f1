"""Builds the wheel and the source distribution (PEP 517), without other packages.

    pip install ./core/api/python         compiles program and library with make, and installs them with the module
    python3 core/api/python/make_wheel.py FOLDER [--bundled LIBRARIES PLATFORM]

The second form writes the source distribution to FOLDER, or the wheel of the program, the shared libraries, their
licences and bill of materials in the folder LIBRARIES, which core/api/python/bundle fills."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
# Does not import the module, which would load NumPy.
COMMAND = b"""#!python
import importlib.util, os, sys
program = os.path.join(os.path.dirname(importlib.util.find_spec("gpufft").origin), "gpufft")
os.execv(program, sys.argv)
"""


def stamp():
    """The time of all files: SOURCE_DATE_EPOCH, or that of this script."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", os.path.getmtime(__file__)))


def version():
    return re.search(rb"^VERSION := (\S+)", (TOP / "Makefile").read_bytes(), re.M)[1].decode()


def metadata():
    return (f"Metadata-Version: 2.1\nName: gpufft\nVersion: {version()}\n"
            "Summary: Fourier transforms and filters of arrays and pictures, on the CPU and on GPUs\n"
            "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            "Description-Content-Type: text/markdown\n\n").encode() + (TOP / "man/python.md").read_bytes()


def write_wheel(folder, platform, libraries=None):
    info = f"gpufft-{version()}.dist-info"
    files = {f"gpufft/{p.name}": p.read_bytes() for p in HERE.glob("gpufft/*.*")}
    for p in pathlib.Path(libraries).iterdir() if libraries else (TOP / "gpufft", TOP / "build/libgpufft.so.0"):
        inside = {".txt": f"{info}/licenses", ".json": f"{info}/sboms"}.get(p.suffix, "gpufft")
        files[f"{inside}/{p.name}"] = p.read_bytes()
    files[f"gpufft-{version()}.data/scripts/gpufft"] = COMMAND
    files[f"{info}/licenses/LICENSE"] = (TOP / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = metadata()
    tag = f"py3-none-{platform}"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    rows = []
    for path, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}\n")
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    name = f"gpufft-{version()}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, time.gmtime(stamp())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            runs = data[:4] == b"\x7fELF" or "/scripts/" in path
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            z.writestr(entry, data)
    return name


def build_wheel(folder, config_settings=None, metadata_directory=None):
    subprocess.run(["make", "-C", TOP, f"-j{os.cpu_count()}", "gpufft", "library", "CFLAGS=-O2"], check=True, stdout=sys.stderr)
    return write_wheel(folder, re.sub("[-.]", "_", sysconfig.get_platform()))


def build_sdist(folder, config_settings=None):
    """The files of the last commit, and at the top what pip looks for there."""
    root = f"gpufft-{version()}"
    added = {"PKG-INFO": metadata(), "pyproject.toml": (HERE / "pyproject.toml").read_bytes().replace(b'"."', b'"core/api/python"')}
    subprocess.run(["git", "-C", TOP, "archive", f"--prefix={root}/", "-o", f"{os.path.abspath(folder)}/{root}.tar.gz",
                    *(f"--add-virtual-file={root}/{name}:{text.decode()}" for name, text in added.items()), "HEAD"], check=True)
    return root + ".tar.gz"


if __name__ == "__main__":
    if sys.argv[2:3] == ["--bundled"]:
        print(write_wheel(sys.argv[1], sys.argv[4], sys.argv[3]))
    else:
        print(build_sdist(sys.argv[1]))
