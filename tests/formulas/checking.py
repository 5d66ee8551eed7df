"""A formula against its function: value, cotangents, linearity, dtype.

Formulas are ordinary functions, so they are tested as they stand, without the
transformation that takes them apart. A case is one call; it is checked with the
yardstick of all derivatives, `tests.finite_differences`.
"""

from __future__ import annotations

import inspect
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy.sparse import issparse

from srcgrad import jvp
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.registry import constant_parameters, find_formula, is_elementwise, running_for
from srcgrad.runtime import unbroadcast
from srcgrad.testing import _Call, check_formula
from tests import rotation
from tests.finite_differences import directional, inner, is_number, leaves, random_like
from tests.in_memory import execute

RTOL, ATOL = 1e-6, 1e-7


@dataclass(frozen=True)
class Case:
    """One call of a function that has a formula.

    Attributes:
        target: the function.
        args: its positional arguments; floats, arrays of floats, and tuples of
            them are differentiated.
        options: its keyword arguments.
        number: which of the cases of its function this is.
    """

    target: Callable[..., Any]
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    number: int = 0

    def __str__(self) -> str:
        shapes = ",".join(describe(x) for x in self.args)
        options = "".join(f",{k}={v!r}" for k, v in self.options.items())
        return f"{getattr(self.target, '__name__', self.target)}({shapes}{options})"


def case(target: Callable[..., Any], *args: Any, **options: Any) -> Case:
    """Return a case: one line of a table of tests."""
    _counts[target] += 1
    return Case(target, args, options, _counts[target])


_counts: Counter[Any] = Counter()  # how many cases each function has


def describe(x: Any) -> str:
    """Return a few letters that tell an argument's kind, for a test's name."""
    if isinstance(x, tuple | list):
        return "[" + ",".join(describe(part) for part in x) + "]"
    if isinstance(x, np.ndarray):
        return f"{x.dtype.kind}{x.shape}".replace(" ", "")
    return type(x).__name__ if isinstance(x, float) else repr(x)


def normal(*shape: int) -> Any:
    """Return normal random numbers, the same ones for each shape."""
    return np.random.default_rng(len(shape) + 10 * sum(shape)).normal(size=shape)


def normal_complex(*shape: int) -> Any:
    """Return complex random numbers, the same ones for each shape."""
    return normal(*shape) + 1j * between(-1.0, 1.0, *shape)


def between(low: float, high: float, *shape: int) -> Any:
    """Return uniform random numbers, the same ones for each shape."""
    rng = np.random.default_rng(1 + len(shape) + 10 * sum(shape))
    return rng.uniform(low, high, size=shape)


def positive(*shape: int) -> Any:
    """Return random numbers well above 0."""
    return between(0.5, 2.0, *shape)


def invertible(*shape: int) -> Any:
    """Return random matrices far from singular ones."""
    return normal(*shape) + 3 * np.eye(shape[-1])


def definite(*shape: int) -> Any:
    """Return random symmetric positive definite matrices."""
    x = normal(*shape)
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1])


def is_float(x: Any) -> bool:
    """Tell whether an argument is one that is differentiated."""
    if isinstance(x, tuple | list):
        return any(is_float(part) for part in x)
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fc"
    return isinstance(x, float | complex)


def apply(formula: Callable[..., Any], c: Case) -> tuple[Any, Callable[[Any], tuple]]:
    """Return the formula's result, and backward with a cotangent for each argument."""
    with running_for(c.target):
        z, backward, *_ = formula(*c.args, **c.options)
    z = tuple(z) if isinstance(z, tuple) else z  # a named tuple is a tuple
    kinds = [p.kind for p in inspect.signature(formula).parameters.values()]
    several = (
        inspect.Parameter.VAR_POSITIONAL in kinds
        or kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) > 1
    )
    if is_elementwise(formula):
        return z, lambda z_bar: summed(backward(z_bar) if several else (backward(z_bar),), c.args)
    if several:
        return z, backward
    return z, lambda z_bar: (backward(z_bar),)


