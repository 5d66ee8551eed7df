"""Lowering of calls: finding out, once, what a call will call."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes import type_of
from srcgrad.emit.libraries import place_in_scipy
from srcgrad.errors import MissingFormulaError, UnresolvedCallError
from srcgrad.frontend import indexing, lists, objects
from srcgrad.frontend.builder import OPERATOR_NAMES, Builder
from srcgrad.frontend.factories import gives_function
from srcgrad.frontend.results import results_of
from srcgrad.frontend.structures import is_dict, make_record
from srcgrad.ir.nodes import (
    Closure,
    Const,
    Items,
    Known,
    Method,
    Op,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.types import OPAQUE, Type
from srcgrad.registry import (
    NOT_YET,
    constant_parameters,
    find_formula,
    is_nondifferentiable,
    is_own,
    is_static,
    refusal_of,
)
from srcgrad.structures import is_object

UNKNOWN = Type("numeric", None, "?")


def lower_call(b: Builder, node: Any) -> Value:
    """Lower a call expression."""
    from srcgrad.frontend.expressions import lower, spread

    outer, b.callee = b.callee, node.func
    callee = lower(b, node.func)
    b.callee = outer
    args: list[Value] = []
    options: dict[str, Value] = {}
    for arg in node.args:
        value = lower(b, arg.value)
        if arg.star == "*":
            args.extend(spread(b, value, arg.value))
        elif arg.star == "**":
            if not is_dict(value):
                raise b.refuse(arg.value, "** of what is no known dict", "write the keywords out")
            options.update(zip(value.form.names, value.items, strict=True))  # type: ignore
        elif arg.keyword is not None:
            options[arg.keyword.value] = value
        else:
            args.append(value)
    return call(b, callee, tuple(args), options, node)


def call(
    b: Builder, callee: Value, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    """Lower a call whose callee and arguments are lowered."""
    if isinstance(callee, Method):
        return _call_method(b, callee, args, options, node)
    if isinstance(callee, Closure):
        from srcgrad.frontend.split import call_function

        return call_function(b, callee, args, options, node)
    if isinstance(callee, Struct):
        return objects.call_object(b, callee, args, options, node)
    if not isinstance(callee, Known):
        if _mentions_active(b, args, options):
            raise UnresolvedCallError(
                "it is not known, when code is generated, what this call will call",
                spots=[b.source.spot(node)],
                fixes=["call a function by its name", "pass the function as an argument"],
            )
        return b.opaque(node, [callee, *args, *options.values()], UNKNOWN)
    return _call_known(b, callee.object, args, options, node)


def _mentions_active(b: Builder, args: tuple[Value, ...], options: dict[str, Value]) -> bool:
    from srcgrad.frontend.closures import capture

    return any(is_active(capture(b, v)) for v in (*args, *options.values()))


def _call_known(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    if isinstance(fn, functools.partial):
        bound = tuple(embed(v) for v in fn.args)
        keywords = {k: embed(v) for k, v in fn.keywords.items()} | options
        return _call_known(b, fn.func, bound + args, keywords, node)
    out = options.get("out")
    active = is_active(Items((*args, *options.values())))
    if b.formula is None and out is not None and (active or isinstance(out, Var)):
        from srcgrad.frontend.mutators import write_out

        rest = {name: value for name, value in options.items() if name != "out"}
        return write_out(b, out, _call_known(b, fn, args, rest, None), node)
    if isinstance(fn, type) and b.formula is None:
        made = make_record(b, fn, args, options, node)
        if made is not None:
            return made
    special = _special(fn)
    if special is not None:
        value = special(b, args, options, node)
        if value is not None:
            return value
    if b.formula is not None:
        value = b.formula.call(b, fn, args, options, node)
        if value is not None:
            return value
    if is_static(fn):
        return _call_static(b, fn, args, options, node)
    formula = find_formula(fn)
    if not _mentions_active(b, args, options) and not gives_function(Known(fn)):
        if formula is not None or is_nondifferentiable(fn):
            if all(_plain(v) for v in (*args, *options.values())):
                return b.emit(Op(fn), args, node, tuple(options.items()), active=False)
        b.layout.impure.add(id(node))
        type_ = result_type(b, fn, args, options, node) or UNKNOWN
        made = b.opaque(node, [*args, *options.values()], type_)
        if isinstance(fn, types.FunctionType) and not _library(fn) and b.formula is None:
            from srcgrad.frontend.split import note_writes

            note_writes(b, Known(fn, fn.__name__), args, options, node)
        return made
    if formula is not None:
        return call_formula(b, fn, formula, args, options, node)
    if is_nondifferentiable(fn) or _passes_through(fn):
        type_ = None if all(_plain(v) for v in (*args, *options.values())) else UNKNOWN
        return b.emit(Op(fn), args, node, tuple(options.items()), type_=type_, active=False)
    primal = getattr(fn, "__srcgrad_primal__", fn)
    if isinstance(primal, types.MethodType):
        return call_bound(b, primal, args, options, node)
    own = inspect.getattr_static(type(primal), "__call__", None)
    if isinstance(own, types.FunctionType) and is_object(primal):
        return call_own(b, own, (Known(primal, "self"), *args), options, node)
    if isinstance(primal, types.FunctionType) and not _library(primal):
        from srcgrad.frontend.split import call_function

        return call_function(b, Known(primal, primal.__name__), args, options, node)
    raise missing_formula(b, fn, args, node)


def call_own(
    b: Builder,
    fn: Any,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    style: str = "method",
) -> Value:
    """Lower a call of a method, whose first argument is not written between the brackets."""
    from srcgrad.frontend.split import call_function

    primal = getattr(fn, "__srcgrad_primal__", fn)
    return call_function(b, Known(primal, primal.__name__), args, options, node, style)


def call_bound(b: Builder, method: Any, args, options: dict[str, Value], node: Any) -> Value:
    """Lower a call of a bound method that is known when code is generated."""
    from srcgrad.frontend.expressions import lower

    func, style = getattr(node, "func", None), "bound"
    if isinstance(func, cst.Attribute):
        owner = lower(b, func.value)
        held = owner.object if isinstance(owner, Known) else None
        if held is method.__self__ or isinstance(held, super):
            style = "method"
    owner = Known(method.__self__, "self")
    return call_own(b, method.__func__, (owner, *args), options, node, style)


def _plain(value: Value) -> bool:
    if isinstance(value, Items):
        return all(_plain(v) for v in value.items)
    return isinstance(value, Var | Const | Known)


def _library(fn: types.FunctionType) -> bool:
    """Whether a Python function belongs to a library that formulas are written for."""
    module = (getattr(fn, "__module__", None) or "").split(".")[0]
    return module in ("numpy", "scipy", "cupy", "cupyx", "math")


def _passes_through(fn: Any) -> bool:
    """Whether a callable only reports (logging and its kind)."""
    owner = getattr(fn, "__self__", None)
    return type(owner).__module__ == "logging" or getattr(fn, "__module__", "") == "logging"


def embed(value: Any) -> Value:
    """What an object stands for that is known when code is generated."""
    if value is None or isinstance(value, bool | int | float | str):
        return Const(value)
    return Known(value)


def _call_static(b, fn, args, options, node) -> Value:
    def plain(value: Value) -> Any:
        if isinstance(value, Const):
            return value.value
        if isinstance(value, Items):
            made = [plain(v) for v in value.items]
            return made if value.is_list else tuple(made)
        if isinstance(value, Known):
            return value.object
        raise NotStatic

    try:
        result = fn(*map(plain, args), **{k: plain(v) for k, v in options.items()})
    except NotStatic:
        return b.emit(Op(fn), args, node, tuple(options.items()), type_=UNKNOWN, active=False)
    except NotImplementedError as error:  # how a formula refuses an option
        origin = b.origin(node)
        spots = [origin.source.spot(origin.node or origin.statement)] if origin.statement else []
        raise MissingFormulaError(
            str(error), spots=spots, fixes=["use an option that has a formula"]
        ) from None
    except Exception:  # noqa: BLE001 - it stands in a branch that is not taken, or is raised there
        return b.emit(Op(fn), args, node, tuple(options.items()), type_=UNKNOWN, active=False)
    return _constant(result)


def _constant(value: Any) -> Value:
    if isinstance(value, tuple | list):
        return Items(tuple(_constant(v) for v in value), isinstance(value, list))
    return Const(value)


class NotStatic(Exception):
    """An argument is not known when code is generated."""


def missing_formula(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> Exception:
    """Return the error for an active call of a function without a formula."""
    name = qualified_name(fn)
    guilty = [v for v in args if is_active(v)]
    subject = guilty[0].name if guilty and isinstance(guilty[0], Var) else "an argument"
    why = f"{subject} depends on what is being differentiated."
    reason = refusal_of(fn)
    if reason is not None and reason != NOT_YET:
        why += f" {reason[0].upper()}{reason[1:]}."
    return MissingFormulaError(
        f"no formula for {name}",
        spots=[b.source.spot(node)],
        why=why,
        fixes=[f"register one with @formula({name})", f"wrap {subject} in stop_gradient"],
    )


def qualified_name(fn: Any) -> str:
    """Return the dotted name that a function is known by."""
    found = place_in_scipy(fn)
    if found is not None:
        return f"{found[0].__name__}.{found[1]}"
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return f"{qualified_name(fn.__self__)}.{fn.__name__}"
    if isinstance(fn, types.BuiltinFunctionType) or hasattr(fn, "__qualname__"):
        module = getattr(fn, "__module__", None)
        name = getattr(fn, "__qualname__", getattr(fn, "__name__", repr(fn)))
        return name if module in (None, "builtins", "__main__") else f"{module}.{name}"
    name = getattr(fn, "__name__", None)
    module = "numpy" if type(fn).__module__.startswith("numpy") else type(fn).__module__
    return f"{module}.{name}" if name else repr(fn)


def require_formula(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> None:
    """Refuse an operation on active values that has no formula."""
    if b.formula is None and find_formula(fn) is None and not is_nondifferentiable(fn):
        raise missing_formula(b, fn, args, node)


@functools.lru_cache(maxsize=2048)
def parameters_if_any(fn: Any) -> tuple[inspect.Parameter, ...]:
    """The parameters of a function; none where it does not tell them."""
    try:
        return tuple(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return ()


def call_formula(
    b: Builder, fn: Any, formula: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    """Bind a call to a formula's parameters and append its equation."""
    if any(isinstance(v, Struct) for v in (*args, *options.values())):
        raise b.refuse(
            node, f"a dict or an object as an argument of {qualified_name(fn)}", "pass its parts"
        )
    positional, extra = bind_formula(b, fn, formula, args, options, node)
    for name, value in extra:
        if is_active(value):
            raise b.refuse(
                node,
                f"an active value as the option {name}= of {qualified_name(fn)}",
                "pass an inactive value",
                "Options are not differentiated.",
            )
    _refuse_active_constants(b, fn, formula, positional, node)
    if is_nondifferentiable(fn):
        return b.emit(Op(fn), positional, node, extra, active=False)
    _note_roles(b, fn, positional)
    style = b.style
    type_ = result_type(b, fn, positional, dict(extra), node)
    if type_ is None and not is_own(formula):
        type_ = _fresh(b, results_of(fn))
    return b.emit(Op(fn, *style), positional, node, extra, type_=type_)


