"""Notes for tracebacks: which lines of the user's an error in generated code belongs to."""

from __future__ import annotations

import ast
from typing import Any

from srcgrad.debugging.forward_lines import Line, aligned, own_statements
from srcgrad.errors import NotFiniteError
from srcgrad.load.observers import Site, WatchedFunction
from srcgrad.load.source_map import place_at, text_at
from srcgrad.load.texts import FunctionText


def annotate(error: BaseException) -> None:
    """Add a note to an exception for each generated function that it comes through.

    The innermost comes first. Where the line that it names is generated, too, as in the
    derivative of a derivative, the line that that one belongs to follows. An error that names
    these lines itself needs no notes.
    """
    if isinstance(error, NotFiniteError):
        return
    rows, traceback = [], error.__traceback__
    while traceback is not None:
        rows.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    known = getattr(error, "__notes__", [])
    for filename, lineno in reversed(rows):
        found: Any = origin(filename, lineno)
        while found is not None:
            part, line = found
            note = f"in the {part} part of {line.function}"
            if line.lineno is not None:
                name = line.filename.replace("\\", "/").rsplit("/", 1)[-1]
                note += f", for {name}:{line.lineno}: {line.text}"
            if note not in known:
                error.add_note(note)
                known = error.__notes__
            found = origin(line.filename, line.lineno)


def origin(filename: str, lineno: int | None) -> Any:
    """Return which part a generated line is in, and the line it belongs to; None for others."""
    if lineno is None:
        return None
    place = place_at(filename, lineno)
    if place is not None:
        return "backward", place
    text, first = text_at(filename, lineno)
    line = None if text is None else _forward_line(text, filename, first, lineno)
    return None if line is None else ("forward", line)


def _forward_line(text: FunctionText, filename: str, first: int, lineno: int) -> Line | None:
    function = WatchedFunction(text, filename, first)
    tree = ast.increment_lineno(ast.parse(text.text), first - 1)
    nodes = [node for node in ast.walk(tree.body[0]) if isinstance(node, ast.stmt)][1:]
    nodes.sort(key=lambda node: node.lineno)
    sites = [Site(function, node, "") for node in nodes if not place_at(filename, node.lineno)]
    lines, inner = aligned(sites, own_statements(text.source)), None
    for site in sites:
        body = getattr(site.node, "body", None)
        last = body[0].lineno - 1 if body else site.node.end_lineno or 0
        if site.lineno <= lineno <= last:
            inner = lines.get(site)
    return inner
