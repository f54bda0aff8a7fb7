# SPDX-License-Identifier: GPL-2.0-or-later
"""TOML, which Python reads by itself since 3.11; an older one takes the package tomli."""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from typing import Any

from .. import LabError


@functools.lru_cache(maxsize=None)
def reader() -> Any:
    for name in ("tomllib", "tomli"):
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    text = "Python %d.%d needs the package tomli (python3-tomli) to read TOML; Python 3.11 does not"
    raise LabError(text % sys.version_info[:2])


def loads(text: str) -> dict[str, Any]:
    """The tables of a text; ValueError if it is not TOML."""
    return reader().loads(text)