def summed(cotangents: tuple, args: tuple) -> tuple:
    """Return cotangents in the shapes of arguments that were broadcast."""
    pairs = zip(cotangents, args, strict=False)
    sums = [x_bar if x_bar is None else unbroadcast(x_bar, x) for x_bar, x in pairs]
    return (*sums, *cotangents[len(args) :])


def check_case(c: Case) -> None:
    """Check everything about one call.

    Raises:
        AssertionError: where something is wrong, with the numbers.
    """
    formula = find_formula(c.target)
    assert formula is not None, f"no formula for {c.target}"
    z, backward = apply(formula, c)
    check_value(c, z)
    check_cotangents(c, z, backward)
    check_linearity(z, backward)
    check_single_precision(formula, c)
    check_generated(c)


def formula_test(table: Iterable[Case], turns: int = 1) -> Callable[[Case], None]:
    """Return the test that the formula agrees with differences, for each case of a table.

    Args:
        table: the cases.
        turns: how many turns it takes to run all of them.
    """

    @pytest.mark.parametrize("c", table, ids=str)
    @pytest.mark.one_of(turns)
    def test_formula(c: Case) -> None:
        check_case(c)

    return test_formula


def check_generated(c: Case) -> None:
    """What is generated from the formula: second derivatives, tangents and cotangents.

    Each of them for one of eight cases of a function, by turns, and for one at least; and for one
    of 36 all that a user's formula is checked for: also single precision, and options that
    are known when the code runs.
    """
    now, count = rotation.turn(), min(_counts[c.target] or 1, 8)
    if rotation.has_its_turn(f"{c} is checked", 36):
        check_formula(c.target, *c.args, **c.options)
    call = _Call(c.target, c.args, c.options)
    checks = (call.check_second_order, lambda: check_tangents(c), call.check_first_order)
    for k, check in enumerate(checks):
        if now is None or (now + c.number + k) % count == 0:
            check()


def check_value(c: Case, z: Any) -> None:
    """The formula's result is that of its function."""
    expected = list(leaves(c.target(*c.args, **c.options)))
    for actual, wanted in zip(leaves(z), expected, strict=True):
        assert np.shape(actual) == np.shape(wanted)
        np.testing.assert_allclose(actual, wanted, rtol=1e-15, atol=0)


def check_cotangents(c: Case, z: Any, backward: Callable[[Any], tuple]) -> None:
    """Each cotangent has its argument's shape, and agrees with differences."""
    rng = np.random.default_rng(5)
    z_bar = random_like(z, rng)
    with np.errstate(invalid="ignore"):
        cotangents = backward(z_bar)
    assert len(cotangents) >= len(c.args)
    formula = find_formula(c.target)
    names = list(inspect.signature(formula).parameters)
    for index, x in enumerate(c.args):
        x_bar = cotangents[index]
        if not is_float(x) or names[min(index, len(names) - 1)] in constant_parameters(formula):
            continue
        if x_bar is not None:
            check_shape(x, x_bar)
        for _ in range(3):
            slope = slope_along(c, index, z_bar, direction := random_like(x, rng))
            expected = 0.0 if x_bar is None else inner(x_bar, direction)
            np.testing.assert_allclose(expected, slope, rtol=RTOL, atol=ATOL)


def without_tangent(c: Case) -> bool:
    """Whether forward mode refuses a call: its tangent cannot be told from the formula yet."""
    return c.options.get("indices_or_sections") == 1  # a list of one array is recorded


