"""What is told of lengths holds at every call that the guard lets through."""

import importlib
import itertools
import random

import numpy as np
import pytest
from srcgrad.formulas import load_all

from srcgrad import grad, jvp, save, source
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.linear import terms_of, text_of, weighted_sum
from srcgrad.analysis.shapes.results import infer
from srcgrad.ir.nodes import Const, Items, Slice, Var
from srcgrad.ir.types import INTEGER, Type
from tests import finite_differences as fd
from tests.analysis import lengths_programs

NAMES = ("x.0", "y.0", "n.value", "m.value")
N, M = Var("n", INTEGER), Var("m", INTEGER)
X, Y = (Var(name, Type("array", (f"{name}.0",), "f")) for name in "xy")
XY = Var("xy", Type("array", ("x.0", "y.0"), "f"))


def observing(numbers):
    """Lengths at a call with two vectors and two whole numbers."""
    lengths = Lengths()
    lengths.observed = dict(zip(NAMES, numbers, strict=True))
    lengths.values = {N: "n.value", M: "m.value"}
    return lengths


def lets_through(lengths, numbers):
    """Whether the guard of what was told at one call lets another call through."""
    other = observing(numbers)
    other.made = lengths.made
    number = other.example
    return (
        all(number(a) == number(b) for a, b in lengths.required)
        and all(number(rest) >= 0 for rest in lengths.nonnegative)
        and all(number(length) != 1 for length in lengths.assumed)
        and all(number(name) >= least for name, least in lengths.least.items())
        and all(number(name) == exact for name, exact in lengths.exact.items())
    )


def told(lengths, dim, numbers):
    """What is told of a length, at another call."""
    other = observing(numbers)
    other.made = lengths.made
    number = other.example(lengths.find(dim))
    return None if number is None else max(number, 0)


load_all()  # what is asked must have a formula
CALLS = [tuple(random.Random(k).choices(range(8), k=4)) for k in range(40)]


def test_sums_are_written_in_one_way():
    """Equal expressions have equal texts, and a text says what it is made of."""
    assert weighted_sum([("x.0-1", 1), ("n.value", 2), (1, 1)]) == "2*n.value+x.0"
    assert weighted_sum([("x.0+3", 1), ("x.0", -1)]) == 3
    for text in ("x.0", "x.0-2", "2*n.value-x.0+1"):
        terms, constant = terms_of(text)
        assert text_of(dict(terms), constant) == text


@pytest.mark.parametrize("step", [None, 2, 3])
def test_slices_between_numbers_of_the_call(step):
    """The length of a slice whose bounds are whole numbers among the arguments."""
    bounds = [None, 0, 2, -1, N, M, "n+1", "n-m"]
    count = 0
    for lower, upper in itertools.product(bounds, bounds):
        for numbers in CALLS:
            lengths = observing(numbers)
            parts = [_bound(lengths, bound) for bound in (lower, upper)]
            dim = lengths.sliced("x.0", Slice(*parts, Const(step)))
            if lengths.find(dim) is None:
                continue
            count += 1
            for other in CALLS:
                if not lets_through(lengths, other):
                    continue
                space = dict(zip(("x", "y", "n", "m"), other, strict=True))
                a, b = (_number(bound, space) for bound in (lower, upper))
                known = told(lengths, dim, other)
                assert known == len(range(space["x"])[a:b:step]), (lower, upper, numbers, other)
    assert count > 100


def _bound(lengths, bound):
    if not isinstance(bound, str):
        return bound if isinstance(bound, Var) else Const(bound)
    made = Var("bound", INTEGER)
    terms = {"n+1": [("n.value", 1), (1, 1)], "n-m": [("n.value", 1), ("m.value", -1)]}
    lengths.values[made] = lengths.total(terms[bound])
    return made


def _number(bound, space):
    if isinstance(bound, Var):
        return space[bound.name]
    return eval(bound, {}, space) if isinstance(bound, str) else bound


def _of(*items):
    return Items(tuple(items), False)


