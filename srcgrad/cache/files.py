"""The files that generated code is kept in: safe under several writers, bounded, checked.

A file holds plain data behind a checksum. It is written under another name and then renamed,
so that nobody reads a part of it; where two processes write at once, the last one stays. What
is damaged, or cannot be read or written, is as if it were not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from srcgrad.load.compile import cache_folder, write_whole

VARIABLE = "SRCGRAD_CACHE"
_MOST, _BYTES = 2000, 64 * 2**20  # files, and what they may hold together
_ENDING, _MARK = ".kept", b"srcgrad 1\n"
_written: list[Path] = []


def is_on() -> bool:
    """Tell whether generated code is kept on disk: ``SRCGRAD_CACHE=0`` turns it off."""
    return os.environ.get(VARIABLE) != "0"


def read(key: str) -> Any:
    """Return what was written under a key; None where there is nothing."""
    try:
        with _path(key).open("rb") as file:
            content = file.read()
        head = len(_MARK) + 32
        if content[: len(_MARK)] != _MARK:
            return None
        if hashlib.sha256(content[head:]).digest() != content[len(_MARK) : head]:
            return None
        return marshal.loads(content[head:])  # what the checksum is of
    except (OSError, ValueError, EOFError, TypeError):
        return None


def write(key: str, data: Any) -> None:
    """Write plain data under a key, in the place of what was there.

    The first time that a process writes, the files that were used least recently are removed
    where there are too many.
    """
    path = _path(key)
    with contextlib.suppress(OSError, ValueError):
        content = marshal.dumps(data)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, _MARK + hashlib.sha256(content).digest() + content)
        if path.parent not in _written:
            _written.append(path.parent)
            _bound()


def _path(key: str) -> Path:
    return folder() / f"{key}{_ENDING}"


def folder() -> Path:
    """Return the folder of the files."""
    return cache_folder() / "kept"


def entries() -> list[tuple[Path, int, float]]:
    """Return the files, how large they are, and when each was written, the oldest first."""
    return sorted(_found(), key=lambda row: row[2])


def _found() -> Iterator[tuple[Path, int, float]]:
    with contextlib.suppress(OSError), os.scandir(folder()) as rows:
        for row in rows:
            if row.name.endswith((_ENDING, ".tmp")):
                with contextlib.suppress(OSError):
                    known = row.stat()
                    yield Path(row.path), known.st_size, known.st_mtime


def clear() -> int:
    """Remove all files; return how many there were."""
    return sum(map(_remove, (path for path, _, _ in entries())))


def _bound() -> None:
    rows = entries()
    size = sum(row[1] for row in rows)
    if len(rows) <= _MOST and size <= _BYTES:
        return
    for count, (path, own, _) in zip(range(len(rows), 0, -1), rows, strict=True):
        if count <= _MOST // 2 and size <= _BYTES // 2:
            return
        size -= own
        _remove(path)


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True
