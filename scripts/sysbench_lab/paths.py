# SPDX-License-Identifier: GPL-2.0-or-later
"""Where things are: the sysbench to run, the examples, the version.

The same package runs from the source tree (scripts/sysbench_lab), from an installation
(PKGDATADIR/lab/sysbench_lab), and as pip installs it.  The launcher says which version was
installed and where the launcher itself is, pip's metadata which version; in the tree configure.ac
and the build directory answer instead.
"""

import os
import re
import shutil
import sys

from . import LabError

HERE = os.path.dirname(os.path.realpath(__file__))
ABOVE = os.path.dirname(HERE)  # scripts/, PKGDATADIR/lab or site-packages
TREE = os.path.dirname(ABOVE)
# Directories of the tree in which a program may have been built.
BUILDS = ("build", "build-check", ".")

# Filled by an installed launcher.
installed_version = ""


def in_tree() -> bool:
    """True in a source tree, false in an installation."""
    return os.path.exists(os.path.join(TREE, "configure.ac"))


def version() -> str:
    """The release, such as 1.2.0."""
    if installed_version:
        return installed_version
    if not in_tree():
        from importlib import metadata  # here, because it takes a tenth of a start

        try:
            return metadata.version("sysbench-lab")
        except metadata.PackageNotFoundError:
            return "unknown"
    with open(os.path.join(TREE, "configure.ac")) as f:
        found = re.search(r"AC_INIT\(\[[^]]*\], \[([^]]*)\]", f.read())
    return found.group(1) if found else "unknown"


def examples() -> str:
    """The directory of the example experiments."""
    return os.path.join(TREE if in_tree() else HERE, "examples")


def schemas() -> str:
    """The directory of the schemas of result files."""
    return os.path.join(TREE, "docs/schema") if in_tree() else os.path.join(HERE, "schema")


def example_names() -> list[str]:
    """The examples, without .toml."""
    directory = examples()
    if not os.path.isdir(directory):
        return []
    return sorted(n[: -len(".toml")] for n in os.listdir(directory) if n.endswith(".toml"))


def program() -> str:
    """The sysbench to run when an experiment names none: $SB_SYSBENCH, else the one that was built
    or installed with this laboratory, else that of PATH."""
    given = os.environ.get("SB_SYSBENCH", "")
    launcher = os.path.dirname(os.path.realpath(sys.argv[0]))
    built = [os.path.join(TREE, b, "src", "sysbench") for b in BUILDS] if in_tree() else []
    others = [*built, os.path.join(launcher, "sysbench"), shutil.which("sysbench") or ""]
    for path in [given] if given else others:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.abspath(path)
    if given:
        raise LabError("SB_SYSBENCH: cannot run %s" % given)
    raise LabError("no sysbench found; build or install it, or set client.program")


def flame_program() -> str:
    """sysbench-flame beside sysbench, or of PATH; "" if there is none."""
    try:
        beside = os.path.join(os.path.dirname(program()), "sysbench-flame")
    except LabError:
        beside = ""
    return beside if os.access(beside, os.X_OK) else shutil.which("sysbench-flame") or ""