# calls, and the same of NumPy's arrays x, y, z and of whole numbers n and m
MADE = {
    "concatenate": ((np.concatenate, (_of(X, Y, X),)), lambda x, y, z, n, m: (x, y, x)),
    "concatenate of rows": ((np.concatenate, (_of(XY, XY),)), lambda x, y, z, n, m: (z, z)),
    "hstack": ((np.hstack, (_of(X, Y),)), lambda x, y, z, n, m: (x, y)),
    "vstack": ((np.vstack, (_of(XY, Y),)), lambda x, y, z, n, m: (z, y)),
    "column_stack": ((np.column_stack, (_of(X, XY),)), lambda x, y, z, n, m: (x, z)),
}
CALLED = {
    "append": ((np.append, (X, Y)), lambda x, y, z, n, m: np.append(x, y)),
    "arange": ((np.arange, (N,)), lambda x, y, z, n, m: np.arange(n)),
    "arange between": ((np.arange, (N, M)), lambda x, y, z, n, m: np.arange(n, m)),
    "convolve": ((np.convolve, (X, Y)), lambda x, y, z, n, m: np.convolve(x, y)),
    "diff": ((np.diff, (X, Const(2))), lambda x, y, z, n, m: np.diff(x, 2)),
    "linspace": (
        (np.linspace, (Const(0.0), Const(1.0), N)),
        lambda x, y, z, n, m: np.linspace(0.0, 1.0, n),
    ),
    "ones": ((np.ones, (N,)), lambda x, y, z, n, m: np.ones(n)),
    "eye": ((np.eye, (N, M)), lambda x, y, z, n, m: np.eye(n, m)),
    "pad": ((np.pad, (X, _of(N, Const(1)))), lambda x, y, z, n, m: np.pad(x, (n, 1))),
    "ravel": ((np.ravel, (XY,)), lambda x, y, z, n, m: np.ravel(z)),
    "repeat": ((np.repeat, (X, N)), lambda x, y, z, n, m: np.repeat(x, n)),
    "reshape": ((np.reshape, (XY, Const(-1))), lambda x, y, z, n, m: np.reshape(z, -1)),
    "tile": ((np.tile, (X, _of(N, Const(2)))), lambda x, y, z, n, m: np.tile(x, (n, 2))),
    "windows": (
        (np.lib.stride_tricks.sliding_window_view, (XY, _of(Const(2), Const(3)))),
        lambda x, y, z, n, m: np.lib.stride_tricks.sliding_window_view(z, (2, 3)),
    ),
    "rfft": ((np.fft.rfft, (X,)), lambda x, y, z, n, m: np.fft.rfft(x)),
    "irfft": ((np.fft.irfft, (X,)), lambda x, y, z, n, m: np.fft.irfft(x)),
}
CALLED |= {
    name: ((fn, args), lambda *given, fn=fn, parts=parts: fn(parts(*given)))
    for name, ((fn, args), parts) in MADE.items()
}


@pytest.mark.parametrize("name", CALLED)
def test_results_are_as_long_as_is_told(name):
    """The shape of what a call gives, at the call at hand and at others."""
    (fn, args), plain = CALLED[name]
    count = 0
    for numbers in CALLS:
        lengths = observing(numbers)
        if 1 in numbers[:2]:  # axes of length 1 have no names
            continue
        known = infer(lengths, fn, args, ())
        shape = known.shape if isinstance(known, Type) else None
        for other in CALLS:
            if 1 in other[:2] or not lets_through(lengths, other):
                continue
            a, b, n, m = other
            try:
                made = plain(np.ones(a), np.ones(b), np.ones((a, b)), n, m)
            except (ValueError, IndexError):
                continue
            if not isinstance(shape, tuple):
                continue
            found = [told(lengths, dim, other) for dim in shape]
            assert len(found) == made.ndim
            rows = zip(found, made.shape, strict=True)
            assert all(k is None or k == size for k, size in rows), (numbers, other, shape)
            count += None not in found
    assert count > 20


SIZES = [(5, 4, 2), (6, 4, 2), (5, 4, 2), (7, 3, 3), (1, 1, 2), (2, 2, 1), (3, 5, 2), (0, 4, 2)]
SIZES += [(5, 5, 5), (4, 5, 3), (1, 4, 2), (5, 1, 1), (5, 4, 2)]


