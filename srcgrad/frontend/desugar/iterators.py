"""Iterators with a name: what they go through, and the place where they are.

``it = iter(x)`` becomes ``it = x``, ``first = next(it)`` becomes ``first = it[0]``, and
``for v in it`` becomes ``for v in it[1:]``. Where elements are taken in loops and branches, the
place has a name.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import functools
from typing import Any

import libcst as cst

from srcgrad.frontend.desugar.arms import mentions
from srcgrad.frontend.text.exits import Statements, block, map_suites
from srcgrad.frontend.text.names import local_names, names_in, new_name, unused_name
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import expression, is_path, statements, substituted
from srcgrad.frontend.text.trees import assigned, children, kinds_in, replaced, small_of

_NOT_ALWAYS = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.ListComp, cst.GeneratorExp)
_NOT_ALWAYS = (*_NOT_ALWAYS, cst.NamedExpr, cst.SetComp, cst.DictComp)


def with_places(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function in which iterators are what they go through, where that is the same.

    The names of these are noted in ``source.iterated``.

    Args:
        source: the function.
        tree: its definition, normalised.
    """
    other = {*local_names(tree), *source.cells, *source.globals} & {"iter", "next", "len"}
    if other or cst.Try in kinds_in(tree):  # which may catch that an iterator is at its end
        return tree
    new = tree.with_changes(body=block(_Places(source, tree).suite(tree.body.body)))
    source.derive(tree, new)
    return new


class _Unsuitable(Exception):
    """An iterator is handed on, or its text does not tell when elements are taken."""


