"""Writing out what is done to each element of something whose elements are known.

The elements of a tuple, of a dict or of ``range(3)`` are known when code is
generated: each has an expression of its own, such as ``layers[0]`` or ``p["w"]``.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import libcst as cst

from srcgrad.errors import SrcgradError
from srcgrad.frontend.containers.comparisons import truth
from srcgrad.frontend.containers.structures import is_dict, sequence
from srcgrad.frontend.expressions.iterables import (
    gives_generator,
    going_through,
    require_no_own_reversal,
)
from srcgrad.frontend.expressions.lowering import lower
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.outer_names import in_code, rely_on
from srcgrad.frontend.state.rewriting import (
    NotUniform,
    Rewriting,
    fresh_name,
    restore,
    snapshot,
)
from srcgrad.frontend.text.exits import always_exits, arms_of, block, may_exit
from srcgrad.frontend.text.names import bound_names, names_in
from srcgrad.frontend.text.templates import (
    assignment,
    is_path,
    item,
    substituted,
    text_of,
)
from srcgrad.frontend.text.trees import below, children, small_of
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.forms import View, is_spelled, key_text
from srcgrad.ir.nodes import Const, Items, Known, Struct, Value, Var

_MOST = 64  # a loop over more elements than these is no text that anybody would read
_PATHS = (cst.Name, cst.Attribute, cst.Subscript, cst.Integer, cst.SimpleString)


@dataclass(frozen=True)
class Elements:
    """The elements of an iterable.

    Attributes:
        nodes: an expression for each.
        counted: whether they are the numbers of a range and nothing else.
        given: the names that they are read by, each with the expression that it stands for;
            these are evaluated before the first element is used.
    """

    nodes: list[Any]
    counted: bool = False
    given: tuple[tuple[str, Any], ...] = ()

    def assignments(self) -> list[Any]:
        """The statements that stand before those for the elements."""
        return [assignment(cst.Name(name), value) for name, value in self.given]


def elements_of(b: Builder, node: Any, uses: list[Any], needed: bool = False) -> Elements | None:
    """Return the elements of an iterable; None where they are not known."""
    finder = _Finder(b, uses, needed)
    found = finder.elements(node)
    return None if found is None else replace(found, given=tuple(finder.given))


class _Finder:
    """Looks for the elements of an iterable.

    Args:
        b: the builder.
        uses: the code that is run for each element.
        needed: whether to rely on lengths being what they are at the call at hand.
    """

    def __init__(self, b: Builder, uses: list[Any], needed: bool = False) -> None:
        self.b = b
        self.needed = needed
        self.uses = uses
        self.rebound: set[str] = set().union(*map(bound_names, uses))
        self.given: list[tuple[str, Any]] = []

    def elements(self, node: Any) -> Elements | None:
        """The elements of an iterable; see ``elements_of``."""
        fn = _helper(self.b, node)
        if fn is None:
            return self.of_value(node)
        if any(a.star for a in node.args):
            return None
        if fn is range:
            bounds = [self.number(lower(self.b, a.value)) for a in node.args]
            if None in bounds:
                return None
            numbers = range(*bounds)  # type: ignore[arg-type]
            return Elements([_number(k) for k in numbers], True) if len(numbers) <= _MOST else None
        if fn is zip:
            return self.zipped([a.value for a in node.args if a.keyword is None])
        if fn is reversed:
            require_no_own_reversal(self.b, node.args[0].value)
        inner = self.elements(node.args[0].value)
        if fn is not enumerate:
            return None if inner is None else replace(inner, nodes=inner.nodes[::-1])
        first = lower(self.b, node.args[1].value) if len(node.args) > 1 else Const(0)
        if inner is None or not isinstance(first, Const):
            return None
        rows = [_tuple([_number(k), part]) for k, part in enumerate(inner.nodes, first.value)]
        return replace(inner, nodes=rows)

    def number(self, value: Value) -> int | None:
        """A whole number that is known, or a length that the call at hand tells."""
        lengths = self.b.context.lengths
        if isinstance(value, Const) or self.needed:
            return lengths.number(value)
        return None

    def zipped(self, nodes: list[Any]) -> Elements | None:
        """The elements of several iterables side by side."""
        parts = [self.elements(node) for node in nodes]
        if not parts or None in parts:
            return None
        columns = [part.nodes for part in parts if part is not None]
        rows = [_tuple([c.deep_clone() for c in row]) for row in zip(*columns, strict=False)]
        return Elements(rows, all(part.counted for part in parts if part is not None))

    def of_value(self, node: Any) -> Elements | None:
        """The elements of a tuple, a list, a dict or a string."""
        if isinstance(node, cst.Tuple | cst.List) and _plain_display(node):
            parts = [e.value for e in node.elements]
            if any(map(self.changes, parts)):  # they are evaluated before the first is used
                name = self.name(node)
                parts = [item(name, k) for k in range(len(parts))]
            return Elements(parts)
        called = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)
        if called and not node.args and node.func.attr.value in ("keys", "values", "items"):
            held = lower(self.b, node.func.value) if is_path(node.func.value) else Const(None)
            names = known_keys(self.b, self.asked_for(held))
            if names is not None and len(names) <= _MOST:
                owner = self.path(node.func.value)
                return Elements(_rows(owner, node.func.attr.value, names))
        value = self.asked_for(lower(self.b, node))
        if isinstance(value, Struct) and gives_generator(value):
            raise going_through(self.b, value, node)
        if isinstance(value, Const) and isinstance(value.value, str):
            letters = [cst.parse_expression(key_text(letter)) for letter in value.value]
            return Elements(letters) if len(letters) <= _MOST else None
        names = known_keys(self.b, value)
        if names is not None and len(names) <= _MOST:
            return Elements([cst.parse_expression(key_text(name)) for name in names])
        if isinstance(value, Struct) and sequence(value) is not None:
            if isinstance(value.form, View):  # it has no index
                name = self.name(cst.Call(cst.Name("list"), [cst.Arg(node)]))
                return Elements([item(name, k) for k in range(len(value.items))])
            value = Items(value.items)
        if isinstance(value, Known) and isinstance(value.object, enum.EnumMeta) and is_path(node):
            text = text_of(self.path(node))
            return Elements(
                [cst.parse_expression(f"{text}.{member.name}") for member in value.object]
            )
        if isinstance(value, Known) and isinstance(value.object, tuple | list):
            count = len(value.object)
            rely_on(self.b, value)
        elif isinstance(value, Items):
            count = len(value.items)
            if count and all(
                isinstance(v, Const) and isinstance(v.value, str) for v in value.items
            ):
                return Elements([cst.parse_expression(key_text(v.value)) for v in value.items])
        elif self.needed and isinstance(value, Var) and value.type.kind == "array":
            known = self.b.context.lengths.exactly((value.type.shape or (None,))[0])
            if known is None:
                return None
            count = known
        else:
            return None
        if count > _MOST:
            return None
        owner = self.path(node) if is_path(node) else self.name(node)
        return Elements([item(owner, k) for k in range(count)])

    def asked_for(self, value: Value) -> Value:
        """A value of which the elements are needed."""
        return in_code(self.b, value) if self.needed else value

    def path(self, node: Any) -> Any:
        """A path that leads to the same object as long as the elements are used."""
        return self.name(node) if self.changes(node) else node

    def changes(self, node: Any) -> bool:
        """Whether an expression may have another value when an element is used."""
        if names_in(node) & self.rebound:
            return True
        if isinstance(node, cst.Name | cst.Integer | cst.SimpleString):
            return False
        return any(kept_text.may_write(self.b, use) for use in self.uses)

    def name(self, node: Any) -> Any:
        """Give a name to an expression, which is evaluated first."""
        name = fresh_name(self.b, "items", [name for name, _ in self.given])
        self.given.append((name, node))
        return cst.Name(name)


def known_keys(b: Builder, value: Value | None) -> tuple[Any, ...] | None:
    """Return the keys of a dict, where they are known; one from outside is relied on."""
    if value is not None and is_dict(value):
        return value.form.names
    if not isinstance(value, Known) or type(value.object) is not dict:
        return None
    rely_on(b, value)
    return tuple(value.object) if all(map(is_spelled, value.object)) else None


def _rows(node: Any, method: str, names: tuple[Any, ...]) -> list[Any]:
    """What going through the keys, values or items of a dict gives."""
    keys = [cst.parse_expression(key_text(name)) for name in names]
    if method == "keys":
        return keys
    text = text_of(node)
    values = [cst.parse_expression(f"{text}[{key_text(name)}]") for name in names]
    if method == "values":
        return values
    return [_tuple([key, value]) for key, value in zip(keys, values, strict=True)]


def _plain_display(node: Any) -> bool:
    return all(
        not isinstance(e, cst.StarredElement) and isinstance(e.value, _PATHS) for e in node.elements
    )


def _helper(b: Builder, node: Any) -> Any:
    """Which of the functions that make iterators an expression calls, if any."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name) or not node.args:
        return None
    if node.func.value not in ("range", "enumerate", "zip", "reversed"):
        return None
    value = lower(b, node.func)
    return value.object if isinstance(value, Known) else None


