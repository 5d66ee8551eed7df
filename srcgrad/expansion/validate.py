"""Refusing malformed formulas when they are registered."""

from __future__ import annotations

import builtins
from typing import Any

import libcst as cst

from srcgrad.errors import MalformedFormulaError
from srcgrad.expansion.expand import formula_source
from srcgrad.expansion.pair import _backward, _cotangents
from srcgrad.frontend.text.names import assigned_names, bound_names, local_names, names_in
from srcgrad.frontend.text.trees import below
from srcgrad.program import facts


def validate(function: Any) -> None:
    """Check the form of a derivative formula."""
    if not callable(function):  # what stands under a bare @formula is called with numbers
        raise MalformedFormulaError(
            f"a formula is a function, not a {type(function).__name__}",
            fixes=["say which function it is for: @formula(f), above the formula of f"],
        )
    source = formula_source(function)
    statements = list(source.tree.body.body)
    backward, _ = _backward(source, statements)
    parameters = facts.signature(function).parameters
    _cotangents(source, backward, parameters)
    inner = {p.name.value for p in backward.params.params} | bound_names(backward.body)
    inner |= _gone_through(backward.body)
    outer = local_names(source.tree)
    captured = (names_in(backward.body) & outer) - inner
    _refuse_rebinding(source, statements, backward, captured)
    _refuse_unknown(source, backward, inner | outer)
    _refuse_cotangent_of_option(source, backward, parameters)


def _refuse_rebinding(source, statements, backward, captured) -> None:
    seen = False
    for statement in statements:
        if statement is backward:
            seen = True
        elif seen and not isinstance(statement, cst.FunctionDef):
            for name in sorted(assigned_names(statement) & captured):
                raise MalformedFormulaError(
                    f"{name!r} is assigned again after backward captured it",
                    spots=[source.spot(statement)],
                    fixes=["give the new value another name"],
                )


def _refuse_unknown(source, backward, known) -> None:
    for node in _loads(backward.body):
        name = node.value
        if name in known or name in source.globals or name in source.cells:
            continue
        if hasattr(builtins, name):
            continue
        raise MalformedFormulaError(
            f"backward uses {name!r}, which nothing defines",
            spots=[source.spot(node)],
            fixes=["compute it in the forward part, or import it"],
        )


def _gone_through(node: Any) -> set[str]:
    """The names that comprehensions give to what they go through."""
    parts = (part for part in below(node) if isinstance(part, cst.CompFor))
    return set().union(*(names_in(part.target) for part in parts))


def _refuse_cotangent_of_option(source, backward, parameters) -> None:
    options = {n for n, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    for name in sorted(assigned_names(backward.body)):
        if name.endswith("_bar") and name[:-4] in options:
            raise MalformedFormulaError(
                f"backward computes a cotangent of the option {name[:-4]!r}",
                spots=[source.spot(backward)],
                why="Keyword-only parameters are options and are not differentiated.",
                fixes=["make it a positional parameter"],
            )


def _loads(node: Any) -> list[cst.Name]:
    """The names that are read, without attribute and keyword names."""
    parts = below(node, {cst.Param}, variables=True)
    return [part for part in parts if isinstance(part, cst.Name)]
