"""Lengths as linear expressions, written as text: ``x.0``, ``x.0-2``, ``2*n.value+x.0``.

The names in them are those of lengths and whole numbers among the arguments. Equal
expressions have equal texts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

_TERM = re.compile(r"([+-]?)(?:(\d+)\*)?([^+\-*]+)")


def is_name(text: str) -> bool:
    """Tell whether an expression is a single name.

    Example:
        >>> is_name("x.0"), is_name("x.0-1")
        (True, False)
    """
    return not ("-" in text or "+" in text or "*" in text)


@functools.lru_cache(maxsize=16384)
def terms_of(text: str) -> tuple[tuple[tuple[str, int], ...], int]:
    """Return the names of an expression with their factors, and its constant.

    Example:
        >>> terms_of("2*n.value+x.0-1")
        ((('n.value', 2), ('x.0', 1)), -1)
    """
    terms: list[tuple[str, int]] = []
    constant = 0
    for sign, factor, name in _TERM.findall(text):
        number = (-1 if sign == "-" else 1) * int(factor or 1)
        if name.isdigit():
            constant += number * int(name)
        else:
            terms.append((name, number))
    return tuple(terms), constant


def text_of(terms: Mapping[str, int], constant: int) -> str | int:
    """Return the text of an expression; a number where no name is left.

    Example:
        >>> text_of({"x.0": 1, "n.value": 2}, -1)
        '2*n.value+x.0-1'
    """
    parts = []
    for name, factor in sorted(terms.items()):
        if factor:
            times = "" if abs(factor) == 1 else f"{abs(factor)}*"
            parts.append(f"{'-' if factor < 0 else '+'}{times}{name}")
    if not parts:
        return constant
    if constant:
        parts.append(f"{constant:+d}")
    return "".join(parts).removeprefix("+")


def weighted_sum(parts: list[tuple[str | int, int]]) -> str | int:
    """Return the sum of expressions times whole numbers.

    Example:
        >>> weighted_sum([("x.0-1", 2), ("x.0", -1), (3, 1)])
        'x.0+1'
    """
    found: dict[str, int] = {}
    total = 0
    for part, weight in parts:
        terms, constant = ((), part) if isinstance(part, int) else terms_of(part)
        total += weight * constant
        for name, factor in terms:
            found[name] = found.get(name, 0) + weight * factor
    return text_of(found, total)


def is_axis(text: str) -> bool:
    """Tell whether an expression is the length of an axis of an array, or some less.

    Example:
        >>> is_axis("x.0"), is_axis("x.1-2"), is_axis("n.value"), is_axis("x.0+1")
        (True, True, False, False)
    """
    terms, constant = terms_of(text)
    name, factor = terms[0] if terms else ("", 0)
    return len(terms) == 1 and factor == 1 and constant <= 0 and name[-1].isdigit()


def is_length(text: str) -> bool:
    """Tell whether an expression is what the shape of an array says, and nothing was computed.

    Example:
        >>> is_length("x.0-2"), is_length("half(x.0)"), is_length("n.value")
        (True, True, False)
    """
    computed = text.endswith((".value", ".made"))
    return is_axis(text) or (is_name(text) and not computed)


def may_be_negative(length: str | int) -> bool:
    """Tell whether an expression in numbers of 0 or more may be less than 0.

    Example:
        >>> may_be_negative("x.0-1"), may_be_negative("2*x.0")
        (True, False)
    """
    terms, constant = ((), length) if isinstance(length, int) else terms_of(length)
    return constant < 0 or any(factor < 0 for _, factor in terms)


def written(text: str | int, place: Callable[[str], str]) -> str:
    """Return an expression as Python writes it.

    Args:
        text: the expression.
        place: gives the Python text of a name.

    Example:
        >>> written("2*n.value+x.0-1", {"n.value": "n", "x.0": "len(x)"}.get)
        '2 * n + len(x) - 1'
    """
    if isinstance(text, int):
        return str(text)
    terms, constant = terms_of(text)
    if not terms:
        return str(constant)
    parts = []
    for name, factor in terms:
        times = "" if abs(factor) == 1 else f"{abs(factor)} * "
        parts.append(("-" if factor < 0 else "+", times + place(name)))
    if constant:
        parts.append(("-" if constant < 0 else "+", str(abs(constant))))
    first = ("-" if parts[0][0] == "-" else "") + parts[0][1]
    return first + "".join(f" {sign} {part}" for sign, part in parts[1:])
