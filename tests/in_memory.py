"""Programs that are texts in memory, which ``inspect`` finds as it finds those of files."""

from __future__ import annotations

import linecache
from typing import Any


def execute(text: str, file: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """Execute a program, and return the names that it has then.

    Args:
        text: the program.
        file: the name under which its text is found.
        names: what it begins with; its names are added.
    """
    names = {} if names is None else names
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names
