"""How many operands and results each operation has: what the verifier asks of an equation."""

from __future__ import annotations

import functools
import math
from typing import Any

from srcgrad.ir.leaves import is_target, leaves
from srcgrad.ir.nodes import (
    ADD_AT,
    FINAL,
    INDEX_ADD,
    INDEX_SET,
    INTERCEPT,
    INTERCEPTED,
    LIST_APPEND,
    LIST_INSERT,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    LIST_SET,
    LIST_TAKE,
    OPAQUE,
    PAIR,
    PERTURB,
    RANGE_ITEM,
    READ,
    RECORDED,
    Equation,
    Marker,
    Var,
)
from srcgrad.program import facts
from srcgrad.registry import find_formula, is_own

_FIXED = {
    INDEX_ADD: (3, 1),
    INDEX_SET: (3, 1),
    ADD_AT: (3, 1),
    RANGE_ITEM: (3, 1),
    LIST_REVERSED: (1, 1),
    LIST_SET: (3, 1),
}


def operand_problem(equation: Equation) -> str | None:
    """Tell what is wrong with the number of operands or results of an equation.

    Returns:
        What is wrong, or None.
    """
    fn = equation.op.fn
    if isinstance(fn, Marker):
        return _marker_problem(equation)
    arity = getattr(fn, "arity", None)  # calls of generated backward functions say it
    if isinstance(arity, tuple):
        return _compare(equation, *arity)
    formula = find_formula(fn)
    if formula is not None and any(t.type.active for t in equation.targets):
        return _formula_problem(equation, formula)
    try:
        signature = facts.signature(fn)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*equation.args, **dict(equation.options))
    except TypeError as error:
        return str(error)
    return None


def _compare(equation: Equation, args: int | None, targets: int | None) -> str | None:
    if args is not None and len(equation.args) != args:
        return f"{len(equation.args)} operands instead of {args}"
    if targets is not None and len(equation.targets) != targets:
        return f"{len(equation.targets)} targets instead of {targets}"
    return None


def _marker_problem(equation: Equation) -> str | None:
    marker, args = equation.op.fn, equation.args
    if equation.options:
        return f"options of {marker}"
    if marker in _FIXED:
        return _compare(equation, *_FIXED[marker])
    if marker in (INTERCEPT, INTERCEPTED):
        return _compare(equation, 1 + len(equation.payload.reads), 1)
    if marker in (FINAL, READ):
        return _compare(equation, 1, 1)
    if marker is PERTURB:
        return _compare(equation, 2, 1)
    if marker in (OPAQUE, RECORDED):
        return None  # the parts of a tuple are values of their own
    if marker is LIST_NEW:
        width = _width(equation.targets[0].type.element) if equation.targets else 0
        if args and (not width or len(args) % width):
            return f"{len(args)} operands for elements of {width} leaves"
        return _compare(equation, None, 1)
    if marker is LIST_APPEND:
        return _compare(equation, 1 + _width(equation.payload), 1)
    if marker is LIST_INSERT:
        return _compare(equation, 2 + _width(equation.payload), 1)
    if marker is LIST_TAKE:
        return _compare(equation, 2, 1 + _width(equation.payload))
    if marker is LIST_POP:
        return _compare(equation, 1, 1 + _width(equation.payload))
    if marker is LIST_ITEM:
        base = args[0] if args else None
        return _compare(equation, 2, _width(base.type.element) if isinstance(base, Var) else None)
    if marker is PAIR:
        function = equation.payload.pair.function
        if function is None:  # it is being lowered: a recursive call
            return None
        gives = sum(map(is_target, leaves(function.result)))
        return _compare(equation, len(function.params), gives)
    return f"the unknown operation {marker}"


def _width(element: Any) -> int:
    """The number of leaves of an element of a list; an inactive one of cotangents is None."""
    if isinstance(element, tuple):
        return sum(_width(part) for part in element)
    return 0 if element is None else 1


def _formula_problem(equation: Equation, formula: Any) -> str | None:
    takes = _taken_by_own if is_own(formula) else _taken_by
    least, most, known = takes(formula)
    if not least <= len(equation.args) <= most:
        between = f"{least} to {most}" if least < most else f"{least}"
        return f"{len(equation.args)} operands instead of {between}"
    unknown = [name for name, _ in equation.options if name not in known]
    return f"the unknown option {unknown[0]}" if unknown else None


def _taken_by(formula: Any) -> tuple[int, float, frozenset[str]]:
    """How many operands a formula takes, from the least to the most, and which options."""
    parameters = facts.signature(formula).parameters.values()
    wanted = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    known = frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
    least = sum(p.default is p.empty for p in wanted)
    return least, math.inf if variadic else len(wanted), known


_taken_by_own = functools.lru_cache(maxsize=4096)(_taken_by)  # which stay as they are
