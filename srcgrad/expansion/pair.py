"""A formula as a pair of functions, for calls at which it cannot be inlined.

The text of both comes from the text of the formula: ``backward`` becomes a
function of its own, and what it captured becomes its parameters. Captured
intermediates of the forward part become hidden outputs of the forward function.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.errors import MalformedFormulaError
from srcgrad.frontend.text.exits import returns_of
from srcgrad.frontend.text.names import bound_names, names_in
from srcgrad.frontend.text.source import Source, define_lambda
from srcgrad.program import facts
from srcgrad.transformation.context import Context


@dataclass(frozen=True, eq=False, repr=False)
class FormulaPair:
    """A formula that is called out of line."""

    source: Source  # the formula's source
    backward_name: str  # the name of the backward function
    forward_name: str  # the name of the forward function
    # the names that backward reads, in the order of its parameters: parameters and options first,
    # then the result, then hidden outputs
    captures: tuple[str, ...]
    result: str  # the name of the result in the formula, "" if backward ignores it
    hidden: tuple[str, ...]  # names of the captured intermediates
    cotangents: tuple[bool, ...]  # per positional parameter, whether it has a cotangent
    backward: cst.FunctionDef  # the definition of the backward function
    forward: cst.FunctionDef  # the definition of the forward function
    variadic: bool  # whether the formula takes any number of arguments


def formula_pair(context: Context, function: Any, source: Source) -> FormulaPair:
    """Return the pair of functions of a formula, made once per transformation."""
    pair = context.formula_pairs.get(function)
    if pair is None:
        pair = context.formula_pairs[function] = _split(context, function, source)
    return pair


def _split(context: Context, function: Any, source: Source) -> FormulaPair:
    statements = list(source.tree.body.body)
    definition, result = _backward(source, statements)
    parameters = facts.signature(function).parameters
    used = names_in(definition.body)
    own = {p.name.value for p in definition.params.params} | bound_names(definition.body)
    forward = [s for s in statements if s is not definition and not _is_return(s)]
    assigned = {n for s in forward for n in bound_names(s)}
    captured = [n for n in parameters if n in used - own]
    result_name = result.value if isinstance(result, cst.Name) else ""
    with_result = result_name in used - own and result_name not in parameters
    hidden = sorted((assigned & used) - own - {result_name} - set(parameters))
    captures = [*captured, *([result_name] if with_result else []), *hidden]
    z_bars = [p.name.value for p in definition.params.params]
    backward_name = context.name(f"{source.name}_backward", (function, "backward"))
    forward_name = context.name(f"{source.name}_forward", (function, "forward"))
    backward = cst.FunctionDef(
        cst.Name(backward_name),
        cst.Parameters([cst.Param(cst.Name(n)) for n in [*captures, *z_bars]]),
        definition.body,
    )
    outputs = ", ".join(hidden)
    value = cst.Module([]).code_for_node(result.with_changes(lpar=(), rpar=()))
    tail = cst.parse_statement(f"return {value}, {outputs}" if hidden else f"return {value}")
    forward_def = source.tree.with_changes(
        name=cst.Name(forward_name),
        decorators=(),
        leading_lines=(),
        body=cst.IndentedBlock([*forward, tail]),
    )
    return FormulaPair(
        source,
        backward_name,
        forward_name,
        tuple(captures),
        result_name if with_result else "",
        tuple(hidden),
        _cotangents(source, definition, parameters),
        backward,
        forward_def,
        any(p.kind is p.VAR_POSITIONAL for p in parameters.values()),
    )


def _is_return(statement: Any) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], cst.Return
    )


def _backward(source: Source, statements: list[Any]) -> tuple[cst.FunctionDef, Any]:
    last = statements[-1]
    value = last.body[0].value if _is_return(last) else None
    if not isinstance(value, cst.Tuple) or len(value.elements) not in (2, 3):
        raise MalformedFormulaError(
            f"the formula {source.name} does not end with `return result, backward`",
            spots=[source.spot(last)],
            fixes=["return the result and the backward function at the end"],
        )
    result, backward = (e.value for e in value.elements[:2])
    if isinstance(backward, cst.Lambda):
        return define_lambda(backward, "backward"), result
    for statement in statements:
        if isinstance(statement, cst.FunctionDef) and isinstance(backward, cst.Name):
            if statement.name.value == backward.value:
                return statement, result
    raise MalformedFormulaError(
        f"the formula {source.name} returns no local function as its backward part",
        spots=[source.spot(last)],
        fixes=["define backward with def inside of the formula"],
    )


def _cotangents(source: Source, definition: cst.FunctionDef, parameters: Any) -> tuple[bool, ...]:
    """Tell for each positional parameter whether backward returns a cotangent for it."""
    count = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters.values())
    if count == 1:
        return (True,)
    present = [False] * count
    for node in returns_of(definition):
        value = node.value
        if not isinstance(value, cst.Tuple) or len(value.elements) != count:
            if isinstance(value, cst.Tuple):
                raise MalformedFormulaError(
                    f"backward of {source.name} returns {len(value.elements)} cotangents "
                    f"for {count} positional parameters",
                    spots=[source.spot(node)],
                    fixes=["return one cotangent, or None, for each positional parameter"],
                )
            if not isinstance(value, cst.Call | cst.Name):
                raise MalformedFormulaError(
                    f"backward of {source.name} returns one cotangent "
                    f"for {count} positional parameters",
                    spots=[source.spot(node)],
                    fixes=["return one cotangent, or None, for each positional parameter"],
                )
            return (True,) * count
        for k, element in enumerate(value.elements):
            if not (isinstance(element.value, cst.Name) and element.value.value == "None"):
                present[k] = True
    return tuple(present)
