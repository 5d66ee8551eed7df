"""The tape as a witness: every program of the table, against what srcgrad generates."""

import copy
import re

import numpy as np
import pytest

import srcgrad
from srcgrad import SrcgradError, tape
from tests import finite_differences as fd
from tests.programs.table import programs
from tests.test_programs import (
    REFUSED,
    as_tuple,
    assert_equal,
    assert_gradients_are_the_callers,
    pick,
    wrt_of,
)

WITHOUT = {
    "scipy_lists.filters_and_densities"  # SciPy itself makes arrays of these lists
}


def is_plain(case):
    """Whether a program takes and gives arrays, numbers and tuples, which is what a tape knows."""
    args = case.make_args()
    if not all(fd.is_number(x) for x in pick(case, args)) or case.name in WITHOUT:
        return False
    return all(fd.is_number(leaf) for leaf in fd.leaves(case.fn(*args)))


PROGRAMS = [case for case in programs() if is_plain(case)]


def each(cases):
    """Run a test once for each of these programs, under its name."""
    return pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in cases])


@pytest.mark.one_of(6)
@each(PROGRAMS)
def test_vector_jacobian_product(case):
    """The tape runs what the program runs, and differentiates it as the generated code does."""
    args, plain = case.make_args(), case.make_args()
    value, backward = tape.vjp(case.fn, *args, wrt=wrt_of(case))
    primal = case.fn(*plain)
    for ours, theirs in zip(fd.leaves(value), fd.leaves(primal), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    assert_equal(args, plain)
    weights = fd.random_like(primal, np.random.default_rng(5))
    gradients = as_tuple(case, backward(weights))
    assert_gradients_are_the_callers(case, gradients, args, value, weights)
    if case.name not in REFUSED:
        _, generated = srcgrad.vjp(case.fn, *case.make_args(), wrt=wrt_of(case))
        assert_same(gradients, as_tuple(case, generated(weights)))


@pytest.mark.one_of(12)
@each(c for c in PROGRAMS if not c.vector and c.order2 and c.name not in REFUSED)
def test_second_order(case, monkeypatch):
    """A tape of a tape gives the second derivative that the generated code gives."""
    if case.recorded2:
        monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    rng, wrt = np.random.default_rng(6), wrt_of(case)
    weights = tuple(fd.random_like(x, rng) for x in pick(case, case.make_args()))
    weights = weights if len(weights) > 1 else weights[0]
    found = []
    for engine in (tape, srcgrad):
        _, backward = engine.vjp(engine.grad(case.fn, wrt=wrt), *case.make_args(), wrt=wrt)
        found.append(as_tuple(case, backward(weights)))
    assert_same(*found)


def assert_same(ours, theirs):
    """Compare derivatives that differ by rounding only."""
    size = max(float(np.max(np.abs(x), initial=1.0)) for x in theirs)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12 * size)


def test_it_can_be_printed():
    """What was computed, and after the walk back, the derivatives."""
    recording = tape.Tape()
    _, backward = tape.vjp(
        lambda w, x: np.sum(np.tanh(x @ w) ** 2), np.array([0.0, 0.5]), np.eye(2), tape=recording
    )
    forward = [
        "w = [0. , 0.5]",
        "v0 = [[1., 0.], [0., 1.]] @ w",
        "v1 = tanh(v0)",
        "v2 = v1 ** 2",
        "v3 = sum(v2)",
    ]
    assert str(recording).splitlines() == forward
    backward(1.0)
    assert str(recording).splitlines() == [
        *forward,
        "dL_dv3 = 1.0",
        "dL_dv2 = [1., 1.]",
        "dL_dv1 = [0.      , 0.924234]",
        "dL_dv0 = [0.      , 0.726862]",
        "dL_dw = [0.      , 0.726862]",
    ]


def test_tapes_do_not_mix():
    """An inner tape takes the values of an outer one for constants."""
    assert tape.grad(lambda x: x * tape.grad(lambda y: x + y)(1.0))(1.0) == 1.0
    # d/dy of x^2 y^3 at y = x is 3 x^4, whose slope is 12 x^3
    assert tape.grad(lambda x: tape.grad(lambda y: x * x * y**3)(x))(2.0) == 96.0
    # inside of a taped function, srcgrad's own derivatives are taken on tapes
    assert tape.grad(lambda x: srcgrad.grad(lambda y: x * x * y**3)(x))(2.0) == 96.0


def test_gradients_have_the_structure_of_the_argument():
    """Tuples, lists and dicts, with numbers and arrays in them."""
    parameters = {"w": np.array([1.0, 2.0]), "b": [3.0]}
    gradient = tape.grad(lambda p: np.sum(p["w"] ** 2) * p["b"][0])(parameters)
    np.testing.assert_array_equal(gradient["w"], [6.0, 12.0])
    assert gradient["b"] == [5.0]


