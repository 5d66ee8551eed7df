"""Jacobians and Hessians against closed forms, in their values and in their shapes."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

from srcgrad import differentiate, grad, hessian, hvp, jacfwd, jacobian, jacrev
from srcgrad.errors import ArgumentError, ResultError
from tests import finite_differences as fd

RNG = np.random.default_rng(3)
A = RNG.normal(size=(3, 4))
X = RNG.normal(size=4)
MODES = pytest.mark.parametrize("mode", [jacfwd, jacrev, jacobian])


@MODES
def test_a_linear_map_is_its_own_jacobian(mode):
    """Rows belong to the result, columns to the argument."""
    np.testing.assert_allclose(mode(lambda x: A @ x)(X), A, rtol=1e-14)
    np.testing.assert_allclose(mode(lambda x: x @ A)(np.ones(3)), A.T, rtol=1e-14)


@MODES
def test_shapes(mode):
    """The shape of the result comes first, then that of the argument."""
    assert mode(lambda x: np.outer(x, x))(X).shape == (4, 4, 4)
    assert mode(lambda x: x @ x.T)(A).shape == (3, 3, 3, 4)
    assert mode(lambda x: np.sum(x))(A).shape == (3, 4)
    assert mode(lambda x: x * X)(2.0).shape == (4,)
    assert np.shape(mode(lambda x: x * x)(2.0)) == ()
    assert mode(lambda x: x * 2)(np.ones((0, 2))).shape == (0, 2, 0, 2)


@MODES
def test_an_outer_product(mode):
    """The derivative of x_i x_j by x_k is in place (i, j, k)."""
    unit = np.eye(4)
    expected = np.einsum("ik,j->ijk", unit, X) + np.einsum("i,jk->ijk", X, unit)
    np.testing.assert_allclose(mode(lambda x: np.outer(x, x))(X), expected, rtol=1e-14)


@MODES
def test_several_arguments_and_results(mode):
    """The structure of the result stands outside, that of `wrt` inside."""

    def both(m, x):
        return m @ x, (np.sum(x**2), x.shape[0])

    (by_m, by_x), ((norm_m, norm_x), count) = mode(both, wrt=(0, "x"))(A, X)
    np.testing.assert_allclose(by_m, np.einsum("ij,k->ijk", np.eye(3), X), rtol=1e-14)
    np.testing.assert_allclose(by_x, A, rtol=1e-14)
    np.testing.assert_allclose(norm_x, 2 * X, rtol=1e-14)
    assert norm_m.shape == A.shape
    assert not norm_m.any()
    assert count is None
    (only,) = mode(both, wrt=("m",))(A, X)[0]
    np.testing.assert_allclose(only, by_m)


@MODES
def test_a_decorated_function_says_what_to_differentiate(mode):
    """Its own `wrt` is the default."""

    @differentiate(wrt="b")
    def f(a, b):
        return a * b**2

    assert mode(f)(5.0, 3.0) == 30.0


def rosenbrock(x):
    """A chain of curved valleys."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_hessian():
    """The closed form of a banded Hessian."""
    x = np.array([1.2, 0.7, -0.3])
    expected = np.diag([0.0, 200.0, 200.0])
    for k in range(2):
        expected[k, k] += 1200 * x[k] ** 2 - 400 * x[k + 1] + 2
        expected[k, k + 1] = expected[k + 1, k] = -400 * x[k]
    np.testing.assert_allclose(hessian(rosenbrock)(x), expected, rtol=1e-12)
    for v in np.eye(3):
        np.testing.assert_allclose(hvp(rosenbrock)(x, v), expected @ v, rtol=1e-12)


def test_hessian_of_several_arguments():
    """A tuple of tuples, symmetric across its diagonal."""
    (aa, ax), (xa, xx) = hessian(lambda a, x: np.sum(np.sin(a * x)), wrt=(0, 1))(2.0, X)
    np.testing.assert_allclose(aa, -np.sum(X**2 * np.sin(2 * X)))
    np.testing.assert_allclose(ax, np.cos(2 * X) - 2 * X * np.sin(2 * X))
    np.testing.assert_allclose(xa, ax)
    np.testing.assert_allclose(xx, np.diag(-4 * np.sin(2 * X)), atol=1e-15)


def test_hvp_of_several_arguments():
    """The vector and the product have the structure of `wrt`."""
    a_dot, x_dot = hvp(lambda a, x: a**2 * np.sum(x), wrt=("a", "x"))(3.0, X, (1.0, np.ones(4)))
    np.testing.assert_allclose(a_dot, 2 * np.sum(X) + 6 * 4)
    np.testing.assert_allclose(x_dot, np.full(4, 6.0))