def _refuse_active_constants(b: Builder, fn: Any, formula: Any, args: Any, node: Any) -> None:
    constant = constant_parameters(formula)
    if constant:
        for parameter, value in zip(parameters_if_any(formula), args, strict=False):
            if parameter.name in constant and is_active(value):
                raise b.refuse(
                    node,
                    f"an active value as {parameter.name} of {qualified_name(fn)}",
                    "pass an inactive value or wrap it in stop_gradient",
                    f"There is no formula for the slope in {parameter.name}.",
                )


def result_type(b: Builder, fn: Any, args, options, node) -> Type | None:
    """The type of what a function of the user's gives back, if its source tells."""
    if not isinstance(fn, types.FunctionType) or _library(fn) or b.formula is not None:
        return None
    if fn.__module__.startswith("srcgrad"):
        return None
    from srcgrad.frontend.split import inactive_type

    return inactive_type(b, Known(fn, fn.__name__), args, options, node)


_REDUCTIONS = {"sum", "mean", "prod", "max", "min", "amax", "amin", "transpose", "diag"}


def _fresh(b: Builder, template: Any) -> Any:
    if isinstance(template, tuple):
        return tuple(_fresh(b, part) for part in template)
    if template is None or template is OPAQUE:
        return template
    return Type(template.kind, b.context.lengths.fresh_shape(), template.dtype)