def test_a_write_through_a_view():
    """All that share memory see it, and what is a copy does not."""

    def through(x):
        y = np.zeros(4)
        inside = y[1:3]
        inside[:] = x * x
        y *= 2
        return np.sum(inside) + y[1]

    def beside(x):
        y = x.reshape(2, 2).T
        y.ravel()[0] = 0.0  # it cannot be a view
        return np.sum(y * y)

    x = np.arange(4.0)
    np.testing.assert_array_equal(tape.grad(through)(x[1:3]), [8.0, 8.0])
    np.testing.assert_array_equal(tape.grad(beside)(x), 2 * x)


def nowhere(x):
    """Write no entries."""
    y = x * 1.0
    y[3:] *= 0.5
    y[:0] = np.zeros(0)
    return np.sum(y)


def copied(x):
    """A copy of Python's is a copy of the array."""
    y, tree = copy.copy(x), copy.deepcopy({"x": x})
    y[0] = tree["x"][1] = 0.0
    return np.sum(y * x) + np.sum(tree["x"])


@pytest.mark.parametrize(
    ("f", "expected"),
    [(nowhere, [1.0, 1.0, 1.0]), (copied, [1.0, 4.0, 7.0])],
)
def test_which_entry_is_written_where(f, expected):
    """NumPy decides it, and what shares no memory is not touched."""
    np.testing.assert_allclose(tape.grad(f)(np.array([1.0, 2.0, 3.0])), expected)


def test_a_recorded_value_is_as_it_was_before_a_write():
    """What an entry needs to go back is not what was written later."""

    def overwritten(x):
        y = np.sin(x)
        z = y * y
        y[0] = 0.0
        return np.sum(z) + np.sum(y)

    x = np.array([0.5, 1.0])
    expected = 2 * np.sin(x) * np.cos(x) + np.array([0.0, np.cos(1.0)])
    np.testing.assert_allclose(tape.grad(overwritten)(x), expected)


def test_an_inner_gradient_can_be_written():
    """It is an array of its own, and still depends on the outer argument."""

    def outer(x):
        d = tape.grad(lambda y: np.sum(y**3))(x)
        d[0] += x[1]
        return np.sum(d * d)

    np.testing.assert_allclose(tape.grad(outer)(np.array([1.0, 2.0])), [60.0, 298.0])


def reduced(x):
    """Three methods that have formulas, and one that is a function of wider arrays."""
    return np.add.reduce(np.hypot.outer(x, x) @ np.multiply.accumulate(x)) + np.maximum.reduce(x)


def added_at(x):
    """Add to one place twice, and take away."""
    y = np.zeros(3)
    np.add.at(y, [0, 0, 2], x)
    v = x[:2] * x[1:]
    np.subtract.at(y, [1, 2], v)
    return np.sum(y * y)


@pytest.mark.parametrize("f", [reduced, added_at])
def test_methods_of_ufuncs(f):
    """They are seen, with the formulas there are."""
    x = np.array([0.5, 2.0, 1.5])
    np.testing.assert_allclose(tape.grad(f)(x), srcgrad.grad(f)(x))


def test_any_ufunc_at():
    """It is done one entry after the other."""

    def f(x):
        y = x.copy()
        np.multiply.at(y, [0, 0, 2], x)
        np.negative.at(y, [1])
        return np.sum(y)

    # x0 x0 x1 - x1 + x2 x2
    np.testing.assert_allclose(tape.grad(f)(np.array([1.0, 2.0, 3.0])), [4.0, 0.0, 6.0])
    found = tape.grad(lambda x: np.divide.reduce(x))(np.array([4.0, 2.0, 1.0]))
    np.testing.assert_allclose(found, [0.5, -1.0, -2.0])


READ_ONLY = {
    "added": lambda d, x: np.add.at(d, [0, 0, 1], x),
    "constants": lambda d, x: np.subtract.at(d, [0, 0, 1], 2.0),
    "scaled": lambda d, x: np.multiply.at(d, [0, 0, 1], x),
    "one operand": lambda d, x: np.negative.at(d, [0, 1]),
    "assigned": lambda d, x: d.__setitem__(0, x[0]),
    "put": lambda d, x: np.put(d, [0], x[0]),
}


@pytest.mark.parametrize("way", READ_ONLY)
@pytest.mark.parametrize("view", ["np.diagonal", "np.broadcast_to", "of constants"])
def test_arrays_that_are_read_only(view, way):
    """What ``ufunc.at`` writes into them, though it should not, is seen; other writes raise."""

    def f(x):
        m = np.outer(x, x) if view != "of constants" else np.ones((3, 3))
        d = np.broadcast_to(m[0], (1, 3))[0] if view == "np.broadcast_to" else np.diagonal(m)
        READ_ONLY[way](d, x)
        return np.sum(m * np.arange(9.0).reshape(3, 3)) + 0.0 * x[0]

    x = np.array([1.0, 2.0, 3.0])
    try:
        f(x)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            tape.grad(f)(x)
        return
    np.testing.assert_allclose(tape.grad(f)(x), fd.gradient(f, (x,), 0), rtol=1e-5)


