"""Breaking statements that are too long for a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEY = re.compile(r"""[^\W\d]\w*=(?=[^ =])|"[^"\\]*": """)
_LEVELS = ((" + ", " - "), (" * ", " / ", " // ", " % ", " @ "))


def wrap(text: str, width: int) -> list[str]:
    """Break a statement at the operators, or the commas, that bind least."""
    if len(text) <= width:
        return [text]
    head, rest = _head(text)
    commas = _split(rest, (", ",))
    if len(commas) > 1:
        return _bracketed(f"{head}(", [f"{part}," for part in _texts(commas)], ")", width)
    for operators in _LEVELS:
        pieces = _split(rest, operators)
        if len(pieces) > 1:
            lines = [f"{operator.lstrip()}{part}" for operator, part in pieces]
            return _bracketed(f"{head}(", lines, ")", width)
    return _call(head, rest, width)


def _head(text: str) -> tuple[str, str]:
    """Take a statement apart into what it assigns, ``return`` or a key, and an expression."""
    key = _KEY.match(text)
    if key is not None:
        return key.group(0), text[key.end() :]
    if text.startswith("return "):
        return "return ", text[len("return ") :]
    for sign in (" = ", " += ", " -= "):
        pieces = _split(text, (sign,))
        if len(pieces) > 1:
            left = pieces[0][1]
            return left + sign, text[len(left) + len(sign) :]
    return "", text


def _call(head: str, rest: str, width: int) -> list[str]:
    """Put the arguments of a call on lines of their own."""
    groups = _groups(rest)
    if not groups:
        return [head + rest]
    start, end = groups[-1]
    opening, inside = rest[: start + 1], rest[start + 1 : -1]
    if end < len(rest) - 1 or len(head + opening) > width or not inside:
        return _chained(head, rest, width, groups)
    if len(inside) + 4 <= width:
        return [head + opening, f"    {inside}", rest[-1]]
    closed = inside.endswith(",")  # a tuple with a comma behind its last part
    parts = _texts(_split(inside.removesuffix(","), (", ",)))
    if len(parts) == 1 and not closed and not (rest[start] == "(" and _is_called(rest[:start])):
        return _inside(head + opening, inside, rest[-1], width)
    return _bracketed(head + opening, [f"{part}," for part in parts], rest[-1], width)


def _chained(head: str, rest: str, width: int, groups: list[tuple[int, int]]) -> list[str]:
    """Break the longest call of several, or one of whose result a part or a method is taken."""
    start, end = max(groups, key=lambda group: group[1] - group[0])
    behind = rest[end + 1 :]
    if end == len(rest) - 1 or len(head) + start >= width or len(behind) >= width:
        return [head + rest]
    *lines, last = _call(head, rest[: end + 1], width)
    return [*lines, last + behind]


def _is_called(before: str) -> bool:
    """Whether a bracket behind this text holds arguments; a comma in another makes a tuple."""
    return before[-1:].isalnum() or before[-1:] in ("_", ")", "]")


def _inside(first: str, inside: str, last: str, width: int) -> list[str]:
    """Break what brackets hold at its operators, without a comma at its end."""
    for operators in _LEVELS:
        pieces = _split(inside, operators)
        if len(pieces) > 1:
            lines = [f"{operator.lstrip()}{part}" for operator, part in pieces]
            return _bracketed(first, lines, last, width)
    return [first, f"    {inside}", last]


def _bracketed(first: str, parts: list[str], last: str, width: int) -> list[str]:
    lines = [first]
    for part in parts:
        lines += [f"    {line}" for line in _part(part, width - 4)]
    return [*lines, last]


def _part(part: str, width: int) -> list[str]:
    """Break one of the lines between two brackets; the comma behind it stays there."""
    if "\n" in part:  # the user has broken it
        return [part]
    if part.endswith(",") and len(part) > width:
        *lines, end = wrap(part[:-1], width - 1)
        return [*lines, f"{end},"]
    return wrap(part, width) if _plain(part) else [part]


def _plain(part: str) -> bool:
    """Whether a piece is an expression by itself."""
    return not part.endswith(",") and not part.startswith(("+ ", "- ", "* ", "/ ", "@ "))


def _texts(pieces: list[tuple[str, str]]) -> list[str]:
    return [part for _, part in pieces]


def _split(text: str, operators: tuple[str, ...]) -> list[tuple[str, str]]:
    """Split a text at operators outside of brackets and strings: (operator before, piece)."""
    pieces, start, before = [], 0, ""
    for k, _, depth in _outside_of_strings(text):
        if depth or k < start:
            continue
        found = next((o for o in operators if text.startswith(o, k)), None)
        if found:
            pieces.append((before, text[start:k]))
            before, start = found, k + len(found)
    pieces.append((before, text[start:]))
    return pieces


def _groups(text: str) -> list[tuple[int, int]]:
    """Where the brackets open and close that stand in no others and in no string."""
    ends = [(k, letter) for k, letter, depth in _outside_of_strings(text) if depth == 0]
    opened = [k for k, letter in ends if letter in "([{"]
    closed = [k for k, letter in ends if letter in ")]}"]
    return list(zip(opened, closed, strict=True))


def _outside_of_strings(text: str) -> Iterator[tuple[int, str, int]]:
    """Each character that is in no string: its place, itself, and how many brackets are around."""
    depth, quote, escaped = 0, "", False
    for k, letter in enumerate(text):
        if quote:
            if letter == quote and not escaped:
                quote = ""
            escaped = letter == "\\" and not escaped
            continue
        if letter in "\"'":
            quote = letter
            continue
        depth -= letter in ")]}"
        yield k, letter, depth
        depth += letter in "([{"
