"""The text that code was made from, by the name of its file."""

from __future__ import annotations

import ast
import linecache
import os
import stat
import sys
from typing import Any


def tell(filename: str, text: str) -> None:
    """Let a text of srcgrad's own be found under a name, by debuggers, too."""
    _OWN[filename] = len(text), None, text.splitlines(keepends=True), filename
    linecache.cache[filename] = _OWN[filename]


def made_of_text(filename: str, text: str, name: str, space: dict[str, Any]) -> Any:
    """Return a function of a text that can be found, by its name; what it reads is in a dict."""
    tell(filename, text)
    exec(compile(text, filename, "exec"), space)
    return space[name]


def lines_of(filename: str, names: dict[str, Any]) -> list[str]:
    """Return the lines of a file, as ``linecache`` knows them.

    Of a program that Python got by ``-c``, or read from a file as its standard input, the
    text is found and told to ``linecache``, which does not know it before Python 3.13.
    A function that cloudpickle wrote out says no file since its version 3.1.3; what its globals
    name is read. Whoever asks compares the text with the code, ``compiled_text``.
    """
    lines = linecache.getlines(filename, names)
    if not lines and filename in _OWN:  # somebody has emptied the cache
        linecache.cache[filename] = _OWN[filename]
        return _OWN[filename][2]
    if not lines and filename == _WRITTEN_OUT:
        return linecache.getlines(str(names.get("__file__")), names)
    if not lines and filename in _PROGRAMS:
        text = _PROGRAMS[filename]()
        if text:
            lines = text.splitlines(keepends=True)
            linecache.cache[filename] = len(text), None, lines, filename
    return lines


def without_indentation(text: str) -> tuple[str, ast.Module]:
    """Return statements without the indentation of the first one, and their ast.

    What is inside of a string stays, and a line in brackets may be indented less.

    Raises:
        SyntaxError: when it is no text of statements.
    """
    margin = len(text) - len(text.lstrip())
    if not margin:
        return text, ast.parse(text)
    tree = ast.parse(f"if True:\n{text}")
    rows = text.split("\n")
    kept: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        if isinstance(node, ast.JoinedStr) or isinstance(node.value, str | bytes):
            inside = range(node.lineno - 1, (node.end_lineno or 0) - 1)
            if any(mark in rows[k - 1] for k in inside for mark in ('"""', "'''", "\\")):
                kept |= set(inside)
    for k, row in enumerate(rows):
        if k not in kept:
            rows[k] = row[min(margin, len(row) - len(row.lstrip())) :]
    text = "\n".join(rows)
    return text, ast.parse(text)


def _of_command() -> str | None:
    """Return what was given to ``python -c``."""
    words = sys.orig_argv
    if sys.argv[:1] != ["-c"] or "-c" not in words:
        return None
    return words[words.index("-c") + 1]


def _of_input() -> str | None:
    """Return the standard input, where that is a file."""
    try:
        state = os.fstat(0)
        if stat.S_ISREG(state.st_mode):
            return os.pread(0, state.st_size, 0).decode()
    except (OSError, UnicodeDecodeError, AttributeError):  # closed, or another system
        pass
    return None


_OWN: dict[str, tuple[int, None, list[str], str]] = {}
_WRITTEN_OUT = "<dynamic-code>"
_PROGRAMS = {"<string>": _of_command, "<stdin>": _of_input}


def ways_out(filename: str) -> list[str]:
    """Return what to do about text that is not found, or is not the one that ran."""
    if filename == "<stdin>":
        return [
            "write the program to a file and run that",
            "use IPython, Jupyter or the prompt of Python 3.13, which keep what was typed",
        ]
    if filename == _WRITTEN_OUT:
        return [
            "have the file of the function where it is used, unchanged",
            "import the function there from a module, instead of sending it",
        ]
    if filename.startswith("<"):
        known = "linecache.cache[name] = len(text), None, text.splitlines(True), name"
        told = f'{known}; exec(compile(text, name, "exec"))'
        return [
            "define the function in a file",
            f"tell linecache the text that is executed, under a name of its own: {told}",
        ]
    return [
        "register a derivative with @formula",
        "define the function in a file, a notebook cell, or anywhere inspect.getsource works",
    ]
