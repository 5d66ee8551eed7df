"""Derivatives that are taken inside of a function that is itself being differentiated.

The code of such a derivative is generated for the types of its arguments, in the same
way as for a call from outside, and compiled. It is then a function with source like
any other: the outer derivative reads it again.
"""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.analysis.memory.arguments import separate_arguments
from srcgrad.analysis.memory.exposure import expose
from srcgrad.analysis.memory.writes import require_unaliased
from srcgrad.analysis.shapes.results import type_of
from srcgrad.calling.arguments.local_names import LocalName
from srcgrad.calling.arguments.targets import names_of_wrt
from srcgrad.emit.derivatives import Derivatives
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.calls.language import lower_function, nested_source, prepare
from srcgrad.frontend.calls.pairs import unnamed_in, visible
from srcgrad.frontend.checks.changed_state import require_kept
from srcgrad.frontend.checks.purity import Purity, of_program
from srcgrad.frontend.containers.lists import leaves
from srcgrad.frontend.containers.parameters import anonymous, describe
from srcgrad.frontend.state.returned import require_parts
from srcgrad.generation.generate import WORDS, place_of, require_scalar
from srcgrad.ir.demands import OF_FUNCTIONS, Demands, satisfied
from srcgrad.ir.nodes import (
    Closure,
    Compound,
    Derivative,
    Function,
    Items,
    Known,
    Struct,
    Value,
    Var,
)
from srcgrad.load.compile import load
from srcgrad.load.texts import FunctionText
from srcgrad.transformation.context import Context
from srcgrad.transformation.derived import Derived, Formal, require_perturbed, wanted_of

_DEPTH = 3  # derivatives of one function that may be generated inside each other


def derive(context: Context, formal: Formal, derivatives: tuple[Derivative, ...]) -> Derived:
    """Generate the code of a derivative for the types of its arguments."""
    function = formal.function
    identity = id(function.node) if isinstance(function, Closure) else id(function.object)
    types = tuple(describe(v) for _, v in (*formal.values, *formal.added))
    key = (identity, derivatives, formal.extras, anonymous(types), formal.told)
    found = context.derived.get(key)
    if found is None:
        if context.nesting.count(identity) >= _DEPTH:
            raise UnsupportedSyntaxError(
                f"{_name(function)} takes derivatives of itself, to a depth that only its "
                "values tell",
                fixes=["write the levels as functions of their own"],
            )
        made: Any = Derived(function.object) if isinstance(function, Known) else None
        for k, derivative in enumerate(derivatives):
            made = _derive(context, formal, made, derivative, (*context.nesting, identity))
            if k + 1 < len(derivatives):
                assert derivative.kind in ("grad", "value_and_grad"), derivative
        found = context.derived[key] = (made, function)  # keeps the object whose id is in the key
    return found[0]


def _name(function: Any) -> str:
    return function.object.__name__ if isinstance(function, Known) else function.name


def _derive(context: Context, formal: Formal, inner: Any, derivative: Derivative, nesting) -> Any:
    """Generate a derivative of a function, or of the derivative that was generated last."""
    source: Any = None

    def made_for(demands: Demands) -> tuple[Context, Any]:
        nonlocal source
        own = Context(context.facts, demands)
        own.lengths = context.lengths
        own.casts, own.precisions = context.casts, context.precisions
        own.nesting, own.of_cupy = nesting, context.of_cupy
        given = derivative.wrt if isinstance(derivative.wrt, tuple | list) else (derivative.wrt,)
        own.perturbed = tuple(name for name in given if isinstance(name, LocalName))
        own.purity, own.harmless = context.purity, context.harmless
        own.entry, own.changed_state = context.entry, context.changed_state
        own.unknown, own.runs_outside = context.unknown, context.runs_outside
        own.data = context.data
        own.written |= context.written
        source = _source(own, formal, inner)
        own.keep_names(source, derivative.kind)
        written = _write(own, formal, inner, source, derivative)
        require_kept(own, (value for _, value in formal.values))
        return own, written

    own, made = satisfied(made_for, context.demands, lambda: source, OF_FUNCTIONS)
    context.unsure |= own.unsure
    context.complex |= own.complex
    context.unsettled |= own.unsettled
    context.written |= own.written
    return made


