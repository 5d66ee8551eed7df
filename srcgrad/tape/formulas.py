"""The formula of a function, and how a call of the function becomes one of the formula."""

from __future__ import annotations

import array as buffers
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad import registry
from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.library.axes import collapses
from srcgrad.library.libraries import home
from srcgrad.library.slopes import chooses, picks, reads_all, rearranges, weighs
from srcgrad.program.device_arrays import has_devices, is_on_device
from srcgrad.runtime import unbroadcast
from srcgrad.tape.recording import Box, flat, mapped, raw, unboxed
from srcgrad.tape.rewriting import HELPERS, of_some, rewritten

_NOTHING: frozenset[str] = frozenset()
# Options of NumPy's functions that CuPy's may lack: they are handed on only where they are given
_OPTIONAL = frozenset(
    ("initial", "where", "mean", "correction", "weights", "stable", "mode", "upper", "hermitian")
) | {"casting"}


class Plan:
    """What is known of a function with a formula before it is called.

    Attributes:
        fn: the function.
        rule: its formula.
        names: the positional parameters of the formula, with their defaults.
        count: how many there are.
        single: whether its backward function returns one cotangent, not a tuple.
        own: whether it came with srcgrad.
        optional: its options that NumPy's functions take, and not all of CuPy's.
        elementwise: whether its cotangents are to be summed where arguments were broadcast.
        output: the position of the argument that it may write its result into.
        of_numbers: whether it takes numbers of Python's, and makes them of arrays.
        shaped: whether its formula takes numbers of NumPy's, which have a shape.
        entrywise: whether each entry of its result is computed from one of each argument.
        weighs: whether its slope is 0 in what it leaves out.
        selects: whether its slope is 0 only in what it does not read.
        reads_all: whether it reads all entries of its arguments where its result is read.
        simple: whether a call with arrays and numbers by position is one of the formula.
        collapses: whether it takes a number as an array along an axis, which has none.
    """

    def __init__(self, fn: Any, rule: Callable[..., Any]) -> None:
        self.fn = fn
        self.rule = rule
        self.names, self.keywords, self.variadic = parameters(rule)
        self.own_names, _, _ = parameters(fn)
        self.count = len(self.names)
        self.single = self.count == 1 and not self.variadic
        self.own = registry.is_own(rule)
        self.elementwise = registry.is_elementwise(rule) and self.count > 1
        self.structured = registry.structured_parameters(fn)
        self.takes_arrays = registry.takes_arrays(fn, rule)
        self.optional = _OPTIONAL & self.keywords if self.own else _NOTHING
        self.refusal = registry.refusal_of_complex(fn)
        self.constant = registry.constant_parameters(rule)
        self.uses_primal = "primal" in _names_in(rule.__code__)
        own = list(self.own_names)
        places = [own.index(name) for name in ("out", "output") if name in own]
        self.output = min(places, default=None)
        self.entrywise = registry.is_elementwise(rule)
        self.weighs = registry.is_own(rule) and weighs(fn)
        linear = len(registry.linear_parameters(rule)) == 1
        leaves_out = chooses(fn) or picks(fn) or rearranges(fn)
        self.selects = registry.is_own(rule) and (linear or leaves_out)
        self.reads_all = not self.selects or reads_all(fn) or (self.entrywise and not leaves_out)
        of_ufunc = isinstance(getattr(fn, "__self__", None), np.ufunc)
        self.of_numbers = home(fn) == "math"
        self.shaped = of_ufunc or home(fn) not in ("builtins", "_operator", "math", "")
        order = list(self.own_names)[: self.count]
        self.simple = not self.variadic and (not order or len(order) <= self.count)
        self.collapses = "axis" in self.keywords and collapses(fn, _default_axis(rule))

    def run(self, held: Any, options: Any, inputs: Any, nested: bool) -> tuple[Any, ...]:
        """Call the formula.

        Args:
            held: its positional arguments.
            options: its keyword arguments.
            inputs: which of the former are differentiated: pairs of position and node.
            nested: whether its backward function has to be one that can be recorded.
        """
        rule, left = self.rule, _NOTHING
        if self.optional and has_devices() and any(is_on_device(raw(x)) for x in flat(held)):
            left = self.optional.difference(options)
        if len(inputs) < len(held) and self.own and not self.single and not self.variadic:
            rule = of_some(rule, tuple([k for k, _ in inputs]), nested, left)
        elif left:
            rule = of_some(rule, None, nested, left)
        elif nested:
            rule = rewritten(rule)
        try:
            if not self.uses_primal:
                return rule(*held, **options)
            with registry.running_for(self.called(nested)):
                return rule(*held, **options)
        except NotImplementedError as error:  # how it refuses an option
            raise MissingFormulaError.of_option(error) from None

    def plain(self, values: Any, keywords: Any) -> Any:
        """Call the function with its arguments as they are for the formula, without boxes."""
        arrays, options = list(mapped(raw, values)), unboxed(keywords)
        if options and has_devices() and any(map(is_on_device, flat(arrays))):
            for name in list(self.own_names)[len(arrays) :]:  # CuPy has other names for some
                if name not in options:
                    break
                arrays.append(options.pop(name))
        return self.fn(*arrays, **options)

    def without(self, unread: Any, bar: Any) -> Any:
        """Return a cotangent with 0 where nothing reads the result."""
        return HELPERS["call"](np.where, unread, 0.0, bar)

    def summed(self, bar: Any, held: Any) -> Any:
        """Return the cotangent of an argument that was broadcast."""
        found, wanted = raw(bar), raw(held)
        if getattr(found, "shape", ()) == getattr(wanted, "shape", ()):
            return bar
        return HELPERS["call"](unbroadcast, bar, held)

    def array_of(self, parts: Any) -> Any:
        """Return the array of a sequence of cotangents."""
        return HELPERS["call"](np.array, parts)

    def called(self, nested: bool) -> Any:
        """Return what ``primal`` stands for in the formula."""
        if not nested:
            return self.fn
        return functools.partial(HELPERS["call"], self.fn)

    def require_real(self, operands: Any) -> None:
        """Refuse complex numbers where the formula is that of real ones."""
        if self.refusal is None or not any(np.iscomplexobj(raw(part)) for part in flat(operands)):
            return
        name = getattr(self.fn, "__name__", repr(self.fn))
        raise ArgumentError(
            f"{name} is called with complex numbers",
            why=f"{self.refusal[0].upper()}{self.refusal[1:]}.",
            fixes=["compute with real and imaginary part, or with the absolute value"],
        )

    def bind(self, args: Any, options: Any) -> tuple[Any, dict[str, Any]]:
        """Return the arguments of a call as those of the formula.

        Positional parameters of the formula stand in the order in which the function
        takes them; the function's further ones are the formula's keyword-only ones.
        """
        if self.simple and not options and len(args) <= self.count:
            if not any(type(part) in _TREES for part in args):
                return args, options
        wanted = self.names
        values, rest = list(args), options
        if not self.variadic:
            order = [*wanted, *list(self.own_names)[len(wanted) :]]
            order += [f"argument {k}" for k in range(len(order), len(args))]
            alias = dict(zip(self.own_names, wanted, strict=False))
            rest = dict(zip(order, args, strict=False))
            rest |= {alias.get(name, name): value for name, value in options.items()}
            last = max((k for k, name in enumerate(wanted) if name in rest), default=-1)
            values = [rest.pop(name, wanted[name]) for name in list(wanted)[: last + 1]]
        for name, value in rest.items():
            if (name in self.keywords and not has_box(value)) or name == "subok":
                continue
            default = name not in self.keywords and value is self.own_names.get(name, rest)  # pyright: ignore[reportCallIssue, reportArgumentType]
            if not default:
                raise MissingFormulaError(
                    f"the formula for {getattr(self.fn, '__name__', self.fn)} "
                    f"does not differentiate {name}=",
                    fixes=[
                        "leave it out",
                        "register a formula that has it as a positional parameter",
                    ],
                )
        labels = "operands" in self.structured and not isinstance(values[0], str)
        if self.takes_arrays and not labels:  # in einsum, they stand between the arrays
            names = [*wanted, *["*"] * len(values)]
            pairs = zip(names, values, strict=False)
            place = None
            if has_devices():
                place = next(filter(is_on_device, map(raw, flat(args))), None)
            values = [_operand(name, value, self.structured, place) for name, value in pairs]
        return values, {k: v for k, v in rest.items() if k in self.keywords}

    def of_number(self, keywords: dict[str, Any]) -> dict[str, Any]:
        """Return the options of a call with a number, along whose only axis it is taken whole."""
        axis = keywords.get("axis", 0)
        return {**keywords, "axis": None} if type(axis) is int and axis in (0, -1) else keywords


