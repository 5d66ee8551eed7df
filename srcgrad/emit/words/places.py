"""Which forward line each generated line belongs to."""

from __future__ import annotations

from typing import Any

from srcgrad.load.source_map import Place


class Page:
    """The lines of a backward part, each with its origin."""

    def __init__(self) -> None:
        self.lines: list[str] = []  # the lines
        self.origins: list[Any] = []  # for each of them, where in the forward source it comes from
        self.origin: Any = None  # where the lines that are added next come from

    def add(self, line: str) -> None:
        """Append a line."""
        self.lines.append(line)
        self.origins.append(self.origin)

    def insert(self, position: int, line: str) -> None:
        """Put a line before another one."""
        self.lines.insert(position, line)
        self.origins.insert(position, self.origin)

    def cut(self, start: int) -> None:
        """Remove the lines from a position on."""
        del self.lines[start:]
        del self.origins[start:]

    def join_branches(self, start: int, indent: int) -> None:
        """Write ``else`` with nothing but an ``if`` in it as ``elif``."""
        inner = " " * (indent + 4)
        heads = [line for line in self.lines[start:] if line[: indent + 5].strip() != ""]
        first = self.lines[start]
        if not first.startswith(f"{inner}if ") or heads[0] is not first:
            return
        if any(not head.startswith((f"{inner}elif ", f"{inner}else:")) for head in heads[1:]):
            return
        self.lines[start:] = [line[4:] for line in self.lines[start:]]
        self.lines[start] = f"{' ' * indent}el{first.strip()}"
        del self.lines[start - 1], self.origins[start - 1]


def places(source: Any, text: str, origins: list[Any]) -> dict[int, Place]:
    """Return the places of the last lines of a function.

    Returns:
        The places by line number; the first line of the text is number 1.
    """
    first = text.count("\n") - len(origins) + 1
    return {first + k: _place(source, origin) for k, origin in enumerate(origins)}


def _place(source: Any, origin: Any) -> Place:
    if origin is None or origin.statement is None:
        return Place(source.name, source.filename, None, "")
    origin_source = origin.source
    line = origin_source.line_of(origin.statement)
    text = origin_source.text_of(origin.statement)
    return Place(origin_source.name, origin_source.filename, line, text)


def origin_of_results(results: list[Any], inlined: dict[Any, Any]) -> Any:
    """Return the origin of what is computed in a ``return`` line, if there is just one."""
    found = {id(eq.origin): eq.origin for r in results if (eq := inlined.get(r)) is not None}
    return next(iter(found.values())) if len(found) == 1 else None