def _source(context: Context, formal: Formal, inner: Derived | None) -> Any:
    if inner is not None:
        run: Any = inner.run
        return prepare(run, context)
    function: Any = formal.function
    return nested_source(function.source, function.node, function.name, context)


def _write(context: Context, formal: Formal, inner: Any, source: Any, derivative: Derivative):
    wanted = names_of_wrt(derivative.wrt, formal.parameters, source.name)
    values = [(name, _moving(name, value, wanted)) for name, value in formal.values]
    added = [(name, _moving(name, value, wanted)) for name, value in formal.added]
    if inner is None:
        swap = {id(p): q for (_, p), (_, q) in zip(formal.added, added, strict=True)}
        everything = visible(formal.function, _refilled(formal.own, swap), values, added)
    else:
        everything = [*values, *added]
    function = lower_function(context, source, everything, unnamed=unnamed_in(formal.own))
    function.params = (*values, *added, *function.perturbed)
    require_perturbed(context, function)
    extras = formal.extras if inner is None else ()  # a generated function has them already
    require_parts(source, function.result)
    require_unaliased(function)
    separate_arguments(function)
    if derivative.kind in ("grad", "value_and_grad", "vjp"):  # nothing is kept in the others
        expose(function)
    wrt = [wanted_of(function, name) for name in wanted]
    many = isinstance(derivative.wrt, tuple | list)
    names = ", ".join(n.replace(".", "_") for n in wanted)
    names = f"({names})" if many else names
    made = Derivatives(context)
    write = _WRITERS[derivative.kind]
    found = write(context, made, function, derivative, wrt, names, formal, extras)
    context.written |= dict.fromkeys((text.name for text in made.functions), True)
    context.written[found.run.__name__] = found.run
    return found


def _refilled(own: Any, swap: dict[int, Value]) -> Any:
    """A local function whose captured values are replaced, by the identity of the old ones."""
    if not isinstance(own, Closure):
        return own
    held = ((n, _refilled(swap.get(id(v), v), swap)) for n, v in own.captured)
    return replace(own, captured=tuple(held))


def _moving(name: str, value: Value, wanted: list[str]) -> Value:
    """A parameter, active where it is differentiated with respect to."""
    if name in wanted:
        return _active(value)
    if isinstance(value, Items):
        parts = enumerate(value.items)
        return value.like(_moving(f"{name}.{k}", v, wanted) for k, v in parts)
    return value


def _active(value: Value) -> Value:
    if isinstance(value, Compound):
        return value.like(map(_active, value.items))
    if isinstance(value, Var) and value.type.is_number and value.type.dtype in ("f", "c", "?"):
        dtype = "c" if value.type.dtype == "c" else "f"
        return Var(value.name, replace(value.type.with_active(True), dtype=dtype), value.named)
    return value


def _joint(
    context, made, function: Function, derivative, wrt, names, formal: Formal, extras
) -> Derived:
    require_scalar(function, derivative, function.source)
    text = made.joint(
        function,
        wrt,
        derivative.kind,
        f"{WORDS[derivative.kind]} of {place_of(function.source)} with respect to {names}.",
        many=isinstance(derivative.wrt, tuple | list),
        has_aux=derivative.has_aux,
        exact=True,
        extras=extras,
    )
    functions, _, _ = load(made.functions, text.name)
    return Derived(functions[text.name])