def _note_roles(b: Builder, fn: Any, args: tuple[Value, ...]) -> None:
    name = getattr(fn, "__name__", "")
    if len(args) == 1 and isinstance(args[0], Var) and not args[0].named:
        if name not in _REDUCTIONS and args[0].name in OPERATOR_NAMES:
            b.layout.roles.setdefault(args[0], {"exp": "exponent"}.get(name, "pre"))


def bind_formula(b, fn, formula, args, options, node):
    """Return (positional arguments, options) in terms of the formula's parameters."""
    parameters = parameters_if_any(formula)
    wanted = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    known = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    own = parameters_if_any(fn)
    names = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    values = list(args)
    rest = dict(options)
    if not variadic and len(values) > len(wanted):
        for k in range(len(wanted), len(values)):
            if k >= len(names):
                raise b.refuse(node, f"this argument of {qualified_name(fn)}", "pass it by name")
            rest[names[k]] = values[k]
        values = values[: len(wanted)]
    for k in range(len(values), len(wanted)):
        aliases = {wanted[k].name} | ({names[k]} if k < len(names) else set())
        found = [name for name in aliases if name in rest]
        if found:
            values.append(rest.pop(found[0]))
        elif wanted[k].default is not wanted[k].empty:
            if not any(p.name in rest for p in wanted[k + 1 :]):
                break
            values.append(embed(wanted[k].default))
        else:
            raise b.refuse(node, f"this call of {qualified_name(fn)}", "pass all its arguments")
    for name in list(rest):
        if name in known:
            continue
        default = {p.name: p.default for p in own}.get(name, inspect.Parameter.empty)
        value = rest[name]
        if isinstance(value, Const) and value.value is default:
            del rest[name]
            continue
        raise b.refuse(
            node,
            f"the option {name}= of {qualified_name(fn)}",
            f"leave it out or register a formula that has it (options known: {sorted(known)})",
        )
    return tuple(values), tuple(rest.items())


