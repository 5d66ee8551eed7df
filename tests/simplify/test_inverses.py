"""Systems of equations with a matrix whose inverse is computed anyway."""

import numpy as np
import pytest

from srcgrad import check, grad, source


def likelihood(s, e):
    """That of a Gaussian."""
    return e @ np.linalg.solve(s, e) + np.log(np.linalg.det(s))


def filtered(s, b, steps):
    """Systems with a matrix on the right, in a loop."""
    total = 0.0
    for _ in range(steps):
        k = np.linalg.solve(s, b)
        total = total + np.sum(k**2) + np.log(np.linalg.det(s))
        b = b + 0.1 * k
    return total


def by_turns(s, e, p):
    """The inverse is only computed on one of two paths."""
    x = np.linalg.solve(s, e)
    if p > 0:
        x = x * np.log(np.linalg.det(s))
    return np.sum(x**2)


RNG = np.random.default_rng(0)
S = 3 * np.eye(3) + RNG.normal(size=(3, 3))


@pytest.mark.parametrize("p", [1.0, -1.0])
def test_gradients(p):
    """They agree with differences to second order."""
    check(likelihood, S, RNG.normal(size=3), wrt=(0, 1), order=2)
    check(filtered, S, RNG.normal(size=(3, 2)), 2, wrt=(0, 1), order=2)
    check(by_turns, S, RNG.normal(size=3), p, wrt=(0, 1), order=2)


def test_a_known_inverse_is_multiplied_with():
    """There is no second factorisation."""
    gradient = grad(likelihood, wrt=(0, 1))
    gradient(S, np.ones(3))
    text = source(gradient)
    assert text.count("= np.linalg.inv(s)") == 1
    assert "np.linalg.solve(s.T" not in text


def test_no_inverse_is_made_for_a_system():
    """Without a determinant a system is solved."""
    gradient = grad(lambda s, e: np.sum(np.linalg.solve(s, e) ** 2))
    gradient(S, np.ones(3))
    assert "np.linalg.inv" not in source(gradient)