def check_tangents(c: Case) -> None:
    """The tangent rule that forward mode derives agrees with differences.

    All arguments move at once, and, of one of three calls, one by itself: the others are constant.
    """
    program, args = written_out(c)
    rng = np.random.default_rng(9)
    moving = {k: random_like(x, rng) for k, x in enumerate(args) if is_float(x)}
    alone = list(moving)[zlib.crc32(str(c).encode()) % max(len(moving), 1) :][:1]
    apart = len(moving) > 1 and rotation.has_its_turn(f"{c} of one argument", 3)
    for chosen in [*({k: moving[k]} for k in alone if apart), moving]:
        tangents = tuple(chosen.get(k) for k in range(len(args)))
        if without_tangent(c):
            with pytest.raises(UnsupportedSyntaxError, match="the tangent of"):
                jvp(program, args, tangents)
            return
        with np.errstate(invalid="ignore"):
            value, dot = jvp(program, args, tangents)
        slopes = directional(program, args, chosen)
        moved = [(a, b) for a, b in zip(leaves(value), leaves(dot), strict=True) if is_number(a)]
        for (leaf, actual), expected in zip(moved, slopes, strict=True):
            if actual is None:
                assert np.asarray(leaf).dtype.kind in "biu"
                continue
            assert np.shape(actual) == np.shape(leaf)
            np.testing.assert_allclose(actual, expected, rtol=RTOL, atol=ATOL)


def check_own_tangent(c: Case) -> None:
    """What a formula gives as its tangent, if it does so itself, agrees with differences."""
    formula = find_formula(c.target)
    with running_for(c.target):
        z, _, *rest = formula(*c.args, **c.options)
    if not rest:
        return
    parameters = inspect.signature(formula).parameters.values()
    places = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    named = {p.name: c.options.get(p.name, p.default) for p in places[len(c.args) :]}
    rng = np.random.default_rng(10)
    values = [*c.args, *named.values()]
    tangents = [random_like(x, rng) if is_float(x) else None for x in values]
    left_out = [k for k, name in enumerate(named, len(c.args)) if name not in c.options]
    for k in left_out:
        tangents[k] = None if tangents[k] is None else 0.0
    moving = {k: u for k, u in enumerate(tangents) if u is not None and k not in left_out}

    def f(*moved: Any) -> Any:
        now = dict(enumerate(values)) | dict(zip(moving, moved, strict=True))
        options = {name: now[k] for k, name in enumerate(named, len(c.args)) if k in moving}
        return c.target(*[now[k] for k in range(len(c.args))], **{**c.options, **options})

    wanted = directional(f, [values[k] for k in moving], dict(enumerate(moving.values())))
    pairs = zip(leaves(z), leaves(rest[0](*tangents)), strict=True)
    found = [(leaf, dot) for leaf, dot in pairs if is_number(leaf)]
    for (leaf, dot), expected in zip(found, wanted, strict=True):
        assert np.shape(dot) == np.shape(leaf)
        np.testing.assert_allclose(dot, expected, rtol=RTOL, atol=ATOL)


def written_out(c: Case) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return a program that makes the call, and its arguments: one for each array."""
    space: dict[str, Any] = {"target": c.target}
    args: list[Any] = []

    def name(x: Any) -> str:
        if isinstance(x, tuple | list):
            parts = "".join(f"{name(part)}, " for part in x)
            return f"({parts})" if isinstance(x, tuple) else f"[{parts}]"
        if isinstance(x, np.ndarray | float | complex):
            args.append(x)
            return f"x{len(args) - 1}"
        return option(x, space)

    formula = find_formula(c.target)
    labels = [*inspect.signature(formula).parameters]
    constant = [k for k, label in enumerate(labels) if label in constant_parameters(formula)]
    given = [option(x, space) if k in constant else name(x) for k, x in enumerate(c.args)]
    given += [f"{k}={option(v, space)}" for k, v in c.options.items()]
    z = c.target(*c.args, **c.options)
    several = ", ".join(f"z{k}" for k in range(len(z))) if isinstance(z, tuple | list) else "z"
    text = (
        f"def program({', '.join(f'x{k}' for k in range(len(args)))}):\n"
        f"    {several} = target({', '.join(given)})\n"
        f"    return {several}\n"
    )
    file = f"<{' '.join(str(c).split())} {id(c)}>"
    execute(text, file, space)
    return space["program"], tuple(args)


def option(value: Any, space: dict[str, Any]) -> str:
    """Return the text of a constant, a name in the program's module unless it is plain."""
    if isinstance(value, float) and np.isinf(value):
        space["np"] = np
        return "np.inf" if value > 0 else "-np.inf"
    if isinstance(value, np.ndarray | np.generic | type | np.dtype) or issparse(value):
        label = f"option{len(space)}"
        space[label] = value
        return label
    return repr(value)


