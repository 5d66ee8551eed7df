"""Lowering of calls: finding out, once, what a call will call."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import functools
import inspect
import sys
import types
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.contents import type_of_iterator
from srcgrad.analysis.shapes.draws import is_draw, note_size, type_of_call
from srcgrad.analysis.shapes.questions import may_be_asked
from srcgrad.analysis.shapes.results import infer
from srcgrad.calling.arguments.stand_ins import of_partial
from srcgrad.effects import effects_of, is_declared, kept_by
from srcgrad.errors import MissingFormulaError, SrcgradError, UnresolvedCallError
from srcgrad.frontend.arrays.formula_calls import (
    call_formula,
    missing_formula,
    parameters_if_any,
    result_type,
    variable_of_object,
    with_names,
)
from srcgrad.frontend.arrays.numpy_calls import require_usual_options
from srcgrad.frontend.calls import checkpoints
from srcgrad.frontend.calls.inactive_calls import (
    function_given,
    gives_own,
    holds_no_argument,
    note_writes,
)
from srcgrad.frontend.calls.solvers import lower_solver
from srcgrad.frontend.calls.split import call_function, is_about_objects
from srcgrad.frontend.calls.transforms import call_derivative, call_pullback, lower_transform
from srcgrad.frontend.checks.purity import has_effects
from srcgrad.frontend.containers import objects
from srcgrad.frontend.containers.constructors import (
    is_made_by_init,
    is_made_empty,
    make_empty,
    make_object,
)
from srcgrad.frontend.containers.effects import forget_objects, settle
from srcgrad.frontend.containers.overloading import require_of_numbers
from srcgrad.frontend.containers.spreading import spread_array, spread_options
from srcgrad.frontend.containers.structures import (
    any_objects,
    make_record,
    require_known_key,
    sequence,
)
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.builtins import SPECIAL, class_test
from srcgrad.frontend.expressions.iterables import gives_generator, going_through
from srcgrad.frontend.expressions.iterators import ITERATORS
from srcgrad.frontend.expressions.lowering import lower, number_unknown, starred
from srcgrad.frontend.expressions.messages import call_again, call_sum
from srcgrad.frontend.expressions.method_calls import call_method
from srcgrad.frontend.expressions.mutators import write_out
from srcgrad.frontend.expressions.ordering import about_active
from srcgrad.frontend.state import kept_text, recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.data_lists import may_be_relied_on
from srcgrad.frontend.state.outer_names import viewed_outside
from srcgrad.frontend.state.rewriting import loop_written_out
from srcgrad.frontend.state.sparse import type_of_made
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.out_arguments import out_by_name, without_out
from srcgrad.ir.nodes import (
    MESSAGE,
    Closure,
    Const,
    Items,
    Known,
    Method,
    Op,
    Pullback,
    Slice,
    Struct,
    Value,
    Var,
    embed,
    is_active,
)
from srcgrad.ir.structures import is_object
from srcgrad.ir.types import ELEMENT, INTEGER, UNKNOWN, Type
from srcgrad.ir.unassigned import is_open
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program import facts
from srcgrad.program.primals import primal_of
from srcgrad.registry import (
    DIFFERENTIATED,
    find_formula,
    find_in_python,
    is_nondifferentiable,
    is_static,
    method_of,
    tells_class,
)
from srcgrad.runtime.numpy.folds import accumulate, outer, reduce, reduceat
from srcgrad.transformation.library_names import qualified_name

# functions that read names, frames or the exception at hand, and not only what they are given
_SEEING_NAMES = (
    *(eval, exec, globals, locals, vars, inspect.currentframe, inspect.stack, inspect.trace),
    *(sys.exc_info, sys.exception, sys._getframe),  # noqa: SLF001 - programs call it
)


@recursion.lower_call.define
def lower_call(b: Builder, node: Any) -> Value:
    """Lower a call expression."""
    total = call_sum(b, node, lower) if b.context.messages is not None else None
    if total is not None:
        return total
    outer, b.callee = b.callee, node.func
    callee = lower(b, node.func)
    b.callee = outer
    args: list[Value] = []
    options: dict[str, Value] = {}
    unknown = None
    for arg in node.args:
        value = lower(b, arg.value)
        if arg.star == "*":
            if isinstance(value, Struct) and gives_generator(value):
                raise going_through(b, value, arg.value)
            parts = spread_array(b, callee, value, len(args), node, arg)
            found = starred(b, value) if parts is None else parts
            if found is None:
                unknown, found = arg, (value,)
            args.extend(found)
        elif arg.star == "**":
            options.update(spread_options(b, value, node, arg))
        elif arg.keyword is not None:
            options[arg.keyword.value] = value
        else:
            args.append(value)
    if unknown is not None:
        return _call_with_some(b, callee, [*args, *options.values()], node, unknown.value)
    return call(b, callee, tuple(args), options, node)


def _call_with_some(b: Builder, callee: Value, values: list[Value], node: Any, star: Any) -> Value:
    """Lower a call of which it is not known how many arguments it has: its text, if it is data."""
    if is_active(capture(b, callee)) or any(is_active(capture(b, v)) for v in values):
        raise number_unknown(b, star)
    if isinstance(callee, Known) and may_be_asked(callee.object):  # it does nothing else
        type_ = Type("scalar", ()) if home(callee.object) == "math" else UNKNOWN
        return b.opaque(node, [callee, *values], type_)
    kept_text.note_all(b, [callee, *values])
    forget_objects(b, *values)
    b.layout.impure.add(id(node))
    return b.opaque(node, [callee, *values], UNKNOWN)


@recursion.call.define
def call(
    b: Builder, callee: Value, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    """Lower a call whose callee and arguments are lowered."""
    if isinstance(callee, Method):
        return call_method(b, callee, args, options, node)
    if isinstance(callee, Pullback):
        return call_pullback(b, callee, args, options, node)
    if isinstance(callee, Closure) and callee.derivatives:
        plain = replace(callee, derivatives=())
        return call_derivative(b, plain, callee.derivatives, args, options, node)
    if isinstance(callee, Closure):
        plain = replace(callee, again=False)
        if checkpoints.may_draw(callee):
            b.layout.impure.add(id(node))
        return call_function(b, plain, args, options, node, again=callee.again)
    if isinstance(callee, Struct):
        return objects.call_object(b, callee, args, options, node)
    if not isinstance(callee, Known):
        if is_open(callee) or about_active(b, args, options):
            require_known_key(b, getattr(node, "func", None))
            error = UnresolvedCallError(
                "it is not known, when code is generated, what this call will call",
                spots=[b.source.spot(node)],
                fixes=["call a function by its name", "pass the function as an argument"],
            )
            raise loop_written_out(b, frozenset(names_in(getattr(node, "func", node))), error)
        kept_text.note_all(b, [callee, *args, *options.values()])
        return b.opaque(node, [callee, *args, *options.values()], UNKNOWN)
    return _call_known(b, callee.object, args, options, node)


def _writes_output(fn: Any) -> bool:
    """Whether ``out`` is what a result is written into, and no parameter like any other."""
    if is_of_library(fn):
        return True
    of_program = isinstance(fn, types.FunctionType | type)
    return not of_program and any(write.parameter == "out" for write in effects_of(fn).writes)


def _type_of_view(b: Builder, fn: Any, args: tuple[Value, ...], node: Any) -> Type | None:
    """The type of ``TABLE.items()`` of a dict from outside, and of its keys and values."""
    if args or not isinstance(plainly(fn, "__self__"), dict):
        return None
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    held = viewed_outside(b, lower(b, node.func.value), plainly(fn, "__name__", ""))
    return None if held is None else Type("opaque", element=held)


def _call_known(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    if find_formula(fn) is None:
        fn = facts.python_of(fn)
    if fn is np.ndarray and len(args) < 3 and not {*options} - {"shape", "dtype"}:
        fn = np.empty  # the same, of a memory of its own
    if isinstance(fn, functools.partial) and plainly(fn, "__srcgrad_made__") is None:
        if b.formula is None and about_active(b, args, options):
            return _call_known(b, of_partial(fn), args, options, node)
        inner, given, named = facts.parts_of_partial(fn)
        bound = tuple(embed(v) for v in given)
        keywords = {k: embed(v) for k, v in named.items()} | options
        return _call_known(b, inner, bound + args, keywords, node)
    if plainly(fn, "__srcgrad_again__") is not None:
        function = checkpoints.plain(fn)
        if function is None:
            raise checkpoints.refusal(b, node)
        if has_effects(function):
            b.layout.impure.add(id(node))
        known = Known(function, function.__name__)
        return call_function(b, known, args, options, node, again=True)
    if (
        any(fn is seeing for seeing in _SEEING_NAMES)
        and b.formula is None
        and not (fn is vars and args)
    ):
        raise b.refuse(node, f"{fn.__name__}(), which sees all names,", "write the code itself")
    if plainly(fn, MESSAGE, False) and b.formula is None:
        return call_again(b, fn, args, options, node)
    require_usual_options(b, fn, args, options, node)
    if b.formula is None and _makes_objects(fn, args, options):
        raise b.refuse(node, "an array of objects", "make an array of numbers, or a list")
    writes_out = b.formula is None and _writes_output(fn)
    if writes_out:
        args, options = out_by_name(fn, args, options)
    out = options.get("out") if writes_out else None
    active = is_active(Items((*args, *options.values())))
    if out is not None and (active or isinstance(out, Var)):
        rest = {name: value for name, value in options.items() if name != "out"}
        return write_out(b, out, _call_known(b, fn, args, rest, without_out(b, node, fn)), node)
    if isinstance(fn, type) and b.formula is None:
        made = make_record(b, fn, args, options, node)
        if made is None and is_made_by_init(fn):
            made = make_object(b, fn, args, options, node)
        if made is None and not args and not options and is_made_empty(fn):
            made = make_empty(fn)
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
    if b.formula is None:
        value = lower_transform(b, fn, args, options, node)
        if value is None:
            value = lower_solver(b, fn, args, options, node)
        if value is not None:
            return value
    if is_static(fn):
        return _call_static(b, fn, args, options, node)
    formula = find_formula(fn)
    if not about_active(b, args, options):
        registered = formula is not None or is_nondifferentiable(fn)
        if registered or find_in_python(fn) is not None or may_be_asked(fn):
            known = all(_plain(v) for v in (*args, *options.values()))
            acts = b.formula is None and (
                kept_text.written(b, fn, args, options)
                or kept_by(fn, args, options)
                or (formula is None and _may_give_back(fn) and any(map(any_objects, args)))
            )
            if known and not acts:
                type_ = INTEGER if fn is len else None  # whatever a list from outside holds then
                made = b.emit(Op(fn), args, node, tuple(options.items()), type_, active=False)
                return with_names(fn, made)
        b.layout.impure.add(id(node))
        own = isinstance(fn, types.FunctionType) and not is_of_library(fn) and b.formula is None
        if own:
            if is_about_objects(b, Known(fn, fn.__name__), args, options, node):
                return call_function(b, Known(fn, fn.__name__), args, options, node)
        if _is_users_method(fn) and b.formula is None:
            return call_bound(b, primal_of(fn), args, options, node)
        told = result_type(b, fn, args, options, node)
        told = told or type_of_call(b.context.lengths, fn, args, options)
        if told is None and formula is not None:
            told = _type_of_sequences(b, fn, args, options)
        told = told or _type_of_view(b, fn, args, node)
        made = ELEMENT if own or fn is next else UNKNOWN  # what may be a list
        made = Type("opaque") if _is_class_of_objects(fn) else made
        given = told or type_of_iterator(fn, args, options)
        if told is None and given is not None and fn is list and not may_be_relied_on(b):
            given = None  # another element may be put into the list
        type_ = type_of_made(fn, given or made)
        if own:
            callee = Known(fn, fn.__name__)
            note = gives_own(b, callee, args, options, node)
            apart = holds_no_argument(b, callee, args, options, node)
            note_writes(b, callee, args, options, node)
            plain = told is not None
            value = b.opaque(node, [*args, *options.values()], type_, note, plain, apart)
            return function_given(b, callee, args, options, node) or value
        kept_text.note_call(b, node, fn, args, options)
        made = b.opaque(node, [*args, *options.values()], type_)
        if told is not None and is_draw(fn):
            note_size(b.context.lengths, made, fn.__name__, args, options)
        changed = kept_text.written(b, fn, args, options)
        if not isinstance(fn, type):
            known_lists.forget(b, *changed)
        if changed or kept_by(fn, args, options):
            forget_objects(b, *args, *options.values())
        for value in (*args, *options.values()):
            if isinstance(value, Closure):
                settle(b, value.node.body, [value])
        return made
    value = lower_fold(b, fn, args, options, node)
    if value is None:
        value = lower_through_python(b, fn, args, options, node)
    if value is not None:
        return value
    if formula is not None:
        return call_formula(b, fn, formula, args, options, node)
    if is_nondifferentiable(fn) or _passes_through(fn):
        require_of_numbers(b, fn, args, node)
        if _may_give_back(fn):
            b.freeze(*args)
        type_ = None if all(_plain(v) for v in (*args, *options.values())) else UNKNOWN
        return b.emit(Op(fn), args, node, tuple(options.items()), type_=type_, active=False)
    primal = primal_of(fn)
    found = method_of(primal)
    if found is not None and b.formula is None and isinstance(node, cst.Call):
        return _call_method_of(b, *found, args, options, node)
    if isinstance(primal, types.MethodType) and is_of_library(primal.__func__):
        raise missing_formula(b, fn, args, node)
    if isinstance(primal, types.MethodType):
        try:
            return call_bound(b, primal, args, options, node)
        except SrcgradError:
            if is_of_library(primal.__func__):  # its text is not the user's
                raise missing_formula(b, fn, args, node) from None
            raise
    own = facts.in_class(facts.class_of(primal), "__call__")
    if isinstance(own, types.FunctionType) and is_object(primal):
        return call_own(b, own, (Known(primal, "self"), *args), options, node, "callable")
    if isinstance(primal, types.FunctionType) and not is_of_library(primal):
        return call_function(b, Known(primal, primal.__name__), args, options, node)
    own_class = isinstance(fn, type) and not is_of_library(fn)
    if own_class and isinstance(fn.__init__, types.FunctionType):
        raise b.refuse(
            node,
            f"making an object of class {fn.__name__} of values that are differentiated",
            "make it a class whose __init__ only sets attributes, or make the object outside "
            "and pass it as an argument",
        )
    raise missing_formula(b, fn, args, node)


def _type_of_sequences(b: Builder, fn: Any, args: tuple[Value, ...], options: Any) -> Any:
    """The type of what a function gives for named tuples and views of numbers, if that is known."""
    parts = [sequence(v) if isinstance(v, Struct) else None for v in args]
    taken = tuple(v if p is None else Items(p) for v, p in zip(args, parts, strict=True))
    if not all(map(_plain, taken)) or options:
        return None
    found = infer(b.context.lengths, fn, taken, ())
    return None if isinstance(found, tuple) else found


def _call_method_of(
    b: Builder, method: Any, owner: Any, args: Any, options: dict[str, Value], node: cst.Call
) -> Value:
    """Lower a call of an object, or of its method, that has a formula: the object is constant."""
    facts.in_class(facts.class_of(owner), method.__name__)
    text: Any = node.func
    style = "callable"
    if method.__name__ != "__call__":
        style = "method" if isinstance(text, cst.Attribute) else "bound"
        text = text.value if style == "method" else cst.Attribute(text, cst.Name("__self__"))
    if text is not node.func:
        b.source.derive(node.func, text)
    args = (variable_of_object(b, text), *args)
    value = lower_through_python(b, method, args, options, node, style)
    if value is not None:
        return value
    b.style = ("method", method.__name__)
    try:
        return call_formula(b, method, find_formula(method), args, options, node)
    finally:
        b.style = ("call", "")


@recursion.call_own.define
def call_own(
    b: Builder,
    fn: Any,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    style: str = "method",
) -> Value:
    """Lower a call of a method, whose first argument is not written between the brackets."""
    primal = primal_of(fn)
    return call_function(b, Known(primal, primal.__name__), args, options, node, style)


def call_bound(b: Builder, method: Any, args, options: dict[str, Value], node: Any) -> Value:
    """Lower a call of a bound method that is known when code is generated."""
    func, style = getattr(node, "func", None), "bound"
    if isinstance(func, cst.Attribute):
        owner = lower(b, func.value)
        held = owner.object if isinstance(owner, Known) else None
        if held is method.__self__ or isinstance(held, super):
            style = "method"
    owner = Known(method.__self__, "self")
    return call_own(b, method.__func__, (owner, *args), options, node, style)


def _is_users_method(fn: Any) -> bool:
    """Whether a callable is a method of an object from outside, and its text is the user's."""
    method = primal_of(fn)
    if not isinstance(method, types.MethodType):
        return False
    return isinstance(method.__func__, types.FunctionType) and not is_of_library(method.__func__)