def scaled(x, *, k):
    """Take an argument by name only."""
    return x * k**3 * np.sum(k)


def scaled_by_options(x, **given):
    """Take it among others."""
    return x * given["k"] ** 3 * np.sum(given["k"])


def scaled_while_recorded(x, *, k):
    """The same, one entry after the other, which is recorded."""
    made = []
    for i in (j for j in range(4) if locals()):
        made = [*made, x[i] * k[i] ** 3 * np.sum(k)]
    return np.array(made)


@pytest.mark.parametrize("f", [scaled, scaled_by_options, scaled_while_recorded])
def test_an_argument_that_is_given_by_name_only(f):
    """It is differentiated as others are, alone and beside others, and may be a default."""
    how = {"recorded": "allow"}
    k = np.array([1.0, 2.0, 0.5, 1.5])
    expected = np.diag(X * 3 * k**2 * np.sum(k)) + (X * k**3)[:, None]
    for mode in (jacfwd, jacrev, jacobian):
        for _ in range(2):
            np.testing.assert_allclose(mode(f, "k", **how)(X, k=k), expected, rtol=1e-12)
        of_x, of_k = mode(f, (0, "k"), **how)(X, k=k)
        np.testing.assert_allclose(of_x, np.diag(k**3 * np.sum(k)), rtol=1e-12)
        np.testing.assert_allclose(of_k, expected, rtol=1e-12)
    sparse = jacobian(f, "k", sparse=True, **how)(X, k=k)
    np.testing.assert_allclose(sparse.toarray(), expected, rtol=1e-12)

    def total(x, *, k=k):
        return np.sum(f(x, k=k) ** 2)

    whole = hessian(total, "k", **how)(X)
    for _ in range(2):
        np.testing.assert_allclose(hvp(total, "k", **how)(X, X, k=k), whole @ X, rtol=1e-10)
    plain = hessian(lambda k: np.sum(scaled(X, k=k) ** 2))(k)
    np.testing.assert_allclose(whole, plain, rtol=1e-10)


def test_what_does_not_fit_is_refused():
    """A vector of another length or number of parts; a result that is no number."""
    with pytest.raises(ArgumentError, match="shape"):
        hvp(rosenbrock)(X, np.ones(3))
    with pytest.raises(ArgumentError, match="2 arguments"):
        hvp(lambda a, x: a * x, wrt=(0, 1))(1.0, 2.0, (1.0,))
    with pytest.raises(ResultError):
        hessian(lambda x: x * 2)(X)


class State(NamedTuple):
    """Two arrays and a count."""

    x: Any
    v: Any
    steps: int = 2


@dataclasses.dataclass
class Layer:
    """Weights, and what is no number."""

    w: Any
    b: Any
    name: str = "layer"


def layers():
    """A dict with a list of dataclasses, a named tuple, a tuple, an integer and a string."""
    return {
        "layers": [Layer(RNG.normal(size=(2, 3)), 0.3), Layer(RNG.normal(size=(2, 2)), -0.2)],
        "state": State(RNG.normal(size=3), 0.4),
        "pair": (0.7, 5),
        "name": "net",
    }


def network(p, x, scale=1.0):
    """A result that is a tree: with a named tuple, a dataclass, an integer."""
    h = x * p["state"].v + p["state"].x
    for layer in p["layers"]:
        h = np.tanh(layer.w @ h + layer.b)
    out = State(h * scale, np.sum(h) * p["pair"][0], 4)
    return {"out": out, "rest": [Layer(h**2, p["pair"][0] ** 2), (3, np.outer(h, x))]}


def energy(p, x):
    """One number."""
    out = network(p, x)["out"]
    return np.sum(out.x**2) + out.v**3


def assert_same_tree(tree, like):
    """Check that two trees have the same classes, keys and lengths."""
    assert type(tree) is type(like)
    assert getattr(tree, "keys", tuple)() == getattr(like, "keys", tuple)()
    if fd.parts_of(like) is not None:
        for a, b in zip(fd.parts_of(tree)[0], fd.parts_of(like)[0], strict=True):
            if fd.parts_of(b) is not None:
                assert_same_tree(a, b)


