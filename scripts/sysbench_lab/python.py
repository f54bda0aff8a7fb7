# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python that the laboratory runs with, chosen here for all who start it or install for it:
the launcher, scripts/quickstart, scripts/check, third_party/install-deps, sysbench-lab check.

    python3 python.py [MODULE...]            its path
    python3 python.py --lacks [MODULE...]    the path of the one to install packages for, and what
                                             that lacks, a name a line
    python3 python.py --requirements         all packages, as pip takes them

It is the first that has every package, and these modules: the Python that runs this, the system's
(packages of a distribution serve no other), that of the virtual environment which install-deps
makes where those do not serve, and python3.N of PATH.  If none has everything, it is the one that
lacks least; packages are then installed for the system's.

Any Python 3 must be able to run this file, whatever it lacks.
"""

import os
import re
import sys

if __name__ == "__main__" and sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
    del sys.path[0]  # modules of ours have names of the standard library's

import glob
import importlib.util
import shutil
import subprocess
from typing import List, NamedTuple, Optional, Sequence, Tuple

OLDEST = (3, 9)
WITH_TOML = (3, 11)
SYSTEM = "/usr/bin/python3"
NEWER = ["python3.%d" % n for n in range(14, OLDEST[1] - 1, -1)]
# The least versions; pyproject.toml and third_party/README.md have them, too.
PACKAGES = {
    "tomli": "1.2", "numpy": "1.24", "matplotlib": "3.6", "rich": "11", "jinja2": "2.11",
}  # fmt: skip
LIMIT_S = 20


class Found(NamedTuple):
    path: str
    lacks: Tuple[str, ...]


def packages() -> List[str]:
    """Those that this Python needs."""
    return [n for n in PACKAGES if n != "tomli" or sys.version_info < WITH_TOML]


def own(modules: Sequence[str] = ()) -> Tuple[str, ...]:
    """What this Python lacks of the packages and of these modules."""
    from importlib import metadata

    def numbers(version: str) -> List[int]:
        return [int(n) for n in re.findall(r"\d+", version)[:3]]

    def has(name: str) -> bool:
        try:
            if importlib.util.find_spec(name) is None:
                return False
            return numbers(metadata.version(name)) >= numbers(PACKAGES.get(name, "0"))
        except metadata.PackageNotFoundError:  # from elsewhere, of an unknown version
            return True
        except (ImportError, ValueError):
            return False

    return tuple(name for name in [*packages(), *modules] if not has(name))


def asked(path: str, modules: Sequence[str]) -> Optional[Found]:
    """What another one lacks; None if it does not run, or is too old."""
    argv = [path, "-B", os.path.abspath(__file__), "--own", *modules]
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=LIMIT_S,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    words = done.stdout.decode("utf-8", "replace").split()
    return Found(path, tuple(words[1:])) if done.returncode == 0 and words else None


def environment() -> str:
    """The virtual environment that install-deps makes; "" without a home."""
    home = os.environ.get("HOME", "")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(cache, "sysbench-tx", "venv") if os.path.isabs(cache) else ""


def trusted(path: str) -> bool:
    """Whether only we and root can change what is there; not for a Python that cannot tell."""
    if not __package__:
        sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        from sysbench_lab import owned
    except (SyntaxError, ImportError):  # before 3.7
        return False
    return owned.trusted(path)


def serves(program: str) -> bool:
    """Whether nobody else can change a Python of an environment, and what it begins with."""
    top = os.path.dirname(os.path.dirname(program))
    sites = glob.glob(os.path.join(glob.escape(top), "lib", "python3*", "site-packages"))
    return all(map(trusted, [program, os.path.join(top, "pyvenv.cfg"), *sites]))


def others() -> List[str]:
    program = os.path.join(environment(), "bin", "python3")
    ours = [program] if environment() and serves(program) else []
    paths = [shutil.which(name) for name in ["python3", SYSTEM, *ours, *NEWER]]
    return [p for p in dict.fromkeys(paths) if p and p != sys.executable]


def choose(modules: Sequence[str] = ()) -> Optional[Found]:
    """None if there is none that is new enough."""
    found = []
    if sys.version_info >= OLDEST and sys.executable:
        found.append(Found(sys.executable, own(modules)))
    for path in others() if not found or found[0].lacks else []:
        one = asked(path, modules)
        if one and not one.lacks:
            return one
        found += [one] if one else []

    def rank(one: Found) -> Tuple[int, int, bool]:
        return len({"tomli", *modules} & {*one.lacks}), len(one.lacks), one.path != SYSTEM

    return min(found, key=rank) if found else None


def to_complete(modules: Sequence[str] = ()) -> Optional[Found]:
    """The one to install packages for, if any lacks some."""
    chosen = choose(modules)
    if chosen and chosen.lacks and chosen.path != SYSTEM:
        return asked(SYSTEM, modules) or chosen
    return chosen


def remedy(in_tree: bool) -> str:
    """A command that installs what this Python lacks."""
    if in_tree:
        return "third_party/install-deps --lab"
    lacks, python = own(), sys.executable
    manager = next((m for m in ("apt-get", "dnf") if shutil.which(m)), "")
    absent = all(importlib.util.find_spec(n) is None for n in lacks)  # else it is too old there
    if manager and absent and python == SYSTEM:
        return "%s install %s" % (manager, " ".join("python3-" + n for n in lacks))
    if sys.prefix != sys.base_prefix:
        return "%s -m pip install %s" % (python, " ".join(lacks))
    venv, names = environment() or "VENV", " ".join(packages())
    return "%s -m venv %s && %s/bin/pip install %s" % (python, venv, venv, names)


def main(argv: List[str]) -> int:
    if argv[:1] == ["--requirements"]:
        for name, least in PACKAGES.items():
            print("%s>=%s%s" % (name, least, ";python_version<'3.11'" * (name == "tomli")))
        return 0
    if argv[:1] == ["--own"]:
        if sys.version_info >= OLDEST:
            print(" ".join(["has:", *own(argv[1:])]))
        return int(sys.version_info < OLDEST)
    lacks = argv[:1] == ["--lacks"]
    found = to_complete(argv[1:]) if lacks else choose(argv)
    if not found:
        sys.stderr.write("%s\n" % NONE)
        return 1
    print("\n".join([found.path, *(found.lacks if lacks else ())]))
    return 0


NONE = "sysbench-lab needs Python %d.%d or later, not %d.%d" % (*OLDEST, *sys.version_info[:2])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
