"""Which line of the user's each statement of a forward part comes from."""

from __future__ import annotations

import ast
import difflib
import weakref
from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.frontend.text.names import names_in
from srcgrad.load.observers import Site, WatchedFunction
from srcgrad.load.texts import is_generated

_MODULE = cst.Module([])


@dataclass(frozen=True)
class Line:
    """A line of a program."""

    function: str  # the name of the function that it is in
    filename: str  # its file
    lineno: int  # its number there
    text: str  # its text, without its indentation

    @property
    def place(self) -> str:
        """The file, without its folder, and the line."""
        return f"{self.filename.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.lineno}"


@dataclass(frozen=True)
class _Statement:
    """A statement of the user's: what it says, what it computes and assigns to, and its line."""

    says: str
    value: str
    targets: tuple[str, ...]
    line: Line


def line_of(site: Site) -> Line | None:
    """Return the line of the differentiated function that a generated statement belongs to.

    For the backward part the map of the generated file tells; a statement of the forward
    part is the user's own, or stands before the one of the user's that it was taken from.
    """
    place = site.place
    if place is not None:
        if place.lineno is None:
            return None
        return Line(place.function, place.filename, place.lineno, place.text)
    return forward_lines(site.function).get(site)


_known: weakref.WeakKeyDictionary[WatchedFunction, dict[Site, Line]] = weakref.WeakKeyDictionary()


def forward_lines(function: WatchedFunction) -> dict[Site, Line]:
    """Return the lines of the statements of a forward part."""
    if function not in _known:
        sites = [site for site in function.sites if site.place is None]
        own = own_statements(function.text.source)
        _known[function] = aligned(sites, own)
    return _known[function]


def own_statements(source: Any) -> tuple[_Statement, ...]:
    """Return the statements of the differentiated function, in the order of its text."""
    found: list[_Statement] = []
    for node in _statements(source.tree.body):
        lineno = source.line_of(node)
        if lineno is None:
            continue
        bare = node.with_changes(leading_lines=()) if hasattr(node, "leading_lines") else node
        if isinstance(node, cst.For | cst.If | cst.While):
            bare = bare.with_changes(
                body=cst.IndentedBlock([cst.parse_statement("pass")]), orelse=None
            )
        try:
            tree = ast.parse(_MODULE.code_for_node(bare).strip()).body[0]
        except (SyntaxError, IndexError):
            continue
        line = Line(source.name, source.filename, lineno, source.text_of(node))
        found.append(_Statement(_says(tree), _value(tree), _targets(tree), line))
    return tuple(found)


def _statements(node: Any) -> list[Any]:
    """The simple statements, and the loops, inside of a statement."""
    if isinstance(node, cst.SimpleStatementLine):
        return [node]
    found = [node] if isinstance(node, cst.For | cst.If | cst.While) else []
    if not isinstance(node, cst.FunctionDef | cst.ClassDef):
        for part in node.children:
            if isinstance(part, cst.BaseStatement | cst.BaseSuite | cst.Else | cst.Finally):
                found += _statements(part)
    return found


def _says(node: Any) -> str:
    """What a statement says, apart from whether it returns or assigns."""
    if isinstance(node, ast.For):
        return f"for {ast.dump(node.target)} {ast.dump(node.iter)}"
    return ast.dump(node)


def _value(node: Any) -> str:
    """What a statement computes, or tests."""
    value = getattr(node, "test", None) or getattr(node, "value", None)
    return ast.dump(value) if value is not None else ""


def _targets(node: Any) -> tuple[str, ...]:
    if isinstance(node, ast.Return):
        return ("return",)
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    found = [part for target in targets if target is not None for part in ast.walk(target)]
    return tuple(part.id for part in found if isinstance(part, ast.Name))


def aligned(sites: list[Site], own: tuple[_Statement, ...]) -> dict[Site, Line]:
    """Pair generated statements with the user's; both stand in the same order."""
    if not own:
        return {}
    says = [_says(site.node) for site in sites]
    matcher = difflib.SequenceMatcher(None, says, [s.says for s in own], autojunk=False)
    found: dict[Site, Line] = {}
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            found |= {sites[a + k]: own[c + k].line for k in range(b - a)}
            continue
        behind = own[d].line if d < len(own) else own[-1].line
        found |= _between(sites[a:b], list(own[c:d]), behind)
    return found


def _between(sites: list[Site], own: list[_Statement], behind: Line) -> dict[Site, Line]:
    """Pair the same statements between two; what has no partner was added before it."""
    found: dict[Site, Line] = {}
    pending: list[Site] = []
    for site in sites:
        pending.append(site)
        targets, value = _targets(site.node), _value(site.node)
        k = next(
            (k for k, s in enumerate(own) if _same(targets, s.targets) or value == s.value != ""),
            None,
        )
        if k is not None:
            found |= dict.fromkeys(pending, own[k].line)
            pending, own = [], own[k + 1 :]
    return found | dict.fromkeys(pending, own[0].line if own else behind)


def _same(targets: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Whether a generated statement gives values to all names that one of the user's does."""
    return bool(own) and targets[: len(own)] == own


def own_names(function: WatchedFunction) -> frozenset[str]:
    """Return the names in the user's function; of a derivative's derivative, in the innermost."""
    source = function.text.source
    while is_generated(source.function):
        texts = source.function.__srcgrad_generated__[0]
        inner = next((t for t in texts if t.name == source.function.__name__), None)
        if inner is None or inner.source is source:
            break
        source = inner.source
    return frozenset(names_in(source.tree))
