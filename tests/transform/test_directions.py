"""Tangents along all directions at once are those along one after the other."""

import numpy as np
import pytest

import srcgrad.calling.columns.directions as directions
from srcgrad import grad, hessian, hvp, jacfwd, source

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 3))
V, W = RNG.normal(size=4), RNG.normal(size=(3, 4))
ROWS, MASK = np.array([2, 0, 2]), np.array([True, False, True, True])


def elementwise(x):
    """Operators and functions of each number."""
    return np.sin(x) * 2 - x / (1 + x**2) + np.where(x > 0, x, 0.1 * x)


def scalars_and_arrays(x):
    """Numbers beside arrays."""
    return x[0] * A + x[1] * V + x[2] - A / x[3]


def outer_axes(x):
    """Axes that are added."""
    return x[:, None] * x[None, :] + x[:, None]


def matrices(x):
    """Products of matrices and vectors."""
    return A @ x + x @ B @ W + np.dot(V, x) * x


def matrix_of_entries(x):
    """A matrix of entries, and outer products."""
    m = np.array([[x[0], 2.0], [x[1] * x[2], x[3]]])
    return m @ m.T + np.outer(x[:2], V[:2]) + np.outer(V[:2], x[2:])


def reductions(x):
    """Sums and means."""
    m = x[:, None] * B
    return np.sum(m, axis=0) + np.mean(m, axis=-2) + np.sum(m) + m.sum(axis=(0, 1))


def kept_axes(x):
    """Sums that keep their axes."""
    m = x[:, None] * B
    return m - m.mean(axis=1, keepdims=True) + np.sum(m, keepdims=True)


def shapes(x):
    """Other shapes and orders of axes."""
    m = np.reshape(x, (2, 2))
    t = m.T.reshape(-1) + np.ravel(m)
    return np.transpose(np.stack((m, m * m)), (2, 0, 1)), np.swapaxes(m, 0, 1), t


def joined(x):
    """Arrays that are joined."""
    return np.concatenate((x[1:], V, x[:1] * 2)), np.stack([x, x * x], axis=1)


def along_axes(x):
    """Functions along an axis."""
    m = x[:, None] * B
    return np.cumsum(m, axis=0), np.diff(x), np.flip(m, axis=1), np.roll(x, 1), np.diff(m, axis=0)


def indices(x):
    """Entries of all kinds."""
    m = x[:, None] * B
    return x[ROWS], x[MASK], x[::-1], m[1], m[:, 2], m[..., 0], m[None], m[1:3, ROWS]


def writes(x):
    """Entries that are written."""
    y = np.zeros((3, 4))
    for k in range(3):
        y[k] = x * W[k]
        y[k, 1] += x[0]
    y[:, 0] = 1.5
    y[1, ROWS] = x[:3]
    return y


def added_at(x):
    """Entries that are added to."""
    y = np.zeros(4)
    np.add.at(y, ROWS, x[:3])
    return y * x


def running(x):
    """Numbers that loops and branches hand on."""
    total = 0.0
    best = x[0]
    for k in range(4):
        total = total + x[k] * V[k]
        if V[k] > 0:
            best = total * x[k]
    return total * V + best


def no_steps(x):
    """A loop that does not run."""
    total = 0.0
    y = np.zeros(2)
    for k in range(0):
        total = total + x[k]
        y[k] = x[k]
    return total * V, total, y, 3


def helper(y, s):
    """A called function."""
    return y * s, s * s


def called(x):
    """Calls of a function with two results."""
    y, s = helper(x, x[1])
    z, _ = helper(V, s)
    return y + z


def branches(x):
    """Returns in branches."""
    if x[0] > 100:
        return 2 * x
    y = x * x
    if x[1] > 100:
        y = V
    return y


def listed(x):
    """A list of arrays."""
    parts = []
    for k in range(3):
        parts.append(x[k] * x)
    out = x
    for part in parts[::-1]:
        out = out + part
    return out


def one_of_a_length(x):
    """Axes of length 1."""
    return x * np.ones((1, 4)) + x[:1] * np.ones((3, 1))


ALL = [
    elementwise, scalars_and_arrays, outer_axes, matrices, matrix_of_entries, reductions, kept_axes,
    shapes, joined, along_axes, indices, writes, added_at, running, no_steps, called, branches,
    listed, one_of_a_length,
]  # fmt: skip
X = np.array([0.7, -1.3, 0.4, 2.1])


def flat(tree):
    """Return the arrays of nested tuples."""
    return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, tuple) else [tree]


def assert_same(made, expected):
    """Compare derivatives, their shapes, types and dtypes."""
    assert len(flat(made)) == len(flat(expected))
    for p, q in zip(flat(made), flat(expected), strict=True):
        assert np.shape(p) == np.shape(q)
        assert type(p) is type(q)
        if p is not None:
            assert p.dtype == q.dtype
            np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-13)