def _default_axis(rule: Any) -> Any:
    return inspect.signature(rule).parameters["axis"].default


_SEQUENCES = (list, tuple, range, memoryview, buffers.array)
_TREES = (*_SEQUENCES, dict, str)
_plans: dict[Any, Plan] = {}


def plan_of(fn: Any) -> Plan | None:
    """Return what is known of a function with a formula; None for one without."""
    rule = registry.find_formula(fn)
    if rule is None:
        return None
    plan = _plans.get(fn)
    if plan is None or plan.rule is not rule:
        plan = _plans[fn] = Plan(fn, rule)
    return plan


def missing(fn: Any) -> MissingFormulaError:
    """Return the error for a function without a formula."""
    name, module = getattr(fn, "__name__", repr(fn)), getattr(fn, "__module__", None)
    name = name if module in (None, "builtins") else f"{module}.{name}"
    reason = registry.refusal_of(fn)
    why = "An argument depends on what is being differentiated."
    if reason is not None:
        why += f" {reason[0].upper()}{reason[1:]}."
    return MissingFormulaError(
        f"no formula for {name}",
        why=why,
        fixes=[f"register one with @formula({name})", "wrap the argument in stop_gradient"],
    )


def in_python(fn: Any, args: Any, options: Any) -> Any:
    """Return what stands in the place of a formula of a function, with these options, or None."""
    found = registry.find_in_python(fn)
    if found is None:
        return None
    own, option, values = found
    usual = parameters(fn)[0]
    given = {**usual, **dict(zip(usual, args, strict=False)), **options}
    if values is registry.DIFFERENTIATED:
        return own if has_box(given.get(option)) else None
    return own if not option or _is_one_of(given.get(option), values) else None


