# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the Python package sysbench-lab (PEP 517, PEP 660): wheel, editable wheel, source.

The files are those that `make install` brings, the requirements those of sysbench_lab/python.py,
and the version is that of configure.ac.  The same tree gives the same bytes.
"""

import base64
import hashlib
import io
import os
import re
import sys
import tarfile
import time
import zipfile
from typing import Any, Dict, Iterator, List, Optional, Tuple

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
NOT_INSTALLED = re.compile(r"(.*_test|testing|conftest|fake_.*)\.py$")
SHARE = {  # where the wheel puts them, below the environment
    "docs/sysbench-lab.1": "man/man1/sysbench-lab.1",
    "scripts/completion/sysbench-lab": "bash-completion/completions/sysbench-lab",
    "scripts/completion/_sysbench-lab": "zsh/site-functions/_sysbench-lab",
    "scripts/completion/sysbench-lab.fish": "fish/vendor_completions.d/sysbench-lab.fish",
}
SOURCES = ("pyproject.toml", "configure.ac", "COPYING", "packaging/python/backend.py")
EXTRAS = {"pictures": ("numpy", "matplotlib"), "page": ("jinja2",), "progress": ("rich",)}

Settings = Optional[Dict[str, Any]]  # of the one who calls; none are known
Files = Dict[str, bytes]


def read(name: str) -> bytes:
    with open(os.path.join(TREE, name), "rb") as f:
        return f.read()


def version() -> str:
    found = re.search(r"AC_INIT\(\[[^]]*\], \[([^]]*)\]", read("configure.ac").decode())
    if not found:
        raise SystemExit("sysbench-lab: configure.ac has no version")
    return found.group(1)


def package() -> Iterator[Tuple[str, str]]:
    """Of each file of the package: its name there, and in this tree."""
    scripts = os.path.join(TREE, "scripts")
    for directory, below, names in os.walk(os.path.join(scripts, "sysbench_lab")):
        below[:] = sorted(set(below) - {"testdata", "__pycache__"})
        inside = os.path.relpath(directory, scripts)
        for name in sorted(names):
            if not NOT_INSTALLED.match(name) and not name.endswith(".pyc"):
                yield os.path.join(inside, name), os.path.join("scripts", inside, name)
    data = (("examples", "examples", ".toml"), ("schema", "docs/schema", ".json"))
    for inside, where, end in data:
        for name in sorted(os.listdir(os.path.join(TREE, where))):
            if name.endswith(end):
                yield "sysbench_lab/%s/%s" % (inside, name), "%s/%s" % (where, name)


def requirements() -> Dict[str, str]:
    sys.path.insert(0, os.path.join(TREE, "scripts"))
    from sysbench_lab import python

    del sys.path[0]
    return {name: "%s>=%s" % (name, least) for name, least in python.PACKAGES.items()}


def about() -> str:
    """Distributions such as pipx and uv read it."""
    known = requirements()
    lines = [
        "Metadata-Version: 2.1",
        "Name: sysbench-lab",
        "Version: " + version(),
        "Summary: experiments with sysbench-tx, from a question to the answer",
        "License: GPL-2.0-or-later",
        "Requires-Python: >=3.9",
        'Requires-Dist: %s; python_version < "3.11"' % known["tomli"],
    ]
    for extra, names in [*EXTRAS.items(), ("all", sum(EXTRAS.values(), ()))]:
        lines.append("Provides-Extra: " + extra)
        lines += ['Requires-Dist: %s; extra == "%s"' % (known[n], extra) for n in names]
    return "\n".join(lines) + "\n"


def metadata() -> Files:
    where = "sysbench_lab-%s.dist-info/" % version()
    tag = "Wheel-Version: 1.0\nGenerator: sysbench-tx\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return {
        where + "METADATA": about().encode(),
        where + "WHEEL": tag.encode(),
        where + "entry_points.txt": b"[console_scripts]\nsysbench-lab = sysbench_lab.main:launch\n",
        where + "COPYING": read("COPYING"),
    }


def epoch() -> int:
    return max(int(os.environ.get("SOURCE_DATE_EPOCH") or 0), 315532800)  # zip begins in 1980


def written(directory: str, files: Files) -> str:
    """A wheel of these files; its name."""
    name = "sysbench_lab-%s-py3-none-any.whl" % version()
    record = "sysbench_lab-%s.dist-info/RECORD" % version()
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d\n" % (path, digest, len(content)))
    files = {**files, record: ("".join(lines) + record + ",,\n").encode()}
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as z:
        for path, content in files.items():
            one = zipfile.ZipInfo(path, time.gmtime(epoch())[:6])
            one.external_attr, one.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            z.writestr(one, content)
    return name


# ---- what pip, pipx, uv and build call ----------------------------------------------


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    files = {to: read(name) for to, name in package()}
    data = "sysbench_lab-%s.data/data/share/" % version()
    files.update({data + to: read(name) for name, to in SHARE.items()})
    return written(wheel_directory, {**files, **metadata()})


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    path = os.path.join(TREE, "scripts") + "\n"
    return written(wheel_directory, {"sysbench_lab.pth": path.encode(), **metadata()})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    top = "sysbench_lab-%s" % version()
    names: List[str] = [*SOURCES, *SHARE, *(name for _, name in package())]
    files = {"PKG-INFO": about().encode(), **{name: read(name) for name in names}}
    with tarfile.open(os.path.join(sdist_directory, top + ".tar.gz"), "w:gz") as tar:
        for name, content in files.items():
            one = tarfile.TarInfo("%s/%s" % (top, name))
            one.size, one.mtime = len(content), epoch()
            tar.addfile(one, io.BytesIO(content))
    return top + ".tar.gz"