def one_by_one(make, *args):
    """Return what a derivative gives that takes one direction after the other."""
    made = make()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directions.Tangents, "code", lambda *given: None)
        return made(*args)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_columns_together(f):
    """A Jacobian is that by columns, from one sweep."""
    jacobian = jacfwd(f, recorded="refuse")
    x = X.copy()
    made = jacobian(x)
    assert jacobian.__srcgrad_loop__().kind == "sweep"
    assert_same(made, one_by_one(lambda: jacfwd(f), x))
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
@pytest.mark.one_of(2)
def test_hessians_and_products(f):
    """So are Hessians, and products with them."""

    def loss(x):
        first = f(x)
        return np.sum((first[0] if isinstance(first, tuple) else first) ** 3)

    x = X.copy()
    assert_same(hessian(loss)(x), one_by_one(lambda: hessian(loss), x))
    assert_same(hvp(loss)(x, V), one_by_one(lambda: hvp(loss), x, V))


def test_few_directions_at_once(monkeypatch):
    """Several sweeps take the directions together."""
    monkeypatch.setattr(directions, "_TOGETHER", 9)
    jacobian = jacfwd(elementwise)
    made = jacobian(X)
    assert jacobian.__srcgrad_loop__().kind == "sweep"
    assert_same(made, np.diag(np.diag(made)))
    assert_same(made, one_by_one(lambda: jacfwd(elementwise), X))


def test_columns_of_large_arrays_are_taken_one_by_one(monkeypatch):
    """Where no two directions fit the caches, there is nothing to gain."""
    monkeypatch.setattr(directions, "_TOGETHER", 7)
    calls = []
    monkeypatch.setattr(directions, "_jacobian", lambda *given: calls.append(given))
    jacfwd(elementwise)(X)
    assert not calls


def test_sizes_are_those_of_the_call():
    """How many directions are taken follows the arguments of each call."""
    jacobian = jacfwd(elementwise)
    jacobian(X)
    names, shapes = ["x"], jacobian.__srcgrad_loop__().transform.specialisations[0].slots[2]
    few = directions._together(shapes, names, [np.ones(2**10)])
    assert few == 2 * directions._together(shapes, names, [np.ones(2**11)]) > 0


def test_results_share_no_memory():
    """Each Jacobian is an array of its own."""

    def f(x):
        return x, x[:2]

    whole, part = jacfwd(f)(X)
    whole[:] = 5.0
    np.testing.assert_array_equal(part, np.eye(4)[:2])


def test_a_tuple_of_arguments():
    """Arguments are taken one after the other, and numbers among them."""

    def f(x, s, y):
        return s * x * y[0] + y[1]

    given = X, 2.0, V
    made = jacfwd(f, (0, 1, 2))(*given)
    assert_same(made, one_by_one(lambda: jacfwd(f, (0, 1, 2)), *given))
    made = hessian(lambda *a: np.sum(f(*a) ** 2), (0, 2))(*given)
    assert_same(made, one_by_one(lambda: hessian(lambda *a: np.sum(f(*a) ** 2), (0, 2)), *given))


@pytest.mark.parametrize("x", [X.astype(np.float32), np.array([0.5]), 0.5, np.ones(0)])
def test_what_goes_one_by_one(x):
    """Other types than arrays of double precision have columns."""
    jacobian = jacfwd(lambda x: 2 * x)
    made = jacobian(x)
    assert jacobian.__srcgrad_loop__().kind == "columns"
    assert made.dtype == np.asarray(x).dtype
    assert made.shape == 2 * np.shape(x)


def test_an_error_of_the_program_is_its_own():
    """What the program raises comes through."""

    def f(x):
        if x[0] < 0:
            raise ValueError("below zero")
        return np.sqrt(x)

    jacobian = jacfwd(f)
    jacobian(np.abs(X))
    with pytest.raises(ValueError, match="below zero"):
        jacobian(-np.abs(X))


def test_a_program_with_effects_runs_as_often_as_before():
    """A program with effects is run once."""
    seen = []

    def f(x):
        seen.append(1)
        return np.sum(x**3)

    product = hvp(f, recorded="allow")
    product(X, V)
    assert len(seen) == 1


def test_text():
    """The text that is shown runs, and gives the same."""
    jacobian = jacfwd(outer_axes)
    jacobian(X)
    text = source(jacobian)
    assert "x_dot = np.eye(x.size).reshape(x.size, *x.shape)" in text
    assert "x_dot[:, :, None]" in text
    space = {"np": np}
    exec(text, space)
    np.testing.assert_array_equal(space["outer_axes_jacobian"](X), jacobian(X))
    product = hvp(lambda x: np.sum(outer_axes(x)))
    product(X, V)
    assert "return" in source(product)
    assert "_hvp(" in source(product)


def test_gradients_of_products():
    """Products inside of a function are differentiated."""

    def f(x):
        return np.sum(hvp(lambda y: np.sum(y**4))(x, V))

    np.testing.assert_allclose(grad(f)(X), 24 * X * V)