def _makes_objects(fn: Any, args: tuple[Value, ...], options: dict[str, Value]) -> bool:
    """Whether a call makes an array of numbers that are objects, which Python computes with."""
    if home(fn) != "numpy" or fn is np.empty:
        return False
    kinds = [options["dtype"]] if "dtype" in options else args[1:]
    return any(
        (isinstance(kind, Known) and kind.object is object)
        or (isinstance(kind, Const) and kind.value in ("O", "object") and type(kind.value) is str)
        for kind in kinds
    )


def _is_class_of_objects(fn: Any) -> bool:
    """Whether it is a class of Python's library, of what is neither number nor array."""
    if not isinstance(fn, type) or issubclass(fn, int | float | complex):
        return False
    return home(fn) in sys.stdlib_module_names and home(fn) != "builtins"


def _plain(value: Value) -> bool:
    if isinstance(value, Items):
        return all(_plain(v) for v in value.items)
    return isinstance(value, Var | Const | Known)


def _may_give_back(fn: Any) -> bool:
    """Whether it is declared that a function may give an object that it is given."""
    return is_declared(fn) and bool(effects_of(fn).views)


def _passes_through(fn: Any) -> bool:
    """Whether a callable only reports (logging and its kind)."""
    owner = plainly(fn, "__self__")
    return type(owner).__module__ == "logging" or plainly(fn, "__module__", "") == "logging"


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
        raise MissingFormulaError.of_option(error, spots=spots) from None
    except Exception:  # noqa: BLE001 - it stands in a branch that is not taken, or is raised there
        return b.emit(Op(fn), args, node, tuple(options.items()), type_=UNKNOWN, active=False)
    return _constant(result)


