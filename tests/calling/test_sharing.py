"""Code is shared among closures of one text, wherever all that was read of them fits."""

import collections
import gc
import threading
import weakref

import numpy as np
import pytest

from srcgrad import (
    breakpoint_at,
    detect_anomaly,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    source,
    value_and_grad,
    vjp,
)
from srcgrad.calling.reuse import sharing
from srcgrad.generation import generate

W = np.array([0.3, -0.7, 1.1])


@pytest.fixture
def generated(monkeypatch):
    """The functions that code was generated for, each time that it was."""
    made = []
    own = generate.generate
    monkeypatch.setattr(sharing, "_known", collections.OrderedDict())
    monkeypatch.setattr(sharing, "_own", collections.OrderedDict())

    def counted(transform, *rest):
        made.append(transform.plain.__name__)
        return own(transform, *rest)

    monkeypatch.setattr(generate, "generate", counted)
    return made


def scaled(c, w):
    """Return the gradient of a local function, and what it is."""

    def local(v):
        return np.sum(np.sin(c * v))

    return grad(local)(w), c * np.cos(c * w)


def test_generated_once(generated):
    """A second call, with another value in the cell, runs the code of the first."""
    for c in (2.0, 3.0, -1.5):
        np.testing.assert_allclose(*scaled(c, W))
    assert generated == ["local"]


def cubes(v):
    """A function without cells, and what it reads of its module."""
    return np.sum(SCALES[0] * v**3)


SCALES = [2.0]


def test_functions_of_a_module_are_shared(generated):
    """A derivative that is made again of a function runs the code of the first."""
    for factor in (2.0, 3.0):
        SCALES[0] = factor
        np.testing.assert_allclose(grad(cubes)(W), 3 * factor * W**2)
    assert generated.count("cubes") == 1
    again = grad(cubes)
    again(W)
    assert "def cubes_grad(v):" in source(again)
    assert generated.count("cubes") == 1
    SCALES[0] = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(grad(cubes)(W), 3 * SCALES[0] * W**2)
    SCALES[0] = 2.0


def test_products_are_shared(generated):
    """So it is with ``vjp``, ``jvp`` and Jacobians; the code reads the new cells."""

    def local_of(c):
        def local(v):
            h = c * v
            return np.sin(h)

        return local

    for c in (2.0, 3.0, -1.5):
        local = local_of(c)
        value, backward = vjp(local, W)
        np.testing.assert_allclose(value, np.sin(c * W))
        np.testing.assert_allclose(backward(np.ones(3)), c * np.cos(c * W))
        np.testing.assert_allclose(jvp(local, (W,), (W,))[1], c * W * np.cos(c * W))
        np.testing.assert_allclose(jacobian(local)(W), np.diag(c * np.cos(c * W)))
    count = len(generated)
    assert count <= 3
    with detect_anomaly(), np.errstate(all="ignore"), pytest.raises(ArithmeticError, match="inf"):
        vjp(local_of(1e300), np.full(3, 1e300))


def test_second_derivatives_are_shared(generated):
    """So it is with Hessians, products with them, and Jacobians of gradients."""

    def local_of(c):
        def inner(v):
            return c * v

        def local(v):
            return np.sum(np.sin(inner(v)) * c)

        return local

    for c in (2.0, 3.0, -1.5):
        expected = -(c**3) * np.sin(c * W)
        np.testing.assert_allclose(hessian(local_of(c))(W), np.diag(expected))
        np.testing.assert_allclose(hvp(local_of(c))(W, W), expected * W)
        np.testing.assert_allclose(jacobian(grad(local_of(c)))(W), np.diag(expected))
    assert len(generated) <= 4


CELLS = [2.0, np.array([1.0, 2.0, 0.5]), np.ones((1,)), np.float64(0.7), np.full((3, 1), 2.0), 3]
FUNCTIONS = [np.sin, np.tanh, "power", "times"]