@pytest.mark.parametrize("case", lengths_programs.PROGRAMS, ids=lambda case: case.fn.__name__)
def test_programs_at_calls_of_other_lengths(case):
    """Each call gives the gradient of the program, whichever lengths came before."""
    gradient = grad(case.fn, recorded="refuse")
    rng = np.random.default_rng(5)
    for sizes in SIZES:
        args = case.make(rng, *sizes)
        try:
            case.fn(*args)
        except (ValueError, IndexError, ZeroDivisionError, RuntimeWarning):
            continue
        found = gradient(*args)
        assert np.shape(found) == np.shape(args[0])
        direction = rng.normal(size=np.shape(args[0]))
        (wanted,) = fd.directional(case.fn, args, {0: direction})
        np.testing.assert_allclose(np.sum(found * direction), wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("case", lengths_programs.PROGRAMS, ids=lambda case: case.fn.__name__)
def test_nothing_is_there_for_lengths_that_do_not_differ(case):
    """After a call, the text has no sums over axes that might have been broadcast."""
    gradient = grad(case.fn, recorded="refuse")
    gradient(*case.make(np.random.default_rng(5), 5, 4, 2))
    text = source(gradient)
    assert not [w for w in ("unbroadcast(", "split_like(", "place(") if w in text], text


@pytest.mark.one_of(4)
@pytest.mark.parametrize("case", lengths_programs.PROGRAMS, ids=lambda case: case.fn.__name__)
def test_saved_modules_refuse_what_they_are_not_for(case, tmp_path, monkeypatch):
    """A saved gradient is right for arguments of other lengths, or says that it is not for them."""
    gradient = grad(case.fn, recorded="refuse")
    rng = np.random.default_rng(5)
    gradient(*case.make(rng, 5, 4, 2))
    name = f"saved_{case.fn.__name__}"
    save(gradient, tmp_path / f"{name}.py")
    monkeypatch.syspath_prepend(tmp_path)
    saved = getattr(importlib.import_module(name), f"{case.fn.__name__}_grad")
    right = 0
    for sizes in SIZES:
        args = case.make(rng, *sizes)
        try:
            wanted = gradient(*args)
            found = saved(*args)
        except (ValueError, IndexError, ZeroDivisionError, RuntimeWarning):
            continue
        np.testing.assert_allclose(found, wanted)
        right += 1
    assert right >= 3


def test_limits_of_numbers_are_numbers():
    """What is compared with ``np.finfo(float).eps`` has the rank that it has."""

    def unit(x):
        n = np.linalg.norm(x, axis=1)
        return np.sum(x / np.maximum(n, np.finfo(float).eps)[:, None] * x[:, ::-1])

    x = np.random.default_rng(0).normal(size=(3, 2))
    gradient = grad(unit)
    np.testing.assert_allclose(gradient(x), fd.gradient(unit, (x,), 0), rtol=1e-6)
    assert "unbroadcast" not in source(gradient)


A = np.random.default_rng(1).normal(size=(5, 3))
PICKED = [
    lambda x: np.linalg.lstsq(A * x[0], x)[0],
    lambda x: np.linalg.lstsq(A * x[0], x)[1],
    lambda x: np.extract(x > 0, x),
    lambda x: np.compress([True, False, True], A * x[0], axis=0),
    lambda x: np.unique(x),
    lambda x: x[np.flatnonzero(x > 0)],
    lambda x: A[np.nonzero(A[:, 0])] * x[:, None],
    lambda x: np.bincount([0, 1, 1, 2, 0], x),
]


@pytest.mark.parametrize("fn", PICKED, ids=range(len(PICKED)))
def test_axes_of_what_is_as_long_as_values_tell(fn):
    """Its number of axes is known: the tangent of a norm, which depends on it, is text."""
    x = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
    u = np.array([1.0, 0.5, -0.7, 0.3, 0.2])
    f = lambda x: np.linalg.norm(np.sin(fn(x)))  # noqa: E731
    _, slope = jvp(f, (x,), (u,), recorded="refuse")
    np.testing.assert_allclose(slope, fd.directional(f, (x,), {0: u})[0], rtol=1e-7)


def test_rows_that_are_appended_to_a_list():
    """A matrix of them has as many columns as each row, which may be one."""

    def f(x, n, m, a):
        rows = []
        for i in range(n):
            row = []
            for j in range(m):
                row.append(x[i] * x[j] ** 2)
            rows.append(row)
        return np.sum((np.array(rows) * a) ** 2)

    x, a = np.array([0.5, 1.2, 0.7]), np.arange(9.0).reshape(3, 3)
    gradient = grad(f)
    gradient(x, 3, 3, a)
    assert "unbroadcast" not in source(gradient)
    for n, m in ((3, 3), (1, 1), (3, 1), (1, 3)):
        np.testing.assert_allclose(gradient(x, n, m, a), fd.gradient(f, [x, n, m, a], 0), rtol=1e-6)
