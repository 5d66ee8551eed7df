"""Calls of ``grad`` and its kind, and of what they give, inside of a function."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import srcgrad
from srcgrad.analysis.shapes.results import type_of
from srcgrad.analysis.shapes.whole_numbers import passed_on
from srcgrad.calling.arguments.local_names import LocalName, not_an_argument
from srcgrad.calling.arguments.targets import names_of_wrt, unwrap
from srcgrad.calling.options import HOW
from srcgrad.errors import ArgumentError, SrcgradError, UnresolvedCallError, UnsupportedSyntaxError
from srcgrad.frontend.calls.checkpoints import lower_checkpoint
from srcgrad.frontend.calls.paths import expression_of
from srcgrad.frontend.calls.split import (
    call_function,
    call_pair,
    has_pullback,
    is_out_of_sight,
)
from srcgrad.frontend.containers import indexing
from srcgrad.frontend.containers.parameters import bind_arguments, formal, parameters_of
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.outer_names import rely_on
from srcgrad.frontend.state.rewriting import loop_written_out
from srcgrad.frontend.text.names import names_in
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    Closure,
    Compound,
    Const,
    Derivative,
    Items,
    Known,
    Method,
    Pullback,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.types import Type
from srcgrad.late import late
from srcgrad.library.attributes import plainly
from srcgrad.transformation.derived import Formal, pick_part, resting

_GIVES_FUNCTION = {"grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian", "hvp"}
_INTERFACE = (*_GIVES_FUNCTION, "vjp", "jvp", "checkpoint", "vmap")
_UNKNOWN = Type("numeric", None, "?")


@functools.cache
def _interface() -> dict[Any, str]:
    return {getattr(srcgrad, name): name for name in _INTERFACE}


def lower_transform(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower a call that concerns a derivative; None where it does not."""
    try:
        kind = _interface().get(fn)
    except TypeError:
        kind = None
    if kind is None and inspect.ismethod(fn):
        if isinstance(fn.__self__, srcgrad.Differentiated) and fn.__name__ in ("vjp", "jvp"):
            owner: Any = fn.__self__
            wrt = {"wrt": _embedded(owner.wrt)} if fn.__name__ == "vjp" else {}
            args = (Known(owner, owner.__name__), *args)
            return _immediate(b, fn.__name__, args, {**options, **wrt}, node, skipped=0)
    if kind == "checkpoint":
        return lower_checkpoint(b, args[0] if len(args) == 1 and not options else None, node)
    if kind in _GIVES_FUNCTION or kind == "vmap":
        return _function(b, kind, args, options, node)
    if kind is not None:
        return _immediate(b, kind, args, options, node, skipped=1)
    if plainly(fn, "__srcgrad__") is not None or plainly(fn, "__srcgrad_of__") is not None:
        with located(b, node):
            base, derivatives = chain(fn)
        return call_derivative(b, Known(base, base.__name__), derivatives, args, options, node)
    return None


@contextlib.contextmanager
def located(b: Builder, node: Any) -> Iterator[None]:
    """Let an error that tells no place stand at a call."""
    try:
        yield
    except SrcgradError as error:
        if not error.spots:
            raise error.at([b.source.spot(node)]) from None
        raise


def _embedded(wrt: Any) -> Value:
    if isinstance(wrt, tuple | list):
        return Items(tuple(map(_embedded, wrt)))
    return Const(wrt)


def chain(fn: Any) -> tuple[Any, tuple[Derivative, ...]]:
    """Return the plain function behind a derivative, and which derivatives were taken of it."""
    made = plainly(fn, "__srcgrad__")
    if made is not None:
        made.current()
        base, derivatives = chain(made.plain)
        labels = made.labels()
        wrt = tuple(labels) if isinstance(made.wrt, tuple | list) else labels[0]
        bound = made.bound
        derivatives = (*derivatives, Derivative(made.kind, wrt, made.has_aux))
    elif plainly(fn, "__srcgrad_of__") is not None:
        kind, function, wrt = fn.__srcgrad_of__
        base, derivatives = chain(function)
        options = fn.__srcgrad_made__[2]
        bound, derivatives = (), (*derivatives, *_steps(kind, wrt, options.get("has_aux", False)))
    else:
        base, bound = unwrap(fn)
        derivatives = ()
    if bound:
        raise UnsupportedSyntaxError(
            f"the derivative of the method {base.__name__} is not supported inside of a function "
            "that is differentiated itself",
            fixes=["write a function of the arguments that calls the method"],
        )
    return base, derivatives