def _number(k: int) -> Any:
    return cst.parse_expression(f"({k})" if k < 0 else str(k))


def _tuple(nodes: list[Any]) -> cst.Tuple:
    return cst.Tuple([cst.Element(node) for node in nodes])


def bind_target(target: Any, element: Any, found: dict[str, Any]) -> bool:
    """Note which expressions the names of a loop's target stand for; False if it cannot be told."""
    if isinstance(target, cst.Name):
        found[target.value] = element
        return True
    if not isinstance(target, cst.Tuple | cst.List):
        return False
    if isinstance(element, cst.Tuple):
        if len(element.elements) != len(target.elements):
            return False
        parts = [e.value for e in element.elements]
    else:
        parts = [item(element, k) for k in range(len(target.elements))]
    pairs = zip(target.elements, parts, strict=True)
    return all(
        not isinstance(t, cst.StarredElement) and bind_target(t.value, part, found)
        for t, part in pairs
    )


def rebinds(node: Any, names: set[str]) -> bool:
    """Whether code inside an expression gives one of some names another meaning."""
    return any(
        isinstance(part, cst.NamedExpr)
        or (isinstance(part, cst.CompFor) and names & names_in(part.target))
        for part in below(node)
    )


def unrolled_loop(b: Builder, node: cst.For) -> list[Any] | None:
    """Write a loop over known elements without a loop; None where they are not known."""
    found = elements_of(b, node.iter, [node], needed=True)
    breaks = any(may_exit(statement, cst.Break) for statement in node.body.body)
    if found is None or node.orelse is not None or breaks:
        return None
    out = found.assignments()
    for element in found.nodes:
        out.append(assignment(node.target.deep_clone(), element))
        names: dict[str, Any] = {}
        known = bind_target(node.target, element, names)
        copies = []
        for statement in node.body.body:
            copies.append(statement.deep_clone())
            _derive(b, statement, copies[-1])
        out += _without_continue(b, copies, names if known else {})
    if out:
        out[0] = out[0].with_changes(leading_lines=node.leading_lines)
    return out