def assert_is_jacobian(block, f, args, position):
    """Compare the Jacobian of one array that `f` returns with differences, leaf by leaf."""
    tree = args[position]
    if fd.parts_of(tree) is not None:
        assert_same_tree(block, tree)
    leaves, blocks = list(fd.leaves(tree)), list(fd.leaves(block))
    assert len(leaves) == len(blocks)
    result = np.asarray(f(*args))
    for k, (leaf, made) in enumerate(zip(leaves, blocks, strict=True)):
        if not fd.is_number(leaf):
            assert made is None
            continue
        assert np.shape(made) == (*result.shape, *np.shape(leaf))
        for index in np.ndindex(np.shape(leaf)):
            unit = np.zeros(np.shape(leaf))
            unit[index] = 1.0
            row = fd.numbers(leaves)
            place = sum(map(fd.is_number, leaves[:k]))
            steps = [unit if j == place else np.zeros(np.shape(x)) for j, x in enumerate(row)]
            direction = (
                steps[0] if fd.parts_of(tree) is None else fd.with_numbers(tree, iter(steps))
            )
            (slope,) = fd.directional(f, args, {position: direction})
            np.testing.assert_allclose(made[(..., *index)], slope, rtol=1e-6, atol=1e-9)


@MODES
@pytest.mark.parametrize("wrt", [0, 1, (0,), (1, 0), (0, "scale")])
@pytest.mark.one_of(2)
def test_jacobians_of_trees(mode, wrt):
    """The result's tree, with the argument's tree at each leaf, and an array at each of those."""
    args = (layers(), RNG.normal(size=3), 1.5)
    made, value = mode(network, wrt)(*args), network(*args)
    assert made.keys() == value.keys()
    assert type(made["out"]) is State
    assert type(made["rest"]) is list
    assert type(made["rest"][0]) is Layer
    assert made["out"].steps is made["rest"][0].name is made["rest"][1][0] is None
    rows = [
        (made["out"].x, lambda *args: network(*args)["out"].x),
        (made["out"].v, lambda *args: network(*args)["out"].v),
        (made["rest"][0].w, lambda *args: network(*args)["rest"][0].w),
        (made["rest"][0].b, lambda *args: network(*args)["rest"][0].b),
        (made["rest"][1][1], lambda *args: network(*args)["rest"][1][1]),
    ]
    for block, f in rows:
        assert isinstance(block, tuple) == isinstance(wrt, tuple)
        several = wrt if isinstance(wrt, tuple) else (wrt,)
        for own, position in zip(
            block if isinstance(wrt, tuple) else (block,), several, strict=True
        ):
            assert_is_jacobian(own, f, args, 2 if position == "scale" else position)


def test_hessians_of_trees():
    """A tree of trees: the second derivatives for each two leaves."""
    p, x, slopes = layers(), RNG.normal(size=3), grad(energy)
    made = hessian(energy)(p, x)
    assert_same_tree(made, p)
    assert made["name"] is made["pair"][1] is made["layers"][0].name is None
    rows = [
        (made["layers"][0].w, lambda p, x: slopes(p, x)["layers"][0].w),
        (made["layers"][1].b, lambda p, x: slopes(p, x)["layers"][1].b),
        (made["state"].x, lambda p, x: slopes(p, x)["state"].x),
        (made["pair"][0], lambda p, x: slopes(p, x)["pair"][0]),
    ]
    for block, f in rows:
        assert_is_jacobian(block, f, (p, x), 0)
    by_w = made["layers"][0].w
    assert by_w["layers"][1].w.shape == (2, 3, 2, 2)
    mixed = np.moveaxis(made["layers"][1].w["layers"][0].w, (0, 1), (2, 3))
    np.testing.assert_allclose(by_w["layers"][1].w, mixed, atol=1e-12)


def test_hessians_of_trees_and_arrays():
    """For several arguments, a tuple of trees, with tuples of trees at their leaves."""
    p, x = layers(), RNG.normal(size=3)
    by_p, by_x = hessian(energy, wrt=(0, 1))(p, x)
    assert type(by_p) is dict
    inner_p, inner_x = by_p["layers"][0].w
    np.testing.assert_allclose(inner_p["state"].x, hessian(energy)(p, x)["layers"][0].w["state"].x)
    assert inner_x.shape == (2, 3, 3)
    np.testing.assert_allclose(np.moveaxis(inner_x, 2, 0), by_x[0]["layers"][0].w, atol=1e-12)
    assert_is_jacobian(by_x[1], grad(energy, 1), (p, x), 1)


def test_products_with_hessians_of_trees():
    """The product has the vector's structure, and is the Hessian's."""
    p, x = layers(), RNG.normal(size=3)
    direction = fd.random_like(p, np.random.default_rng(4))
    product = hvp(energy)(p, x, direction)
    slopes = fd.directional(grad(energy), (p, x), {0: direction})
    for a, b in zip(fd.numbers(product), slopes, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)
    assert product["name"] is None