def test_second_derivatives_of_all_kinds_in_all_orders(monkeypatch):
    """What cells hold changes in kind between the calls; each is as if nothing was shared."""

    def inner_of(kind, c):
        if kind == "power":
            return lambda v: v**2
        return (lambda v: c * v) if kind == "times" else kind

    def local_of(kind, c, scale):
        inner = inner_of(kind, c)

        def local(v):
            h = inner(v * c)
            return np.sum(h**3) * scale

        return local

    def found(kind, c, scale, w):
        local = local_of(kind, c, scale)
        slope = grad(local)
        return [
            hessian(local)(w),
            hvp(local_of(kind, c, scale))(w, 2 * w),
            vjp(slope, w)[1](w),
            grad(lambda v: np.sum(slope(v) ** 2))(w),
        ]

    rng = np.random.default_rng(5)
    ways = [
        (FUNCTIONS[rng.integers(4)], CELLS[rng.integers(6)], CELLS[rng.integers(0, 4, 1)[0]], w)
        for w in (W, W.astype(np.float32), W[:1])
        for _ in range(4)
    ]
    ways = [way if np.ndim(way[2]) == 0 else (*way[:2], 0.5, way[3]) for way in ways]
    shared = [found(*way) for way in ways + ways[::-1]]
    monkeypatch.setattr(generate, "offer", lambda *args: None)
    monkeypatch.setattr(sharing, "_known", collections.OrderedDict())
    monkeypatch.setattr(sharing, "_own", collections.OrderedDict())
    for way, these, those in zip(ways, shared, shared[::-1], strict=False):
        for own, one, other in zip(found(*way), these, those, strict=True):
            assert own.dtype == one.dtype == other.dtype
            np.testing.assert_array_equal(one, own)
            np.testing.assert_array_equal(other, own)


def test_other_kinds_in_a_cell(generated):
    """Code is generated for each kind of what a cell holds, and found again."""
    cells = [2.0, np.ones(3), np.float64(3.0), np.ones((1,)), np.full(3, 2.0), 4.0, np.ones((3, 1))]
    for c in cells * 2:
        found, expected = scaled(c, W)
        np.testing.assert_allclose(found, np.sum(expected, 0) if np.ndim(c) == 2 else expected)
    assert len(generated) == 5


def chosen(kind, w):
    """Return the gradient of a function that branches on a text in its cell."""

    def local(v):
        if kind == "square":
            return np.sum(v**2)
        return np.sum(np.exp(v))

    return grad(local)(w)


def test_what_goes_into_the_code_is_tested():
    """A text, a function, an object that is another one gives other code."""
    for kind in ("square", "exp", "square", "other"):
        np.testing.assert_allclose(chosen(kind, W), 2 * W if kind == "square" else np.exp(W))

    def composed(f, w):
        def local(v):
            return np.sum(f(v))

        return grad(local)(w)

    for f, slope in ((np.sin, np.cos), (np.exp, np.exp), (np.sin, np.cos)):
        np.testing.assert_allclose(composed(f, W), slope(W))
    for k in range(3):
        np.testing.assert_allclose(composed(lambda v, k=k: k * v, W), k * np.ones(3))


def test_cells_are_read_when_the_derivative_runs():
    """A cell that is given another value after the derivative was made counts."""

    def late(w):
        c = 1.0

        def local(v):
            return np.sum(c * v)

        slope = grad(local)
        first = slope(w)
        c = 5.0
        return first, slope(w)

    for _ in range(2):
        first, second = late(W)
        np.testing.assert_array_equal(first, np.ones(3))
        np.testing.assert_array_equal(second, 5 * np.ones(3))


def test_closures_in_closures_and_recursion(generated):
    """What a local function calls may be local itself, or the function again."""

    def nested(c, w):
        def inner(v):
            return c * v**2

        def local(v):
            return np.sum(inner(v))

        return grad(local)(w)

    def power(n, w):
        def local(v, k):
            return v if k == 0 else v * local(v, k - 1) * n

        return grad(local)(w, 2)

    for c in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(nested(c, W), 2 * c * W)
        np.testing.assert_allclose(power(c, 0.5), 3 * 0.25 * c**2)
    assert generated == ["local", "local"]

    def handed(inner, w):
        def local(v):
            return np.sum(inner(v))

        return grad(local)(w)

    def times(c):
        return lambda v: c * v

    def power_of(n):
        return lambda v: v**n

    for _ in range(2):
        for k in (2.0, 3.0):
            np.testing.assert_allclose(handed(times(k), W), k * np.ones(3))
            np.testing.assert_allclose(handed(power_of(k), W), k * W ** (k - 1))
    assert len(generated) == 4