def _jvp(
    context, made, function: Function, derivative, wrt, names, formal: Formal, extras
) -> Derived:
    """Write a function of primals and tangents, as tuples, around the one with the tangents."""
    doc = f"Value and tangent of {place_of(function.source)} with respect to {names}."
    label, dots = made.jvp(function, wrt, doc, extras)
    functions, _, _ = load(made.functions, label)
    moving = [_position(formal, value) for value in wrt]
    given = [f"{dot}={dot}" for dot in dots]
    tangents = ["_"] * len(formal.values)
    for k, dot in zip(moving, dots, strict=True):
        tangents[k] = dot
    name = f"{function.source.name}_pushforward"
    plain = [name for name, _ in formal.values]
    text = (
        f"def {_head(name, ['primals', 'tangents'], formal.extras)}:\n"
        f'    """Value of {function.source.name}, and its tangent along a direction."""\n'
        f"    {_tuple(plain)} = primals\n"
        f"    {_tuple(tangents)} = tangents\n"
        f"    return {label}({', '.join([*_passed(formal), *given])})\n"
    )
    return Derived(_compiled(name, text, function, {label: functions[label]}))


def _pushforward(
    context, made, function: Function, derivative, wrt, names, formal: Formal, extras
) -> Derived:
    """Write a function of the arguments and then the tangents, one after another."""
    doc = f"Value and tangent of {place_of(function.source)} with respect to {names}."
    label, dots = made.jvp(function, wrt, doc, extras)
    functions, _, _ = load(made.functions, label)
    name = f"{function.source.name}_tangent"
    own = [*(n for n, _ in formal.values), *formal.extras]
    given = [*_passed(formal), *(f"{dot}={dot}" for dot in dots)]
    text = (
        f"def {name}({', '.join([*own, *dots])}):\n"
        f'    """Tangent of {function.source.name}."""\n'
        f"    return {label}({', '.join(given)})[1]\n"
    )
    return Derived(_compiled(name, text, function, {label: functions[label]}))


def _hvp(
    context, made, function: Function, derivative, wrt, names, formal: Formal, extras
) -> Derived:
    """Write a function of the arguments and a vector around the tangent of a gradient."""
    label, dots = made.jvp(
        function, wrt, f"Value and tangent of {place_of(function.source)}.", extras
    )
    functions, _, _ = load(made.functions, label)
    base = function.source.name.removesuffix("_grad")
    name = f"{base}_hvp"
    given = ", ".join([*_passed(formal), f"{dots[0]}=vector"])
    own = [name for name, _ in formal.values]
    text = (
        f"def {_head(name, [*own, 'vector'], formal.extras)}:\n"
        f'    """Product of the Hessian of {base} with a vector."""\n'
        f"    return {label}({given})[1]\n"
    )
    return Derived(_compiled(name, text, function, {label: functions[label]}))


def _jacobian(context, made, function: Function, derivative, wrt, names, formal: Formal, extras):
    """Write a function that calls ``jvp`` for each element of one argument."""
    label, dots = made.jvp(
        function, wrt, f"Value and tangent of {place_of(function.source)}.", extras
    )
    functions, _, _ = load(made.functions, label)
    (moving,) = wrt
    columns: Any = type_of(function.result).ndim
    rank = moving.type.ndim
    unknown = rank is None or (rank > 1 and columns is None)
    if isinstance(function.result, Items) or unknown:
        raise UnsupportedSyntaxError(
            f"the Jacobian of {function.source.name} is not supported inside of a function that "
            "is differentiated",
            why="It is not known when code is generated how many dimensions it has.",
            fixes=["return one array, of an argument whose number of dimensions is known"],
        )
    if rank and _may_draw(context, formal.function):
        raise UnsupportedSyntaxError(
            f"the Jacobian of {function.source.name}, which draws random numbers, "
            "is not supported inside of a function that is differentiated",
            why="It is made column by column, and the function would run for each.",
            fixes=["draw before, and hand on what was drawn"],
        )
    base, x, dot = function.source.name, moving.name, dots[0]
    named = f"{base}_jacobian", f"Jacobian of {base}"
    if formal.second:
        base = base.removesuffix("_grad")
        named = f"{base}_hessian", f"Hessian of {base}"
    name, what = context.unused(named[0], (function, named)), named[1]
    passed = ", ".join(_passed(formal))
    lines = [
        f"def {_head(name, [n for n, _ in formal.values], formal.extras)}:",
        f'    """{what} with respect to {x}, column by column."""',
    ]
    if rank == 0:
        lines += [f"    return {label}({passed}, {dot}=1.0)[1]"]
    else:
        like = f", like={x}" if context.lengths.only_arrays else ""
        directions, shaped = f"np.identity({x}.size{like})", ""
        if rank != 1:
            lengths = [f"{x}.shape[{k}]" for k in range(rank or 0)]
            directions += f".reshape(({', '.join([f'{x}.size', *lengths])}))"
            outer = [f"columns[0].shape[{k}]" for k in range(columns or 0)]
            shaped = f".reshape(({', '.join([*outer, *lengths])}))"
        lines += [
            "    columns = []",
            f"    for {dot} in {directions}:",
            f"        columns.append({label}({passed}, {dot}={dot})[1])",
            f"    return np.stack(columns, axis=-1){shaped}",
        ]
    text = "\n".join(lines) + "\n"
    return Derived(_compiled(name, text, function, {label: functions[label], "np": np}))