def _without_continue(b: Builder, body: Sequence[Any], names: dict[str, Any]) -> list[Any]:
    """The statements of an iteration, what ``continue`` skips in the other arm of its ``if``.

    Where it is known which arm is taken, that arm alone.
    """
    out: list[Any] = []
    for k, statement in enumerate(body):
        if isinstance(small_of(statement), cst.Continue):
            return out
        if not may_exit(statement, cst.Continue):
            out.append(statement)
            continue
        arms, rest = arms_of(statement), body[k + 1 :]
        made = [
            _without_continue(b, arm if always_exits(arm) else [*arm, *rest], names) for arm in arms
        ]
        verdict = _verdict(b, statement.test, names)
        if verdict is not None:
            return out + made[0 if verdict else 1]
        new = statement.with_changes(
            body=block(made[0]), orelse=cst.Else(block(made[1])) if made[1] else None
        )
        b.source.derive(statement, new)
        return [*out, new]
    return out


def _verdict(b: Builder, test: Any, names: dict[str, Any]) -> bool | None:
    """Whether a test of an element holds, where that is known."""
    if not names_in(test) <= set(names):
        return None
    state = snapshot(b)
    try:
        found = truth(lower(b, substituted(test, names)))
    except SrcgradError:
        found = None
    restore(b, state)
    return found


def unrolling(b: Builder, node: cst.For | cst.While, found: NotUniform, outer: bool) -> Exception:
    """Return what to raise for a loop over values that differ in more than their numbers."""
    other = (found if outer else found.error) or found
    if found.names and not found.names & bound_names(node):
        return other
    if isinstance(node, cst.While) and found.error is not None:
        return other
    if isinstance(node, cst.While):
        return b.refuse(
            node,
            "a while loop that makes functions, or reads other keys each time,",
            "write its iterations out",
        )
    made = unrolled_loop(b, node)
    if made is None:
        for what in (What.OPTIONS, What.PARTS):
            if b.context.demands.may_ask(what):
                return Specialise(what)
    if made is None and found.error is not None:
        return other
    if made is None:
        early = leaves_early(node.body)
        what = (
            "of different structure that is left early" if early else "that cannot be written out"
        )
        error = b.refuse(node.iter, f"a loop over values {what}", "write its iterations out")
        error.by_iterations = True
        return error
    return Rewriting(lambda statement: made)


def _derive(b: Builder, old: Any, new: Any) -> None:
    """Let the statements inside a copy stand at the lines of those that were copied."""
    b.source.derive(old, new)
    for p, q in zip(children(old), children(new), strict=True):
        _derive(b, p, q)


def leaves_early(node: Any) -> bool:
    """Whether the body of a loop leaves this loop early."""
    inside = below(node, {cst.For, cst.While, cst.FunctionDef, cst.Lambda})
    return any(isinstance(part, cst.Break | cst.Continue) for part in inside)