def test_two_names_of_one_array():
    """Cells that hold one array in one call, and two in the next."""

    def summed(a, b, w):
        def local(v):
            a[0] = v[0]
            return a[0] * b[0] * np.sum(v)

        return grad(local, recorded="allow")(w)

    for _ in range(2):
        a, b = np.zeros(1), np.ones(1)
        np.testing.assert_allclose(summed(a, b, W), W[0] + np.array([W.sum(), 0, 0]))
        one = np.zeros(1)
        np.testing.assert_allclose(
            summed(one, one, W), W[0] ** 2 + np.array([2 * W[0] * W.sum(), 0, 0])
        )


FACTOR = 2.0


def test_globals_and_arguments_that_change(monkeypatch):
    """The module around, and the kinds of arguments, are tested as for any function."""

    def local_of(c):
        def local(v):
            return np.sum(c * FACTOR * v)

        return local

    np.testing.assert_array_equal(grad(local_of(1.0))(W), 2.0 * np.ones(3))
    monkeypatch.setitem(globals(), "FACTOR", np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(grad(local_of(1.0))(W), FACTOR)
    np.testing.assert_array_equal(grad(local_of(1.0))(np.ones((2, 3))), np.ones((2, 1)) * FACTOR)
    assert grad(local_of(1.0))(1.0) == 6.0
    value, slope = value_and_grad(local_of(2.0))(W)
    assert value == np.sum(2 * FACTOR * W)
    np.testing.assert_array_equal(slope, 2 * FACTOR)


def test_source_second_derivatives_and_watching():
    """What is not a plain call has code of the function's own, with its own cells."""

    def local_of(c):
        def local(v):
            h = c * v
            return np.sum(h**3)

        return local

    for c in (1.0, 2.0):
        local = local_of(c)
        slope = grad(local)
        np.testing.assert_allclose(slope(W), 3 * c**3 * W**2)
        np.testing.assert_allclose(hessian(local)(W), np.diag(6 * c**3 * W))
        np.testing.assert_allclose(grad(lambda v, s=slope: np.sum(s(v)))(W), 6 * c**3 * W)
        assert "h_bar = 3 * h ** 2" in source(slope)
    slope = grad(local_of(3.0))
    slope(W)
    with detect_anomaly():
        np.testing.assert_allclose(slope(W), 81 * W**2)
        with np.errstate(all="ignore"), pytest.raises(ArithmeticError, match="the first inf"):
            slope(np.array([1e200, 0.0, 0.0]))
    with breakpoint_at(local_of(1.0), "h") as place:
        seen = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.breakpointhook", lambda: seen.append(place.name))
            slope(W)
    assert seen == ["h"]


def test_threads():
    """Each has the cells of its own function."""
    wrong = []

    def work(c):
        for _ in range(20):
            found, expected = scaled(c, W)
            if not np.allclose(found, expected):
                wrong.append(c)

    threads = [threading.Thread(target=work, args=(float(c),)) for c in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_is_kept_alive():
    """What the cells of a function hold is let go with it."""
    large = np.ones(1000)
    found = weakref.ref(large)

    def local_of(c):
        def local(v):
            return np.sum(c * v)

        return local

    grad(local_of(large))(2.0)
    hessian(local_of(large))(2.0)
    del large
    gc.collect()
    assert found() is None


def added(x, n):
    """A function whose code says more where its lengths are not 1."""
    return np.sum(np.concatenate((np.ones(n), x[:-1])) * x)


def test_code_does_not_depend_on_earlier_calls():
    """What was generated for other lengths is not taken, though it is right for these."""
    first = grad(added)
    first(np.ones(5), 1)
    for count in (1, 2, 3):
        grad(added)(np.ones(count), 1)
    again = grad(added)
    again(np.ones(5), 1)
    assert source(again) == source(first)