def _constant(value: Any) -> Value:
    if isinstance(value, tuple | list):
        return Items(tuple(_constant(v) for v in value), isinstance(value, list))
    if isinstance(value, slice):
        return Slice(Const(value.start), Const(value.stop), Const(value.step))
    return Const(value)


class NotStatic(Exception):
    """An argument is not known when code is generated."""


def _special(fn: Any):
    try:
        found = SPECIAL.get(fn) or ITERATORS.get(fn)
    except TypeError:
        return None
    return class_test if found is None and tells_class(fn) else found


def lower_through_python(
    b: Builder,
    fn: Any,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
    style: str = "call",
) -> Value | None:
    """Lower a call of a function for which another one was declared; None for others."""
    found = find_in_python(fn)
    if found is None or b.formula is not None:
        return None
    own, option, values = found
    if option:
        known = parameters_if_any(fn)
        place = [p.name for p in known].index(option)
        usual = Const(known[place].default)
        given = args[place] if len(args) > place else options.get(option, usual)
        if values is DIFFERENTIATED:
            if not is_active(given):
                return None
        elif given not in [Const(value) for value in values]:
            return None
    if not is_active(Items((*args, *options.values()))):
        return None
    return call_function(b, Known(own, own.__name__), args, options, node, style)


_FOLDS = {"outer": outer, "reduce": reduce, "accumulate": accumulate, "reduceat": reduceat}


