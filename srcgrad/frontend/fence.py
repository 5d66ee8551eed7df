"""The fence: syntax that is refused, all offences of a function in one error."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.source import Source

_REFUSED: dict[Any, tuple[str, str]] = {
    cst.Yield: ("a generator", "return the values in a tuple or compute them in a loop"),
    cst.Await: ("await", "take the awaited value as an argument"),
    cst.Global: ("a global statement", "return the value instead of writing to a global"),
    cst.Nonlocal: ("a nonlocal statement", "return the value instead of writing to it"),
    cst.ClassDef: ("a class definition", "define the class outside of the function"),
    cst.Try: ("try", "test for the exceptional case with if"),
    cst.TryStar: ("try", "test for the exceptional case with if"),
    cst.Match: ("match", "write it as if/elif"),
    cst.Import: ("an import", "import at the top of the module"),
    cst.ImportFrom: ("an import", "import at the top of the module"),
    cst.Del: ("", ""),
}


def fence(source: Source) -> None:
    """Refuse a function that uses syntax outside the supported language.

    Args:
        source: the function, as it was written.

    Raises:
        UnsupportedSyntaxError: naming every offending line at once.
    """
    spots, fixes = [], []
    for node in _walk(source.tree):
        offence = _offence(node)
        if offence is not None:
            what, fix = offence
            spots.append(source.spot(node, f"{what} is not supported"))
            if fix not in fixes:
                fixes.append(fix)
    if spots:
        raise UnsupportedSyntaxError(
            f"{source.name} uses syntax that srcgrad cannot differentiate",
            spots=spots,
            fixes=fixes,
        )


def _walk(node: cst.CSTNode):
    for child in node.children:
        if isinstance(
            child, cst.BaseExpression | cst.BaseSmallStatement | cst.BaseCompoundStatement
        ):
            yield child
        if not isinstance(child, cst.BaseParenthesizableWhitespace | cst.TrailingWhitespace):
            yield from _walk(child)


def _offence(node: cst.CSTNode) -> tuple[str, str] | None:
    if isinstance(node, cst.Del):
        targets = node.target.elements if isinstance(node.target, cst.Tuple) else [node.target]
        plain = all(
            isinstance(t.value if isinstance(t, cst.Element) else t, cst.Name) for t in targets
        )
        if not plain:
            return "del of an element", "delete names only"
        return None
    if isinstance(node, cst.For | cst.FunctionDef | cst.CompFor | cst.With) and getattr(
        node, "asynchronous", None
    ):
        return "async code", "write it without async"
    return _REFUSED.get(type(node))