def _vjp(
    context, made, function: Function, derivative, wrt, names, formal: Formal, extras
) -> Derived:
    """Write the pair; the backward function takes and gives what the interface's one does."""
    doc = f"Cotangents of {names} from the cotangent of the result of {place_of(function.source)}."
    docs = (f"{place_of(function.source)}, with what its backward function needs.", doc)
    forward, label, (_, _, pattern, _) = made.vjp(function, wrt, docs, extras)
    functions, _, _ = load(made.functions, forward)
    backward = functions[label]
    result = function.result
    if isinstance(result, Struct):
        raise UnsupportedSyntaxError(
            f"vjp of {function.source.name}, which returns an object or a dict, is not supported "
            "inside of a function that is differentiated",
            fixes=["return a tuple"],
        )
    one = isinstance(derivative.wrt, tuple | list) and len(wrt) == 1
    if isinstance(result, Items) or one:
        if any(isinstance(v, Items) for v in getattr(result, "items", ())) or not all(pattern):
            raise UnsupportedSyntaxError(
                f"vjp of {function.source.name} is not supported inside of a function that is "
                "differentiated",
                why="Its result is nested, or a part of it does not depend on the arguments.",
                fixes=["return a plain tuple of what depends on them"],
            )
        bars = [f"value_{k}_bar" for k in range(len(pattern))]
        name = f"{function.source.name}_pullback"
        lines = [f"    {_tuple(bars)} = value_bar"] if isinstance(result, Items) else []
        bars = bars if isinstance(result, Items) else ["value_bar"]
        call = f"{label}(residuals, {', '.join(bars)})"
        text = "\n".join(
            [
                f"def {name}(residuals, value_bar):",
                f'    """Cotangents of {names}, from that of the result of the function."""',
                *lines,
                f"    return {f'({call},)' if one else call}",
                "",
            ]
        )
        backward = _compiled(name, text, function, {label: backward})
    return Derived(functions[forward], backward)


def _may_draw(context: Context, function: Any) -> bool:
    """Tell whether each call of a function may draw other random numbers."""
    if isinstance(function, Known):
        return Purity([], [function.object]).drawing
    return of_program(context, context.entry).drawing  # a local function is a part of it


_WRITERS = {
    "grad": _joint, "value_and_grad": _joint, "jvp": _jvp, "pushforward": _pushforward,
    "hvp": _hvp, "jacobian": _jacobian, "vjp": _vjp,
}  # fmt: skip


def _position(formal: Formal, value: Value) -> int:
    leaf: Any
    (leaf,) = leaves(value)
    return next(k for k, (name, _) in enumerate(formal.values) if name == leaf.name)


def _passed(formal: Formal) -> list[str]:
    return [*(name for name, _ in formal.values), *(f"{name}={name}" for name in formal.extras)]


def _head(name: str, own: list[str], extras: tuple[str, ...]) -> str:
    return f"{name}({', '.join([*own, *(['*', *extras] if extras else [])])})"


def _tuple(parts: list[str]) -> str:
    return f"{parts[0]}," if len(parts) == 1 else ", ".join(parts)


def _compiled(name: str, text: str, function: Function, externals: dict[str, Any]) -> FunctionType:
    made = FunctionText(name, text, function.source, externals)
    return load([made], name)[0][name]
