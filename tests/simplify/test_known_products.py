"""Products of matrices that the forward part computes."""

import numpy as np
import pytest

from srcgrad import check, grad, source, value_and_grad


def gain(h, p, v):
    """``h @ p`` is there."""
    hp = h @ p
    return np.sum((hp @ h.T) ** 2 * v) + np.sum(hp)


def update(k, h, p):
    """The gain of a filter."""
    g = np.linalg.solve(np.eye(h.shape[0]) + h @ p @ h.T, h @ p)
    return np.sum((k @ h @ p) ** 2) + np.sum(g)


def sometimes(h, p, k, flag):
    """One arm alone computes the product."""
    total = 0.0
    if flag > 0:
        total = np.sum(h @ p)
    return total + np.sum((k @ h @ p) ** 2)


def in_loops(h, p, k, n):
    """Some iterations do."""
    total = 0.0
    for i in range(n):
        if i % 2:
            total = total + np.sum((h @ p) ** 2)
        p = p - 0.1 * (k @ h @ p)
    return total + np.sum(p**2)


RNG = np.random.default_rng(0)
H, P, K = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3)), RNG.normal(size=(3, 2))


def test_gradients():
    """They agree with differences to second order."""
    check(gain, H, P, RNG.normal(size=(2, 2)), wrt=(0, 1), order=2)
    check(update, K, H, P @ P.T, wrt=(0, 1, 2), order=2)


@pytest.mark.parametrize("flag", [1.0, -1.0])
def test_products_that_are_not_always_there(flag):
    """What a branch or an iteration left out is not read."""
    check(sometimes, H, P, K, flag, wrt=(0, 1, 2))
    for n in range(4):
        check(in_loops, H, P, K, n, wrt=(0, 1, 2))


def test_the_product_is_read():
    """The transposed product is that of the product."""
    gradient = grad(update)
    gradient(K, H, P)
    assert "p.T @ h.T" not in source(gradient)


def loglik(s, e):
    """The solution is needed for the value, and by the gradient."""
    return e @ np.linalg.solve(s, e) + np.log(np.linalg.det(s))


def test_systems_for_the_gradient_alone():
    """They are solved by the inverse, unless the value needs the solution as well."""
    s, e = P @ P.T + np.eye(3), P[0]
    gradient, both = grad(loglik, wrt=(0, 1)), value_and_grad(loglik, wrt=(0, 1))
    check(loglik, s, e, wrt=(0, 1), order=2)
    ours, (value, others) = gradient(s, e), both(s, e)
    assert value == loglik(s, e)
    for one, other in zip(ours, others, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert "= np.linalg.solve" not in source(gradient)
    assert source(both).count("= np.linalg.solve") == 1
