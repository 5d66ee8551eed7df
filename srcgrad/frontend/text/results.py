"""How many results a function with a user's formula gives, as its source tells."""

from __future__ import annotations

import functools
import types
from typing import Any

import libcst as cst

from srcgrad.errors import SourceNotFoundError
from srcgrad.frontend.text.exits import returns_of
from srcgrad.frontend.text.source import read
from srcgrad.ir.types import OPAQUE, Type


@functools.lru_cache(maxsize=512)
def results_of(fn: Any) -> Any:
    """Return the types of what a function gives back, in its structure.

    The function is not run. What it returns is read from its ``return``
    statements; where these do not spell a tuple out, it is taken for one array
    or number.

    Returns:
        None where there is no source; ``OPAQUE`` where the statements disagree;
        otherwise a type, or nested tuples of types.
    """
    if not isinstance(fn, types.FunctionType):
        return None
    try:
        tree = read(fn).tree
    except SourceNotFoundError:
        return None
    found = {_template(node.value) for node in returns_of(tree)}
    return found.pop() if len(found) == 1 else OPAQUE


def _template(node: Any) -> Any:
    if isinstance(node, cst.Tuple) and not any(
        isinstance(element, cst.StarredElement) for element in node.elements
    ):
        return tuple(_template(element.value) for element in node.elements)
    return Type("numeric", None, "?")