def test_largest_by_a_key():
    """It is one of them, and what is equal without a key has half of the slope each."""
    x = np.array([1.0, -3.0, 1.0])
    assert tape.grad(lambda x: max([x[0], x[1]], key=abs))(x).tolist() == [0.0, 1.0, 0.0]
    assert tape.grad(lambda x: max(v for v in x))(x).tolist() == [0.5, 0.0, 0.5]
    assert tape.grad(lambda x: sorted([x[0], x[1]], key=lambda v: -v)[0])(x).tolist() == [1, 0, 0]
    assert tape.grad(lambda x: sum([x[0], x[1]], x[2] * x[2]))(x).tolist() == [1.0, 1.0, 2.0]


def test_a_name_of_a_function_around():
    """It is written to, as without a tape."""
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return x * x

    assert tape.grad(f)(2.0) == 4.0
    assert calls == 1


BUFFER = np.zeros(2)


def into_a_global(x):
    """Write to an array that is a global one."""
    BUFFER[0] = x
    return BUFFER[0] * x


def into_the_memory_of_a_global(x):
    """Write to an array that is a global one under another name."""
    whole = np.asarray(BUFFER)
    whole[0] = x
    return BUFFER[0] * x


def into_a_global_result(x):
    """Have a function write to a global array."""
    np.add(x, x, BUFFER)
    return BUFFER[0] * x / 2


def by_name(x):
    """Name what is written."""
    y = np.zeros(2)
    np.copyto(y, src=x)
    return y[0] * x


def makes_a_global(x):
    """Write to a global name."""
    global MADE
    MADE = x
    return MADE * x


def taken_out(x):
    """Make a list of an array."""
    return np.array([x, x]).tolist()[0] * x


@pytest.mark.parametrize(
    "f",
    [
        into_a_global,
        into_the_memory_of_a_global,
        into_a_global_result,
        by_name,
        makes_a_global,
        taken_out,
    ],
)
def test_what_is_written_outside(f):
    """It is recorded, and holds plain numbers afterwards."""
    assert tape.grad(f)(3.0) == pytest.approx(6.0)
    assert tape.grad(tape.grad(f))(3.0) == pytest.approx(2.0)
    assert type(BUFFER[0]) is np.float64
    assert type(globals().get("MADE", 0.0)) is float


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (
            lambda x: np.polydiv(np.array([x, 1.0]), np.array([x, 2.0]))[0][0],
            "no formula for numpy",
        ),
        (lambda x: np.max(np.array([x * 1j, x])).real, "called with complex numbers"),
        (lambda x: np.exp(1j * x), "the result is complex"),
        (lambda x: np.array([x, x]), "a gradient asks for one real number"),
        (lambda x: np.array([x]).view(np.float32)[0], "no formula for the array method .view"),
        (lambda x: float(f"{x:.17g}") * x, "made from text"),
        (lambda x: np.frombuffer(np.array([x]).tobytes())[0], "array method .tobytes"),
    ],
)
def test_it_refuses_to_lose_a_derivative(f, words):
    """An error, and never a number."""
    with pytest.raises((SrcgradError, ValueError), match=words):
        tape.grad(f)(1.0)


def scaled(x, factor):
    """A function with a formula that forgets a sum."""
    return x * factor


@pytest.mark.parametrize(
    ("f", "bar"),
    [
        (lambda x: x * x, np.ones(2)),
        (lambda x: x * x, 1j),
        (lambda x: np.sum(scaled(np.ones(2), x)), 1.0),
    ],
)
def test_a_cotangent_that_does_not_fit(f, bar):
    """It is refused, whether the caller gives it or a formula."""
    srcgrad.formula(scaled)(forgets_a_sum)
    _, backward = tape.vjp(f, 3.0)
    with pytest.raises(SrcgradError, match="does not fit"):
        backward(bar)


def forgets_a_sum(x, factor):
    """z = factor * x."""
    z = scaled(x, factor)

    def backward(z_bar):
        return z_bar * factor, z_bar * x

    return z, backward


def test_what_is_in_an_array():
    """A test without a derivative."""
    assert tape.grad(lambda x: x[0] * (2.0 in x))(np.array([1.0, 2.0])).tolist() == [1.0, 0.0]


def test_a_value_that_leaves_its_tape():
    """What is stored elsewhere is a plain number afterwards."""
    kept = []
    tape.grad(lambda x: kept.append(x) or x * x)(2.0)
    assert kept == [2.0]
    assert type(kept[0]) is float


def test_wrt():
    """By name, by position, and not otherwise."""
    assert tape.grad(lambda a, b: a * b, wrt="b")(2.0, 3.0) == 2.0
    assert tape.grad(lambda a, b: a * b, wrt=(-1, 0))(2.0, 3.0) == (2.0, 3.0)
    with pytest.raises(SrcgradError, match="wrt='c' does not fit"):
        tape.grad(lambda a: a, wrt="c")(1.0)
    with pytest.raises(SrcgradError, match="not of real or complex numbers"):
        tape.grad(lambda a: a * 1.0)(1)
