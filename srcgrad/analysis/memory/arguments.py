"""Arrays of the caller that a function writes into, and what must not share memory with them."""

from __future__ import annotations

import json
from typing import Any

from srcgrad.analysis.memory.ownership import roots_of, trace
from srcgrad.errors import MutationError
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    Compound,
    Const,
    Function,
    Known,
    Perturbation,
    Value,
    Var,
    equations,
    variables,
)
from srcgrad.runtime import require_one_object, require_separate

_HOLDING = ("array", "numeric", "list", "opaque")


def separate_arguments(function: Function, called: bool = False) -> None:
    """Have it checked, where a function is entered, that what it writes is seen by it once.

    Args:
        function: the function.
        called: whether the arguments are known to be separate from each other, since
            the function that calls it was looked at.
    """
    layout = function.layout
    _keep_writes(function)
    if function.source.is_generated:
        return  # its text has these lines already
    others: list[str] = []
    if not called:
        others = [name for name, value in function.params if _may_hold_memory(value)]
    known = {v for _, value in function.params for v in variables(value)}
    for var, bindings in layout.bindings.items():
        if var not in layout.definitions and var not in known and bindings:
            if var.type.kind == "array" and bindings[0].name not in others:
                others.append(bindings[0].name)
    if not called:
        _separate_objects(function)
    done: set[str] = set()
    for written in function.written:
        done.add(written.text)
        whole = function.params[written.position]
        alone = whole[0] if sum(map(_may_hold_memory, leaves(whole[1]))) == 1 else None
        rest = [other for other in others if other not in done and other != alone]
        if rest:
            passed = ", ".join(f"{other}={other}" for other in rest)
            line = f"require_separate({_quoted(written.text)}, {written.text}, {passed})"
            _check_first(function, line, require_separate)


def _separate_objects(function: Function) -> None:
    """Have it checked that the objects are there once whose parts it replaces."""
    holders = [name for name, value in function.params if _holds_object(value)]
    passed = ", ".join(f"{name}={name}" for name in holders)
    alone = len(holders) == 1 and not any(
        _holds_object(part) for _, value in function.params for part in getattr(value, "items", ())
    )
    for text in () if alone else function.replaced:
        _check_first(
            function,
            f"require_one_object({_quoted(text)}, {text}, {passed})",
            require_one_object,
        )


def _holds_object(value: Value) -> bool:
    if isinstance(value, Compound):
        return value.token is not None or any(map(_holds_object, value.items))
    return isinstance(value, Var) and value.type.kind in ("opaque", "list")


def _quoted(text: str) -> str:
    return json.dumps(text) if '"' not in text else repr(text)


def _check_first(function: Function, line: str, helper: Any) -> None:
    """Have a check made where a function is entered."""
    first = function.source.tree.body.body[0]
    while id(first) in function.source.splices:
        first = function.source.splices[id(first)][0]
    function.layout.checks.append((first, line, helper))


def _keep_writes(function: Function) -> None:
    """Keep the writes that the caller may see, needed or not."""
    writes = [eq for eq in equations(function.body) if eq.may_write]
    roots = trace(function.body) if writes else {}
    for eq in writes:
        if any(root[0] == "external" for root in roots_of(eq.args[0], roots)):
            bindings = function.layout.bindings.get(eq.targets[0], [])
            function.layout.lasting |= {binding.name for binding in bindings}
            if not bindings and eq.origin is not None:  # no name tells the statement from others
                function.layout.impure.add(id(eq.origin.node))


def _may_hold_memory(value: Value) -> bool:
    if isinstance(value, Compound):
        return any(_may_hold_memory(item) for item in value.items)
    if isinstance(value, Const | Known | Perturbation):
        return False
    return not isinstance(value, Var) or value.type.kind in _HOLDING


def require_apart(call: Any, memory: Any) -> None:
    """Refuse a call whose function writes into an array that it also sees as another argument."""
    everything = [leaf for value in call.args for leaf in leaves(value)]
    everything = [leaf for leaf in everything if not isinstance(leaf, Perturbation)]
    for written in call.payload.pair.arrays(call.args):
        own = next(k for k, leaf in enumerate(everything) if leaf is written)
        for other in (*everything[:own], *everything[own + 1 :]):
            if not memory.share(memory.of(written), memory.of(other)):
                continue
            origin = call.origin
            raise MutationError(
                f"{call.payload.pair.name} writes into an array that it is given twice",
                spots=[origin.source.spot(origin.node or origin.statement)],
                why="What it writes is seen through another argument, or a variable that it "
                "takes from outside.",
                fixes=["pass a copy: x.copy()"],
            )
