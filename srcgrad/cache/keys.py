"""The key of a derivative in the cache: the texts of everything that it is made from and by."""

from __future__ import annotations

import functools
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad
from srcgrad.cache.descriptions import Descriptions, Undescribed, digest
from srcgrad.cache.files import VARIABLE
from srcgrad.program.registered import TREES
from srcgrad.registry import CHANGES

_NO_INFLUENCE = (VARIABLE, "SRCGRAD_DIR", "SRCGRAD_TRACEBACK")
_FORMAT = 1


def key_of(function: Any, *options: Any) -> str | None:
    """Return the key of the derivatives of a function with these options.

    What the function calls is not in it: that is compared when an entry is read.

    Returns:
        None where derivatives of the function are not kept: where it has no text, or refers to
        what no other process could compare, or where the user has registered formulas or
        classes, which are objects of this process.
    """
    if CHANGES[0] or TREES:
        return None
    try:
        described = Descriptions().of(function)
    except Undescribed:
        return None
    environment = sorted(
        (name, value)
        for name, value in os.environ.items()
        if name.startswith("SRCGRAD_") and name not in _NO_INFLUENCE
    )
    return digest(_FORMAT, _machine(), environment, options, described)


@functools.cache
def _machine() -> str:
    """What is the same in all of a process: versions, and the files of srcgrad itself."""
    return digest(
        *(sys.version, sys.platform, platform.machine(), sys.flags.optimize, np.__version__),
        *(srcgrad.__version__, tuple(sorted(_own_files()))),
    )


def _own_files() -> Iterator[tuple[str, int, int]]:
    """Yield what tells one state of srcgrad's own files from another, as it does for Python.

    What was installed has one file that lists all others.
    """
    home = Path(srcgrad.__file__).parent
    record = home.parent / f"srcgrad-{srcgrad.__version__}.dist-info" / "RECORD"
    folders = [str(home)]
    if record.is_file():
        folders = []
        yield str(record), record.stat().st_mtime_ns, record.stat().st_size
    elif not (home / "formulas").is_dir():
        folders.append(str(home.parent / "formulas"))
    while folders:
        with os.scandir(folders.pop()) as rows:
            for row in rows:
                if row.name.endswith(".py"):
                    known = row.stat()
                    yield row.path, known.st_mtime_ns, known.st_size
                elif "." not in row.name and row.name != "__pycache__" and row.is_dir():
                    folders.append(row.path)