def options_of(own: Any, fn: Any, options: Any) -> Any:
    """Return the options of a call of a function that what stands in its place takes.

    Raises:
        MissingFormulaError: at an option that it does not take, unless it is the default.
    """
    if not options:
        return options
    known, keywords, _ = parameters(own)
    names = {**known, **dict.fromkeys(keywords)}
    defaults = {p.name: p.default for p in inspect.signature(fn).parameters.values()}
    for name, value in options.items():
        if name not in names and (has_box(value) or value is not defaults.get(name, options)):
            raise MissingFormulaError(
                f"the formula for {fn.__name__} does not differentiate {name}=",
                fixes=["leave it out"],
            )
    return {name: value for name, value in options.items() if name in names}


def _is_one_of(value: Any, values: Any) -> bool:
    return type(value) in (str, bool, int, float, type(None)) and value in values


def with_options_as_arguments(plan: Plan, args: Any, options: Any) -> tuple[Plan, Any, Any]:
    """Return a call that takes an option as an argument, where the formula knows it as such."""
    fn, own, known = plan.fn, list(plan.own_names), plan.keywords
    given = dict(zip(own, args, strict=False)) | options
    for name, value in given.items():
        other = registry.with_option_as_argument(fn, name)
        if other is None or value is None or (name in known and not has_box(value)):
            continue
        wider = plan_of(other)
        assert wider is not None
        count = wider.count - 1
        if len(own) >= max(count, len(args)):
            values = [_operand(label, given.pop(label)) for label in own[:count]]
            return wider, (*values, given.pop(name)), given
    return plan, args, options


def has_box(tree: Any) -> bool:
    """Tell whether there is a box in nested tuples, lists and dicts."""
    kind = type(tree)
    if kind is Box:
        return True
    if kind is not list and kind is not dict and not issubclass(kind, tuple):
        return False
    waiting, seen = [tree], set()
    while waiting:
        part = waiting.pop()
        kind = type(part)
        if kind is Box:
            return True
        if kind is list or kind is dict:
            if id(part) in seen:
                continue
            seen.add(id(part))
            waiting += part.values() if kind is dict else part
        elif issubclass(kind, tuple):
            waiting += part
    return False


def _operand(name: str, value: Any, structured: Any = (), place: Any = None) -> Any:
    """Return the array that NumPy makes of a sequence that is given as an array.

    Args:
        name: the parameter.
        value: what is given for it.
        structured: the parameters that take sequences as they are.
        place: an array of a device that stands beside it, if there is one.
    """
    if not isinstance(value, _SEQUENCES):
        return value
    if name in ("arrays", "choices", "conditions"):
        return [_operand("", part, (), place) for part in value]
    if name in structured:
        return value
    if place is not None and not has_box(value):
        return np.asarray(value, like=place)
    return HELPERS["call"](np.array, value)


@functools.lru_cache(maxsize=4096)
def parameters(fn: Any) -> tuple[dict[str, Any], set[str], bool]:
    """Return what a function takes, as far as Python can tell.

    Returns:
        Its parameters with their defaults, the names of its keyword-only ones if it is
        a formula, and whether it takes any number of arguments.
    """
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return {}, set(), False
    keywords = {p.name for p in found if p.kind is p.KEYWORD_ONLY}
    variadic = any(p.kind is p.VAR_POSITIONAL for p in found)
    named = {p.name: p.default for p in found if p.kind <= p.POSITIONAL_OR_KEYWORD}
    return named, keywords, variadic


def _names_in(code: Any) -> set[str]:
    inner = (part for part in code.co_consts if hasattr(part, "co_names"))
    return set(code.co_names).union(*map(_names_in, inner))
