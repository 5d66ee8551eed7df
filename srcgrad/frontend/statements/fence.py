"""The fence: syntax that is refused, all offences of a function in one error."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.statements.attempted import leaves
from srcgrad.frontend.statements.local_imports import is_at_the_top
from srcgrad.frontend.statements.matching import refused_patterns
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.trees import nodes_in

_REFUSED: dict[Any, tuple[str, str]] = {
    cst.Yield: ("a generator", "return the values in a tuple or compute them in a loop"),
    cst.Await: ("await", "take the awaited value as an argument"),
    cst.Nonlocal: ("a nonlocal statement", "return the value instead"),
    cst.ClassDef: ("a class definition", "define the class outside of the function"),
    cst.TryStar: ("try with except*", "test for the exceptional case with if"),
    cst.Import: ("an import here", "import at the top of the module or of the function"),
    cst.ImportFrom: ("an import here", "import at the top of the module or of the function"),
}
_PERHAPS_ASYNC = {cst.For, cst.FunctionDef, cst.CompFor, cst.With}
_LOOKED_AT = {*_REFUSED, *_PERHAPS_ASYNC, cst.Del, cst.Try}


def fence(source: Source, listed: bool = False) -> None:
    """Refuse a function that uses syntax outside the supported language."""
    offences = []
    for node in nodes_in(source.tree):
        kind = type(node)
        if kind is cst.Match:
            for pattern in refused_patterns(source, node):
                spot = source.spot(pattern, "a pattern that takes a value apart is not supported")
                offences.append((spot, "write it as if/elif"))
        fine = kind in (cst.Import, cst.ImportFrom) and is_at_the_top(source.tree, node)
        fine |= kind is cst.Yield and listed
        offence = None if fine or kind not in _LOOKED_AT else _offence(node)
        if offence is not None:
            what, fix = offence
            offences.append((source.spot(node, f"{what} is not supported"), fix))
    if offences:
        offences.sort(key=lambda offence: (offence[0].lineno, offence[0].column))
        raise UnsupportedSyntaxError(
            f"{source.name} uses syntax that srcgrad cannot differentiate",
            spots=[spot for spot, _ in offences],
            fixes=list(dict.fromkeys(fix for _, fix in offences)),
        )


def _offence(node: Any) -> tuple[str, str] | None:
    kind = type(node)
    if kind is cst.Del:
        targets = node.target.elements if isinstance(node.target, cst.Tuple) else [node.target]
        parts = [t.value if isinstance(t, cst.Element) else t for t in targets]
        if not all(isinstance(part, cst.Name | cst.Subscript) for part in parts):
            return "del of an attribute", "delete names and elements only"
        return None
    if kind is cst.Try and node.finalbody is not None and leaves(node):
        return "leaving a try statement", "leave after it"
    if kind in _PERHAPS_ASYNC and node.asynchronous:
        return "async code", "write it without async"
    return _REFUSED.get(kind)