@MODES
def test_lists_and_tuples_of_arrays(mode):
    """Lists stay lists, tuples stay tuples, and a list of one is a list."""
    made = mode(lambda t: [t[0] * t[1][0]])([X, (2.0, 3)])
    assert type(made) is list
    assert type(made[0]) is list
    assert type(made[0][1]) is tuple
    np.testing.assert_allclose(made[0][0], 2 * np.eye(4))
    np.testing.assert_allclose(made[0][1][0], X)
    assert made[0][1][1] is None


@MODES
def test_what_has_no_jacobian(mode):
    """Trees without a floating-point number, complex leaves, integers."""
    with pytest.raises(ArgumentError, match="holds no array or number"):
        mode(lambda p: p["a"] * 1.0)({"a": 3})
    with pytest.raises(ArgumentError, match="real arguments"):
        mode(lambda p: np.abs(p["a"]))({"a": 1j})
    with pytest.raises(ArgumentError, match="integer"):
        mode(lambda x: x * 1.0)(3)
    empty = mode(lambda p: p["a"] * p["b"])({"a": np.zeros((0, 2)), "b": 2.0})
    assert empty["a"].shape == (0, 2, 0, 2)
    assert empty["b"].shape == (0, 2)


class Counted:
    """A model that counts its calls, and is another one each time."""

    def __init__(self):
        self.calls = 0

    def loss(self, x):
        """Return a sum that depends on how often it was asked for."""
        self.calls += 1
        return self.calls * np.sum(x**3)


@pytest.mark.parametrize("way", [jacfwd, jacrev, jacobian, hessian])
def test_a_function_that_keeps_state_runs_once(way):
    """All columns are those of one run."""
    model, x = Counted(), np.array([1.0, 2.0, 3.0])
    found = way(model.loss, recorded="allow")(x)
    assert model.calls == 1
    np.testing.assert_allclose(found, np.diag(6 * x) if way is hessian else 3 * x**2)


@pytest.mark.parametrize("way", [jacfwd, jacrev, jacobian])
def test_an_argument_that_is_changed_is_changed_once(way):
    """What a function makes of its arguments is made once, as by a plain call."""

    def f(x, state):
        state["k"] = state["k"] * 2.0
        return state["k"] * x**2

    state, x = {"k": 1.5}, np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(way(f)(x, state), np.diag(6.0 * x))
    assert state == {"k": 3.0}


def test_random_numbers_are_those_of_one_run():
    """A function that draws runs once: its Jacobian is that of one function."""

    def noisy(x, rng):
        return np.sum(x) * rng.normal(size=2)

    def of_the_module(x):
        return np.sum(x) * GENERATOR.normal(size=2)

    for mode in (jacfwd, jacrev, jacobian):
        first = mode(noisy)(X, np.random.default_rng(1))
        np.testing.assert_array_equal(
            first, np.outer(noisy(np.array(1.0), np.random.default_rng(1)), np.ones(4))
        )
        assert (mode(of_the_module)(X).std(axis=1) == 0).all()


GENERATOR = np.random.default_rng(2)


def test_a_call_like_the_last_one_is_like_the_first():
    """Shapes, kinds and what the function reads change between calls of one derivative."""
    scale = [2.0]

    def f(x, y):
        return scale[0] * x**2 * np.sum(y)

    jac, product = jacobian(f), hvp(lambda x, y: np.sum(f(x, y) * x))
    for n, m, dtype in ((3, 2, float), (3, 2, float), (4, 2, float), (3, 5, np.float32)):
        for factor in (2.0, -1.0):
            scale[0] = factor
            x, y = np.arange(1, n + 1).astype(dtype), np.ones(m, dtype)
            v = np.arange(n).astype(dtype) - 1
            found = jac(x, y), product(x, y, v)
            np.testing.assert_allclose(found[0], np.diag(2 * factor * m * x), rtol=1e-6)
            np.testing.assert_allclose(found[1], 6 * factor * m * x * v, rtol=1e-6)
            assert [each.dtype for each in found] == [dtype, dtype]
            found[0][0, 0] = 7.0  # shares no memory with what a later call gives
    with pytest.raises(ArgumentError):
        product(x, y, np.ones(n + 1))
    np.testing.assert_allclose(product(x, y, list(v)), 6 * factor * m * x * v, rtol=1e-6)


def test_the_jacobian_of_the_argument_itself_is_no_memory_of_ours():
    """What a caller writes into it is not there in the next call."""
    jac = jacobian(lambda x: x)
    for _ in range(3):
        found = jac(np.ones(3))
        np.testing.assert_array_equal(found, np.eye(3))
        found[:] = 5.0