def _steps(kind: str, wrt: Any, has_aux: bool = False) -> tuple[Derivative, ...]:
    """The derivatives that a function of the interface is made of."""
    wrt = tuple(wrt) if isinstance(wrt, list) else wrt
    if has_aux and kind not in ("grad", "value_and_grad"):
        raise UnsupportedSyntaxError(
            f"the {kind} of a value that has something beside it is not supported inside of a "
            "function that is differentiated itself",
            fixes=["write a function that gives the value alone"],
        )
    if kind in ("hessian", "hvp"):
        last = "jacobian" if kind == "hessian" else "hvp"
        return Derivative("grad", wrt), Derivative(last, wrt)
    if kind in ("jacfwd", "jacrev", "jacobian"):
        return (Derivative("jacobian", wrt),)
    return (Derivative(kind, wrt, has_aux),)


def _of_unknown(b: Builder, kind: str, args: tuple[Value, ...], options: Any, node: Any) -> None:
    """Refuse a derivative of something that is differentiated itself, as an object is."""
    everything = (*args, *options.values())
    if any(isinstance(v, Method) or is_active(capture(b, v)) for v in everything):
        raise UnresolvedCallError(
            f"it is not known, when code is generated, what {kind} differentiates here",
            spots=[b.source.spot(node)],
            fixes=["write a function of the arguments that calls the method"],
        )


def _static(b: Builder, value: Value, node: Any) -> Any:
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Items):
        return tuple(_static(b, v, node) for v in value.items)
    if isinstance(value, Known) and type(value.object) in (tuple, list):
        rely_on(b, value)
        return tuple(value.object)
    number = indexing.needed_number(b, value)
    if number is not None:
        return number
    error = b.refuse(node, "a wrt that is not known when code is generated", "write it out")
    raise loop_written_out(b, frozenset(names_in(node)), error)


def _function(b: Builder, kind: str, args: tuple[Value, ...], options, node) -> Value | None:
    """Lower ``grad(f)`` and its kind: the function is known, and nothing is computed."""
    if not args or not isinstance(args[0], Known | Closure):
        return _of_unknown(b, kind, args, options, node)
    function: Any = args[0]
    rest = args[1:]
    labels = ("in_axes", "out_axes") if kind == "vmap" else ("wrt", "has_aux")
    given = dict(zip(labels, rest, strict=False)) | options
    for name in HOW:  # they are for the function around that says so, or does not
        given.pop(name, None)
    plain = {name: _static(b, value, node) for name, value in given.items()}
    if isinstance(function, Known):
        key = (kind, function.object, tuple(plain.items()))
        known = b.context.derived
        if key not in known:
            with located(b, node):
                known[key] = Known(getattr(srcgrad, kind)(function.object, **plain), kind)
        return known[key]
    if kind == "vmap":
        loop = late("making_loop")(_needed(function.node), **plain)
        return call_function(b, Known(loop, kind), args, options, node)
    steps = _steps(kind, plain.get("wrt", 0), plain.get("has_aux", False))
    return replace(function, derivatives=(*function.derivatives, *steps))