def check_shape(x: Any, x_bar: Any) -> None:
    """A cotangent has the structure and the shapes of its argument."""
    if isinstance(x, tuple | list):
        assert isinstance(x_bar, tuple | list)
        assert len(x) == len(x_bar)
        for part, part_bar in zip(x, x_bar, strict=True):
            check_shape(part, part_bar)
    else:
        assert np.shape(x_bar) == np.shape(x)


def slope_along(c: Case, index: int, z_bar: Any, direction: Any) -> float:
    """Return by differences how <z_bar, z> changes as one argument moves."""
    parts = list(leaves(c.args[index]))

    def f(*moved: Any) -> Any:
        x = tuple(moved) if isinstance(c.args[index], tuple | list) else moved[0]
        return c.target(*c.args[:index], x, *c.args[index + 1 :], **c.options)

    changes = directional(f, parts, dict(enumerate(leaves(direction))))
    return inner(z_bar, tuple(changes))


def check_linearity(z: Any, backward: Callable[[Any], tuple]) -> None:
    """Backward is linear, and the same again when it is called again."""
    rng = np.random.default_rng(6)
    one, two = random_like(z, rng), random_like(z, rng)
    both = combine(one, two)
    with np.errstate(invalid="ignore"):
        pairs = zip(leaves(backward(one)), leaves(backward(two)), strict=True)
        found = [x for x in leaves(backward(both)) if x is not None]
        wanted = [np.asarray(p) * 2 - np.asarray(q) * 3 for p, q in pairs if p is not None]
    for actual, expected in zip(found, wanted, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-10)


def combine(one: Any, two: Any) -> Any:
    """Return 2 * one - 3 * two, in their structure."""
    if isinstance(one, tuple | list):
        return type(one)(combine(p, q) for p, q in zip(one, two, strict=True))
    if one is None:  # a whole number has no cotangent
        return None
    return 2 * one - 3 * two


def check_single_precision(formula: Callable[..., Any], c: Case) -> None:
    """Arrays in single precision get cotangents in single precision."""
    if "dtype" in c.options:
        return
    small = Case(c.target, tuple(single(x) for x in c.args), c.options)
    with np.errstate(invalid="ignore"):
        z, backward = apply(formula, small)
        if not all(getattr(leaf, "dtype", None) == single_type(leaf) for leaf in leaves(z)):
            return  # by itself, the function does not stay in single precision
        z_bar = single(random_like(z, np.random.default_rng(7)), scalars=True)
        cotangents = backward(z_bar)
    for x, x_bar in zip(small.args, cotangents, strict=False):
        if x_bar is None:
            continue
        for leaf, leaf_bar in zip(leaves(x), leaves(x_bar), strict=True):
            if isinstance(leaf, np.ndarray) and leaf.dtype in (np.float32, np.complex64):
                assert np.finfo(leaf_bar.dtype).dtype == np.float32


def single_type(x: Any) -> type:
    """Return the type of a number like `x` in single precision."""
    return np.complex64 if np.iscomplexobj(x) else np.float32


def single(x: Any, scalars: bool = False) -> Any:
    """Return an argument with its arrays, and maybe its numbers, in single precision."""
    if isinstance(x, tuple | list):
        return type(x)(single(part, scalars) for part in x)
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return x.astype(single_type(x))
    return single_type(x)(x) if scalars and isinstance(x, float | complex) else x
