"""Checking a derivative formula against its function, at one call."""

from __future__ import annotations

import inspect
import itertools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.calling.api import grad, vjp
from srcgrad.calling.pushforward import jvp
from srcgrad.checking import STEP, inner
from srcgrad.errors import CheckFailedError, UnsupportedSyntaxError
from srcgrad.formulas import load_all
from srcgrad.registry import constant_parameters, find_formula

_RTOL, _ATOL = 2e-6, 2e-7
_numbers = itertools.count()


def check_formula(fn: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Compare the derivative formula of a function with central differences.

    The formula is checked as srcgrad uses it: a small program that calls the
    function is differentiated, once with the options written out and once with
    options that are only known at run time. What is compared: the value; the
    cotangent of each argument, its shape and its structure; the derivative of
    the gradient; and that arrays in single precision get cotangents in single
    precision.

    Args:
        fn: a function that has a formula.
        *args: positional arguments of one call. Floats, complex numbers, arrays of
            them, and tuples or lists of these are differentiated; the rest is passed on.
        **options: keyword arguments of the call. Those that are arrays of
            floats are differentiated too.

    Raises:
        CheckFailedError: when the function has no formula, or when something
            differs; the message has the numbers.

    Example:
        >>> import numpy as np
        >>> from srcgrad.testing import check_formula
        >>> check_formula(np.sum, np.ones((2, 3)), axis=1)
    """
    load_all()
    if find_formula(fn) is None:
        raise CheckFailedError(f"{_name(fn)} has no formula", fixes=["register one with @formula"])
    call = _Call(fn, args, options)
    call.check_first_order()
    call.check_second_order()
    call.check_single_precision()
    if call.has_literal_options and call.names:
        late = _Call(fn, args, options, late=True)
        try:
            late.check_first_order()
            late.check_second_order()
        except UnsupportedSyntaxError:
            pass  # refusing what is not known when code is generated is no mistake


def check_orders(fn: Callable[..., Any], *args: Any, **options: Any) -> int:
    """Compare the second derivatives of a formula in all modes, and perhaps the third ones.

    Forward over reverse and reverse over forward are compared with reverse over
    reverse, which ``check_formula`` compares with differences. Third derivatives
    are compared with differences where the function is a ufunc.

    Args:
        fn: a function that has a formula.
        *args: positional arguments of one call, as those of ``check_formula``.
        **options: keyword arguments of the call.

    Returns:
        The highest order that was compared: 1 where nothing is differentiated
        twice, 2, or 3.

    Raises:
        CheckFailedError: when something differs; the message has the numbers.
        UnsupportedSyntaxError: when forward mode is refused.

    Example:
        >>> import numpy as np
        >>> from srcgrad.testing import check_orders
        >>> check_orders(np.sin, np.array([0.3, 0.4]))
        3
    """
    load_all()
    call = _Call(fn, args, options)
    if not call.names or not any(_is_number(z) for z in _leaves(call.value)):
        return 1
    for what in (call.mixed_modes(), call.third_order() if isinstance(fn, np.ufunc) else ""):
        if what:
            raise CheckFailedError(f"the formula of {_name(fn)} is wrong: {what}")
    return 3 if isinstance(fn, np.ufunc) else 2


class _Call:
    """A call as a small program, and the arguments of that program."""

    def __init__(self, fn: Any, args: Any, options: Any, late: bool = False) -> None:
        self.fn = fn
        self.late = late
        self.has_literal_options = False
        self.values: dict[str, Any] = {}  # the values of all parameters, by name
        self.names: list[str] = []  # the parameters that are differentiated
        self.constants: dict[str, Any] = {"fn": fn, "np": np}
        rule: Any = find_formula(fn)
        constant = constant_parameters(rule)
        names = list(inspect.signature(rule).parameters)[: len(args)]
        names += [""] * (len(args) - len(names))  # of a formula with any number of parameters
        parts = [
            self._pass(x, f"x{k}") if name in constant else self._write(x, f"x{k}", False)
            for k, (x, name) in enumerate(zip(args, names, strict=True))
        ]
        parts += [f"{k}={self._write(v, k, True)}" for k, v in options.items()]
        self.text = f"fn({', '.join(parts)})"  # the call as an expression
        self.value = fn(*args, **options)

    def _pass(self, value: Any, name: str) -> str:
        """Return an argument that is not differentiated as text."""
        self.constants[name] = value
        return _literal(value) or name

    def _write(self, value: Any, name: str, option: bool) -> str:
        """Return an argument as text, and note what it refers to."""
        if isinstance(value, tuple | list) and any(map(_is_array, _leaves(value))):
            inner = [self._write(part, f"{name}_{k}", option) for k, part in enumerate(value)]
            if isinstance(value, list):
                return f"[{', '.join(inner)}]"
            return f"({', '.join(inner)},)"
        if _is_number(value) and (not option or isinstance(value, np.ndarray)):
            self.names.append(name)
        elif not isinstance(value, np.ndarray):
            text = _literal(value)
            if option and text is not None:
                self.has_literal_options = True
            if text is None:
                self.constants[name] = value
                return name
            if not (option and self.late):
                return text
        self.values[name] = value
        return name

    def program(
        self, body: str, extra: tuple[str, ...] = (), known: dict[str, Any] | None = None
    ) -> Callable[..., Any]:
        """Return a function of the parameters with a body."""
        filename = f"<check {next(_numbers)} of {_name(self.fn)}>"
        text = f"def call({', '.join((*self.values, *extra))}):\n{body}\n"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        namespace = self.constants | (known or {})
        exec(compile(text, filename, "exec"), namespace)
        return namespace["call"]

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(list(self.values).index(n) for n in self.names)

    def check_first_order(self) -> None:
        """Compare value and cotangents."""
        program = self.program(f"    return {self.text}")
        args = tuple(self.values.values())
        before = [np.copy(x) for x in args if isinstance(x, np.ndarray)]
        rng = np.random.default_rng(0)
        value, backward = vjp(program, *args, wrt=self.places)
        for actual, wanted in zip(_leaves(value), _leaves(self.value), strict=True):
            if np.shape(actual) != np.shape(wanted) or not np.allclose(
                actual, wanted, rtol=1e-14, atol=0, equal_nan=True
            ):
                raise self._failed("value", actual, wanted)
        seeds = _seeds(value, rng)
        bars = backward(seeds)
        for place, name, bar in zip(self.places, self.names, bars, strict=True):
            x = args[place]
            if np.shape(bar) != np.shape(x):
                raise self._failed(f"shape of {name}_bar", np.shape(bar), np.shape(x))
            direction = _random(x, rng)
            slope = _slope(lambda *moved: inner(seeds, program(*moved)), args, place, direction)
            self._compare(f"{name}_bar along a direction", inner(bar, direction), slope)
        after = [x for x in args if isinstance(x, np.ndarray)]
        if not all(map(_equal, before, after)):
            raise self._failed("arguments afterwards", after, before)

    def check_second_order(self) -> None:
        """Compare the derivative of the gradient of a weighted sum of squares."""
        body, weights = self.weighted()
        rng = np.random.default_rng(8)
        args = (*self.values.values(), *weights.values())
        gradient = grad(self.program(body, tuple(weights)), self.places)
        bars, backward = vjp(gradient, *args, wrt=self.places)
        seeds = _seeds(bars, rng)
        for place, name, second in zip(self.places, self.names, backward(seeds), strict=True):
            direction = _random(args[place], rng)
            slope = _slope(lambda *moved: inner(seeds, gradient(*moved)), args, place, direction)
            self._compare(f"second derivative in {name}", inner(second, direction), slope)

    def weighted(self) -> tuple[str, dict[str, Any]]:
        """Return the body of a weighted sum of squares of the results, and the weights."""
        rng = np.random.default_rng(1)
        parts = list(_leaves(self.value))
        weights = {f"w{k}": _random(z, rng) for k, z in enumerate(parts) if _is_number(z)}
        several = isinstance(self.value, tuple | list)
        terms = []
        for w, weight in weights.items():
            term = f"np.sum({w} * {f'z[{w[1:]}]' if several else 'z'} ** 2)"
            terms.append(f"np.real({term})" if np.iscomplexobj(weight) else term)
        return f"    z = {self.text}\n    return {' + '.join(terms)}", weights

    def mixed_modes(self) -> str:
        """Return what differs between reverse over reverse, and forward and reverse in turns."""
        body, weights = self.weighted()
        rng = np.random.default_rng(3)
        program = self.program(body, tuple(weights))
        args = (*self.values.values(), *weights.values())
        moves = [_random(args[k], rng) for k in self.places]
        seeds = [_random(args[k], rng) for k in self.places]
        tangents: list[Any] = [None] * len(args)
        for place, move in zip(self.places, moves, strict=True):
            tangents[place] = move
        gradient = grad(program, self.places)
        _, backward = vjp(gradient, *args, wrt=self.places)
        wanted = inner(moves, backward(tuple(seeds)))
        _, bars_dot = jvp(gradient, args, tuple(tangents))
        forward = inner(seeds, bars_dot)
        if not _close(forward, wanted):
            return f"forward over reverse: {forward}, reverse over reverse: {wanted}"

        names = [*self.values, *weights]
        moved = [f"move{k}" if move is not None else "None" for k, move in enumerate(tangents)]
        along = self.program(
            f"    return jvp(program, ({', '.join(names)},), ({', '.join(moved)},))[1]",
            (*weights, *(name for name in moved if name != "None")),
            {"jvp": jvp, "program": program},
        )
        twice = inner(seeds, grad(along, self.places)(*args, *moves))
        if not _close(twice, wanted):
            return f"reverse over forward: {twice}, reverse over reverse: {wanted}"
        return ""

    def third_order(self) -> str:
        """Return what differs between third derivatives and differences of second ones."""
        body, weights = self.weighted()
        rng = np.random.default_rng(4)
        args = (*self.values.values(), *weights.values())
        moves = [_random(args[k], rng) for k in self.places]
        gradient = grad(self.program(body, tuple(weights)), self.places)

        total = " + ".join(f"np.sum(move{k} * bars[{k}])" for k in range(len(moves)))
        if any(np.iscomplexobj(move) for move in moves):
            total = f"np.real({total})"
        along = self.program(
            f"    bars = gradient({', '.join((*self.values, *weights))})\n    return {total}",
            tuple(weights),
            {"gradient": gradient} | {f"move{k}": move for k, move in enumerate(moves)},
        )
        second = grad(along, self.places)
        bars, backward = vjp(second, *args, wrt=self.places)
        seeds = tuple(_random(bar, rng) for bar in bars)
        for place, name, third in zip(self.places, self.names, backward(seeds), strict=True):
            direction = _random(args[place], rng)
            wanted = _slope(lambda *moved: inner(seeds, second(*moved)), args, place, direction)
            found = inner(third, direction)
            if not abs(found - wanted) <= 2e-6 + 2e-5 * max(abs(found), abs(wanted)):
                return f"third derivative in {name}: {found}, by differences: {wanted}"
        return ""

    def check_single_precision(self) -> None:
        """See that cotangents of arrays in single precision are in single precision."""
        args = tuple(
            v.astype(_single(v)) if n in self.names and isinstance(v, np.ndarray) else v
            for n, v in self.values.items()
        )
        value, backward = vjp(self.program(f"    return {self.text}"), *args, wrt=self.places)
        parts = [z for z in _leaves(value) if _is_number(z)]
        if not all(getattr(z, "dtype", None) == _single(z) for z in parts):
            return  # by itself, the function does not stay in single precision
        seeds = _seeds(value, np.random.default_rng(2), single=True)
        for place, name, bar in zip(self.places, self.names, backward(seeds), strict=True):
            if isinstance(args[place], np.ndarray) and bar.dtype != _single(args[place]):
                raise self._failed(f"dtype of {name}_bar", bar.dtype, _single(args[place]).__name__)

    def _compare(self, what: str, actual: float, wanted: float) -> None:
        if not abs(actual - wanted) <= _ATOL + _RTOL * max(abs(actual), abs(wanted)):
            raise self._failed(what, actual, wanted)

    def _failed(self, what: str, actual: Any, wanted: Any) -> CheckFailedError:
        late = ", with options that are known at run time only" if self.late else ""
        return CheckFailedError(
            f"the formula of {_name(self.fn)} is wrong{late}: {what}",
            why=f"The formula gives {actual}; it should be {wanted}.",
            fixes=["look for a kink or a jump at these arguments"],
        )


def _close(a: float, b: float) -> bool:
    """Whether two derivatives are the same, of which both are exact."""
    return abs(a - b) <= 1e-9 + 1e-7 * max(abs(a), abs(b)) or (np.isnan(a) and np.isnan(b))


def _name(fn: Any) -> str:
    return getattr(fn, "__name__", repr(fn))


def _literal(value: Any) -> str | None:
    """Return the text of a constant, or None."""
    if value is None or value is ... or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if np.isfinite(value) else f"np.{value}".replace("-inf", "inf * -1")
    if isinstance(value, tuple | list):
        parts = [_literal(part) for part in value]
        if None in parts:
            return None
        inner = ", ".join(map(str, parts))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(parts) == 1)})"
    if isinstance(value, slice):
        return f"slice({value.start}, {value.stop}, {value.step})"
    if isinstance(value, type) and getattr(np, value.__name__, None) is value:
        return f"np.{value.__name__}"
    return None


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple | list):
        for branch in tree:
            yield from _leaves(branch)
    else:
        yield tree


def _is_number(x: Any) -> bool:
    return isinstance(x, float | complex) or getattr(getattr(x, "dtype", None), "kind", "") in (
        "f",
        "c",
    )


def _is_array(x: Any) -> bool:
    return _is_number(x) or isinstance(x, np.ndarray)


def _single(x: Any) -> Any:
    """The type of a number like ``x`` in single precision."""
    return np.complex64 if np.iscomplexobj(x) else np.float32


def _random(x: Any, rng: np.random.Generator, single: bool = False) -> Any:
    made = rng.normal(size=np.shape(x))
    if np.iscomplexobj(x):
        made = made + 1j * rng.normal(size=np.shape(x))
    if np.ndim(x) == 0 and not isinstance(x, np.ndarray):
        return _single(x)(made) if single else np.asarray(made).item()
    return np.asarray(made).astype(x.dtype)


def _seeds(tree: Any, rng: np.random.Generator, single: bool = False) -> Any:
    """Return random cotangents in the structure of a result."""
    if isinstance(tree, tuple | list):
        return tuple(_seeds(branch, rng, single) for branch in tree)
    return _random(tree, rng, single) if _is_number(tree) else None


def _slope(f: Callable[..., float], args: tuple[Any, ...], place: int, direction: Any) -> float:
    """Return the derivative of a function along a direction of one argument."""
    x = args[place]
    h = STEP / max(1.0, float(np.max(np.abs(direction), initial=0.0)))

    def at(t: float) -> float:
        moved = np.asarray(x + t * direction) if isinstance(x, np.ndarray) else x + t * direction
        return f(*args[:place], moved, *args[place + 1 :])

    return (at(h) - at(-h)) / (2 * h)


def _equal(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