def lower_fold(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower a call of a method of a ufunc; None where it has a formula of its own."""
    ufunc = plainly(fn, "__self__")
    if not isinstance(ufunc, np.ufunc) or find_formula(ufunc) is None or ufunc.nin != 2:
        return None
    fold = _FOLDS.get(fn.__name__)
    place = {reduceat: 3, outer: 4}.get(fold, 2)  # of dtype, behind self; then comes out
    if fold is None or _has_formula(fn, len(args) >= place, options) or b.formula is not None:
        return None
    if options.get("out", Const(None)) != Const(None) or len(args) > place + 1:
        raise b.refuse(node, f"out= of {qualified_name(fn)}", "assign the result")
    masked = options.get("where", Const(True)) != Const(True)
    start = options.get("initial", Const(ufunc.identity))
    if masked and start == Const(None):
        raise b.refuse(
            node, f"where= of {qualified_name(fn)} without initial=", "NumPy needs it, too"
        )
    given = {name: value for name, value in options.items() if name != "out"}
    return call_own(b, fold, (Known(ufunc, "self"), *args), given, node)


def _has_formula(fn: Any, casts: bool, options: dict[str, Value]) -> bool:
    """Whether a method has a formula of its own, with these options, and maybe a dtype."""
    formula = find_formula(fn)
    if formula is None:
        return False
    parameters = facts.signature(formula).parameters
    given = [*options, *(("dtype",) if casts else ())]
    return all(name in parameters or name == "out" for name in given)