def _needed(node: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a local function that have no default."""
    every = (*node.params.posonly_params, *node.params.params)
    return tuple(p.name.value for p in every if p.default is None)


def call_derivative(
    b: Builder,
    base: Value,
    derivatives: tuple[Derivative, ...],
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
) -> Value:
    """Lower a call of a derivative of a known or a local function."""
    base = capture(b, base)
    args = tuple(capture(b, v) for v in args)
    options = {k: capture(b, v) for k, v in options.items()}
    everything = [base, *args, *options.values()]
    always = is_out_of_sight(b, base)
    if not always and not any(map(is_active, everything)):
        b.layout.impure.add(id(node))
        return b.opaque(node, everything, _kind_of(derivatives, args))
    last = derivatives[-1]
    own, rest = args, ()
    if last.kind == "hvp":
        own, rest = args[:-1], args[-1:]
    _single(b, last, node)
    made, given, extras = _derived(b, base, derivatives, own, options, node)
    return _call(b, made.run, (*own, *rest), {**options, **given}, extras, node, always=always)


def _single(b: Builder, derivative: Derivative, node: Any) -> None:
    if derivative.kind in ("hvp", "jacobian") and isinstance(derivative.wrt, tuple):
        raise b.refuse(
            node,
            "a Jacobian or Hessian with respect to several arguments",
            "take them one argument at a time",
            "Inside of a function that is differentiated, wrt names one of them.",
        )


def _kind_of(derivatives: tuple[Derivative, ...], args: tuple[Value, ...]) -> Type:
    """The type of a derivative that does not depend on what is being differentiated."""
    last = derivatives[-1]
    position = last.wrt
    if last.kind == "grad" and not last.has_aux and isinstance(position, int):
        if 0 <= position < len(args) and isinstance(args[position], Var):
            type_ = type_of(args[position])
            if type_.is_number and type_.dtype in ("f", "c"):
                return type_.with_active(False)
    return _UNKNOWN


def _derived(b: Builder, base, derivatives, args, options, node):
    """Generate a derivative for these arguments.

    Returns:
        The code; arguments that the text of the call does not have, by parameter; and
        those parameters with their texts.
    """
    if any(has_pullback(v) for v in (base, *args, *options.values())):
        raise b.refuse(node, "a backward function in another function", "call it where vjp is")
    parameters, name = parameters_of(b, base)
    bound = bind_arguments(b, parameters, args, options, node, name)
    _, extras, found, _, own = formal(b.context, base, bound, {})
    still = [(p, resting(value), passed) for p, value, passed in bound]
    values, _, _, added, inner = formal(b.context, resting(base), still, {})
    _check_wrt(b, parameters, dict(values), derivatives, node, name)
    second = len(derivatives) > 1 and derivatives[-1].kind == "jacobian"
    told = passed_on(
        b.context.lengths,
        [v for _, v in (*values, *added)],
        [*(v for _, v, _ in bound), *extras.values()],
    )
    b.context.lengths.values |= told
    wanted = Formal(
        base, parameters, values, added, inner, second, tuple((v.name, n) for v, n in told.items())
    )
    with located(b, node):
        made = late("derive")(b.context, wanted, derivatives)
    given = dict(extras)
    texts = [(label, expression_of(b, extras[label], inner)) for label, _, inner in found]
    if own is not None:
        for parameter, value, passed in bound:
            if not passed:
                given[parameter.name] = value
                texts.append((parameter.name, expression_of(b, value, "")))
    return made, given, tuple(texts)


def _check_wrt(b: Builder, parameters, values, derivatives, node, name: str) -> None:
    """Refuse arguments that cannot be differentiated, at the line of the call."""
    for derivative in derivatives:
        with located(b, node):
            wanted = names_of_wrt(derivative.wrt, parameters, name)
        for label in wanted:
            if isinstance(label, LocalName):
                if derivative.kind not in ("grad", "value_and_grad", "vjp"):
                    raise not_an_argument(label).at([b.source.spot(node)])
                continue
            value = pick_part(values, label)
            if isinstance(value, Compound) and derivative.kind in ("grad", "value_and_grad", "vjp"):
                continue
            if isinstance(value, Compound):
                what = f"{derivative.kind} with respect to {label!r}, which has parts, here"
                raise b.refuse(node, what, "give it the arrays themselves")
            type_ = type_of(value) if isinstance(value, Var | Const) else None
            whole = derivative.kind == "jacobian"
            if whole and type_ is not None and type_.dtype == "c":
                raise ArgumentError(
                    f"a Jacobian or Hessian with respect to {label!r} of {name}, which is complex",
                    spots=[b.source.spot(node)],
                    fixes=["use vjp, jvp or hvp"],
                )
            if type_ is None or not type_.is_number or type_.dtype not in ("f", "c", "?"):
                raise ArgumentError(
                    f"the argument {label!r} of {name} cannot be differentiated",
                    spots=[b.source.spot(node)],
                    fixes=["pass an array or a number of floating-point type"],
                )


def _call(b: Builder, run: Any, args, options, texts, node, **how: Any) -> Value:
    return call_pair(b, Known(run, run.__name__), args, options, node, texts=texts, **how)


def _immediate(
    b: Builder, kind: str, args: tuple[Value, ...], options: dict[str, Value], node, skipped: int
) -> Value | None:
    """Lower ``vjp(f, x)`` and ``jvp(f, (x,), (x_dot,))``."""
    if not args or not isinstance(args[0], Known | Closure):
        return _of_unknown(b, kind, args, options, node)
    function: Any
    function, *rest = (capture(b, v) for v in args)
    options = {k: capture(b, v) for k, v in options.items()}
    if isinstance(function, Known):
        with located(b, node):
            base, derivatives = chain(function.object)
        wrt = getattr(function.object, "wrt", 0)
        function = Known(base, base.__name__)
    else:
        derivatives, wrt = function.derivatives, 0
        function = replace(function, derivatives=())
    own = {name for name in (*HOW, "wrt")[: len(HOW) + skipped] if name in options}
    if own - {arg.keyword.value for arg in node.args if arg.keyword is not None}:
        raise b.refuse(node, f"{kind} with options that are unpacked", "write them out")
    for name in HOW:
        options.pop(name, None)
    if kind == "vjp":
        if "wrt" in options:
            wrt = _static(b, options.pop("wrt"), node)
        steps = (*derivatives, Derivative("vjp", wrt))
        made, given, texts = _derived(b, function, steps, tuple(rest), options, node)
        pair = _call(
            b, made.run, tuple(rest), {**options, **given}, texts, node,
            skipped=skipped, unpassed=("wrt", *HOW), always=True,
        )  # fmt: skip
        assert isinstance(pair, Items)
        value, residuals = pair.items
        return Items((value, Pullback(residuals, made.backward)))
    return _jvp(b, function, derivatives, rest, options, node, skipped)


def _jvp(b: Builder, function, derivatives, rest, options, node, skipped: int) -> Value:
    given = dict(zip(("primals", "tangents"), rest, strict=False)) | options
    parts = [given.get("primals"), given.get("tangents")]
    for part in parts:
        if not isinstance(part, Items):
            raise b.refuse(
                node,
                "jvp of something else than tuples of known length",
                "write jvp(f, (x,), (x_dot,))",
            )
    primals, tangents = parts
    moving = tuple(k for k, dot in enumerate(tangents.items) if dot != Const(None))
    if len(primals.items) != len(tangents.items) or not moving:
        raise b.refuse(node, "this jvp", "give a tangent, or None, for each primal")
    for x, dot in zip(primals.items, tangents.items, strict=True):
        known = isinstance(x, Var | Const) and isinstance(dot, Var | Const) and dot != Const(None)
        if known and type_of(x).ndim != type_of(dot).ndim:
            raise b.refuse(node, "a tangent in another shape", "give it the shape of its argument")
    if not any(map(is_active, (function, primals, tangents))):
        return b.opaque(node, [function, primals, tangents], _UNKNOWN)
    steps = (*derivatives, Derivative("jvp", moving))
    made, extra, texts = _derived(b, function, steps, primals.items, {}, node)
    return _call(b, made.run, (primals, tangents), extra, texts, node, skipped=skipped)


def call_pullback(b: Builder, pullback: Pullback, args, options, node) -> Value:
    """Lower a call of the backward function that ``vjp`` gave."""
    bar = (*args, *options.values())
    if len(bar) != 1 or set(options) - {"value_bar"} or not _given(bar[0]):
        raise b.refuse(
            node, "this call of a backward function", "pass one cotangent, without None in it"
        )
    return _call(
        b, pullback.function, (pullback.residuals, *bar), {}, (), node,
        style="pullback", always=True,
    )  # fmt: skip


def _given(value: Value) -> bool:
    return Const(None) not in leaves(value)