_RECEIVER_LISTS = {"reshape", "transpose"}


def _call_method(b: Builder, callee: Method, args, options, node) -> Value:
    from srcgrad.formulas.numpy.methods import METHODS, NONDIFFERENTIABLE_METHODS, REFUSED_METHODS

    receiver, name = callee.receiver, callee.name
    everything = [receiver, *args, *options.values()]
    if isinstance(receiver, Struct):
        return objects.call_method(b, receiver, name, args, options, node)
    if isinstance(receiver, Var) and receiver.type.kind == "list":
        return lists.call_method(b, receiver, name, args, node)
    if isinstance(receiver, Items) and receiver.is_list and any(is_active(v) for v in args):
        if name == "append":
            return lists.call_method(b, lists.promote(b, receiver, node), name, args, node)
    if not is_active(receiver) or isinstance(receiver, Const):
        number = isinstance(receiver, Var) and receiver.type.is_number
        if not any(is_active(v) for v in (*args, *options.values())):
            if number and name in METHODS and receiver.type.kind == "array":
                return _array_method(b, METHODS[name], name, receiver, args, options, node)
            b.layout.impure.add(id(node))
            return b.opaque(node, everything, UNKNOWN)
        if isinstance(receiver, Const) or _is_logger(b, receiver):
            return b.opaque(node, everything)
        if not (number and name in METHODS):
            raise UnresolvedCallError(
                f"it is not known what the method .{name} does with an active argument",
                spots=[b.source.spot(node)],
                fixes=["call a function by its name", "declare it with @nondifferentiable"],
            )
    if isinstance(receiver, Items) and receiver.is_list and name in ("append", "pop"):
        return lists.call_method(b, lists.promote(b, receiver, node), name, args, node)
    if isinstance(receiver, Items):
        raise b.refuse(node, f"the method .{name} of a tuple or list", "use indexing and loops")
    if name == "item" and args:
        return _item(b, receiver, args, node)
    if name in METHODS:
        return _array_method(b, METHODS[name], name, receiver, args, options, node)
    if name in NONDIFFERENTIABLE_METHODS:
        return b.opaque(node, everything, UNKNOWN)
    raise MissingFormulaError(
        f"no formula for the array method .{name}",
        spots=[b.source.spot(node)],
        why=REFUSED_METHODS.get(name, ""),
        fixes=["use the NumPy function instead"],
    )


def _item(b: Builder, receiver: Value, args: tuple[Value, ...], node) -> Value:
    """``x.item(k)`` counts through all elements, ``x.item(i, j)`` takes an index."""
    index = args[0] if len(args) == 1 else Items(args)
    if isinstance(index, Items) or type_of(receiver).ndim == 1:
        return indexing.read_item(b, receiver, index, node)
    return call_formula(b, np.take, find_formula(np.take), (receiver, index), {}, node)


def _array_method(b: Builder, fn, name, receiver, args, options, node) -> Value:
    if name in _RECEIVER_LISTS and (len(args) > 1 or (name == "reshape" and _integer(args))):
        args = (Items(tuple(args)),)
    formula = find_formula(fn)
    if formula is None or (b.formula is not None and not is_active(receiver)):
        return b.emit(
            Op(fn, "method", name),
            (receiver, *args),
            node,
            tuple(options.items()),
            active=b.formula is not None and not is_nondifferentiable(fn) and None,
        )
    b.style = ("method", name)
    try:
        return call_formula(b, fn, formula, (receiver, *args), options, node)
    finally:
        b.style = ("call", "")


def _integer(args) -> bool:
    return len(args) == 1 and (
        (isinstance(args[0], Const) and isinstance(args[0].value, int))
        or (isinstance(args[0], Var) and args[0].type.dtype == "i" and args[0].type.shape == ())
    )


def _is_logger(b: Builder, receiver: Value) -> bool:
    return isinstance(receiver, Known) and type(receiver.object).__module__ == "logging"


def _special(fn: Any):
    from srcgrad.frontend.builtins import SPECIAL

    try:
        return SPECIAL.get(fn)
    except TypeError:
        return None