class _Places:
    def __init__(self, source: Source, tree: cst.FunctionDef) -> None:
        self.source = source
        self.known = mentions(tree)
        self.taken = set(names_in(tree))

    def suite(self, body: Any) -> Statements:
        """The statements of a suite, and of those in it."""
        for k, statement in enumerate(body):
            found = self.first(statement)
            if found is not None:
                return self.suite([*body[:k], *found, *body[k + 1 :]])
            name, rest = _iterator(statement), body[k + 1 :]
            if name and self.known[name] == sum(mentions(s)[name] for s in body[k:]):
                for place in (0, unused_name(f"{name}_place", self.taken)):
                    try:
                        made = self.behind(statement, name, place, rest)
                    except _Unsuitable:
                        continue
                    self.source.iterated.add(name)
                    self.taken.add(str(place))
                    return [*body[:k], made[0], *self.suite(made[1:])]
        compound = (cst.If, cst.For, cst.While, cst.With)
        inner = (map_suites(s, self.suite) if isinstance(s, compound) else s for s in body)
        return [self.derived(old, new) for old, new in zip(body, inner, strict=True)]

    def behind(self, statement: Any, name: str, place: int | str, rest: Any) -> Statements:
        """What stands in the place of an iterator, and of what is behind it."""
        small = statement.body[0]
        first = statement.with_changes(body=[small.with_changes(value=small.value.args[0].value)])
        lines = statements(f"{place} = 0") if isinstance(place, str) else []
        return [self.derived(statement, s) for s in (first, *lines)] + self.uses(name, place, rest)

    def uses(self, name: str, place: int | str | None, body: Any) -> Statements:
        """The statements of a suite, with elements from a place on; None for a place unknown."""
        out: Statements = []
        for statement in body:
            if not mentions(statement)[name]:
                out.append(statement)
                continue
            head = statement.iter if isinstance(statement, cst.For) else None
            if place is None:
                raise _Unsuitable
            if isinstance(head, cst.Name) and head.value == name:
                made = [_over_the_rest(statement, name, place)]
                place = place if isinstance(place, str) else None
            elif isinstance(statement, cst.SimpleStatementLine):
                made = self.taken_in(statement, name, place)
                if isinstance(place, int):
                    place += mentions(statement)[name]
            elif isinstance(place, str) and isinstance(statement, cst.If | cst.For | cst.While):
                if mentions(statement.test if head is None else head)[name]:
                    raise _Unsuitable
                made = [map_suites(statement, functools.partial(self.uses, name, place))]
            else:
                raise _Unsuitable
            out += [self.derived(statement, line) for line in made]
        return out

    def taken_in(self, statement: Any, name: str, place: int | str) -> Statements:
        """A statement with elements of a sequence in the place of calls that take them."""
        value = getattr(statement.body[0], "value", None)
        calls = _calls(value, name)
        if len(calls) < mentions(statement)[name]:
            raise _Unsuitable
        new: dict[int, Any] = {}
        for k, call in enumerate(calls):
            at = place + k if isinstance(place, int) else f"{place} + {k}" if k else place
            text = f"{name}[{at}]"
            if len(call.args) > 1:
                text = f"{text} if {at} < len({name}) else _d"
                text = text if call is value else f"({text})"
            new[id(call)] = expression(text, _d=call.args[-1].value)
            self.source.operands.pop(id(call), None)  # it has no effect any more
        made = [replaced(statement, new)]
        if isinstance(place, str) and not isinstance(statement.body[0], cst.Return):
            made += statements(f"{place} += {len(calls)}")
        return made

    def first(self, statement: Any) -> Statements | None:
        """``v = next((e for t in s if c), d)`` as a loop that is left; None for others."""
        small = small_of(statement)
        call = small.value if isinstance(small, cst.Assign | cst.Return) else None
        if not isinstance(call, cst.Call) or not _is_call(call, "next") or len(call.args) != 2:
            return None
        made, default = (arg.value for arg in call.args)
        loop = made.for_in if isinstance(made, cst.GeneratorExp) else None
        plain = is_path(default) or isinstance(default, cst.BaseNumber)
        if loop is None or loop.inner_for_in or len(loop.ifs) != 1 or not plain:
            return None
        target: Any = assigned(statement)[0]
        owns = isinstance(target, cst.Name) and not mentions(call)[target.value]
        name = target.value if owns else new_name("first", self.taken)
        clash = {n for n in names_in(loop.target) if self.known[n] > mentions(made)[n]}
        new = {n: cst.Name(new_name(n, self.taken)) for n in sorted(clash)}
        over, test, element = loop.target, loop.ifs[0].test, made.elt
        over, test, element = (substituted(part, new) for part in (over, test, element))
        text = f"{name} = _d\nfor _t in _s:\n    if _c:\n        {name} = _e\n        break\n"
        lines = statements(text, _d=default, _t=over, _s=loop.iter, _c=test, _e=element)
        if not owns:
            lines.append(replaced(statement, {id(call): cst.Name(name)}))
        lines[0] = lines[0].with_changes(leading_lines=statement.leading_lines)
        return [self.derived(statement, line) for line in lines]

    def derived(self, old: Any, new: Any) -> Any:
        """A statement that stands at the line of another one."""
        if new is not old:
            self.source.derive_all(old, new)
        return new


def _iterator(statement: Any) -> str | None:
    """The name that a statement gives an iterator: ``it = iter(x)``."""
    target, call = assigned(statement)
    made = isinstance(call, cst.Call) and _is_call(call, "iter") and len(call.args) == 1
    return target.value if made and isinstance(target, cst.Name) else None


def _is_call(node: cst.Call, name: str) -> bool:
    plain = all(not arg.star and arg.keyword is None for arg in node.args)
    return isinstance(node.func, cst.Name) and node.func.value == name and plain


def _calls(node: Any, name: str) -> list[cst.Call]:
    """The calls that take elements in an expression, in order, each made once."""
    if isinstance(node, _NOT_ALWAYS) or node is None:
        return []
    if isinstance(node, cst.Comparison) and len(node.comparisons) > 1:
        return []
    if isinstance(node, cst.Call) and _is_call(node, "next") and node.args:
        first = node.args[0].value
        if isinstance(first, cst.Name) and first.value == name:
            return [node]
    return [call for part in children(node) for call in _calls(part, name)]


def _over_the_rest(loop: cst.For, name: str, place: int | str) -> cst.For:
    """A loop over what an iterator has not given yet."""
    if mentions(loop)[name] > 1:
        raise _Unsuitable  # the loop and its body take elements in turn
    rest = expression(f"{name}[{place}:]" if place else name)
    steps = statements(f"{place} += 1") if isinstance(place, str) else []
    return loop.with_changes(
        iter=rest, body=block([*steps, *loop.body.body]) if steps else loop.body
    )
