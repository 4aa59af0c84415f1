"""Prints a bill of materials (SPDX 2.3): the libraries that a build links, and those that it opens by name if they are
there, with the versions that Debian's packages have here.

    python3 core/api/python/make_sbom.py VERSION PROGRAM [LIBRARY ...] >gpufft.spdx.json"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

# Libraries whose file names the program puts together at run time.
COMPOSED = ("libnvrtc", "libcufft", "libippcore", "libipps", "libippi")
# A wheel's libraries have names of their own (bundle).
NAME = re.compile(r"(lib[\w+]+(?:-[\d.]+)?)(?:-gpufft)?\.so((?:\.\d+)*)")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def names(lines):
    """{name: file name}, of the libraries that are whole lines."""
    found = (NAME.fullmatch(line) for line in lines)
    return {m[1]: f"{m[1]}.so{m[2]}" for m in sorted(filter(None, found), key=lambda m: m[0])}


def version(file):
    """Of the package that has the file, if this machine has it and Debian's tools."""
    path = re.search(rf"^\s*{re.escape(file)} .*=> (.*)", run("/sbin/ldconfig", "-p"), re.M)
    owner = run("dpkg-query", "-S", "*/" + os.path.basename(os.path.realpath(path[1]))) if path else ""
    return run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", owner.split(":")[0]).split("\n")[0] if owner else ""


def document(own_version, files):
    needed = [n for f in files for n in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", f))]
    linked, opened = names(needed), names(run("strings", files[0]).splitlines())
    opened.update((n, n + ".so") for n in COMPOSED)
    digest = hashlib.sha256(pathlib.Path(files[0]).read_bytes()).hexdigest()
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", os.path.getmtime(files[0])))
    packages = [{"SPDXID": "SPDXRef-gpufft", "name": "gpufft", "versionInfo": own_version, "licenseDeclared": "MIT",
                 "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-gpufft")]
    for name, file in {**opened, **linked}.items():
        ref = "SPDXRef-" + re.sub(r"[^\w.]", "-", name).replace("_", "-")
        source = version(file)
        packages.append({"SPDXID": ref, "name": name, "packageFileName": file,
                         **({"versionInfo": source.split()[1], "sourceInfo": f"Debian's source package {source}"} if source else {})})
        relations.append(("SPDXRef-gpufft", "DYNAMIC_LINK", ref) if name in linked else (ref, "OPTIONAL_DEPENDENCY_OF", "SPDXRef-gpufft"))
    unknown = {"downloadLocation": "NOASSERTION", "filesAnalyzed": False}
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"gpufft-{own_version}",
            "documentNamespace": f"https://gpufft.invalid/spdx/{digest}",
            "creationInfo": {"creators": ["Tool: make_sbom"],
                             "created": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")},
            "packages": [{**unknown, **p} for p in packages],
            "relationships": [{"spdxElementId": a, "relationshipType": r, "relatedSpdxElement": b} for a, r, b in relations]}


if __name__ == "__main__":
    print(json.dumps(document(sys.argv[1], sys.argv[2:]), indent=1))
