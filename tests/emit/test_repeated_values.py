"""What the forward part computes twice is kept once, and numbers of libraries are not kept."""

import math

import numpy as np
import pytest
from scipy.special import erf

from srcgrad import grad, source, vjp
from tests import finite_differences as fd

X = np.array([0.3, -0.7, 0.9])


def in_a_loop(x):
    """Compute in each iteration what is the same in all of them."""
    a = erf(x / np.sqrt(2)) * np.exp(x)
    for _ in range(3):
        a = a * erf(x / np.sqrt(2)) + np.exp(x)
    return np.sum(a) / math.sqrt(3)


def in_arms(x):
    """Compute the same in both arms of a branch, behind it, and of another value of a name."""
    if x[0] > 0:
        a = np.exp(x) * x
    else:
        a = np.exp(x) * 2
    b = np.exp(x) * np.sin(x)
    x = x * 2
    return np.sum(a * b * np.exp(x) * np.sin(x))


def written_between(x):
    """Write between into what the operand is."""
    y = x * 1.0
    a = np.exp(y) * np.sin(y)
    y[0] = 3.0 * x[1]
    b = np.exp(y) * np.sin(y)
    y += x
    return np.sum(a * b * np.exp(y) * np.sin(y))


def written_through_a_view(x):
    """Write between through another name."""
    v = x * 1.0
    w = v[:2]
    a = np.sum(np.exp(v) ** 2)
    w[0] = 0.1
    b = np.sum(np.exp(v) ** 2)
    w *= 2
    return a * b * np.sum(np.exp(v) ** 3)


def doubled(v):
    """Write into an array that is given."""
    v *= 2
    return v


def written_itself(x):
    """Write into what is computed twice."""
    a = doubled(np.exp(x)) * np.exp(x)
    return np.sum(a * np.exp(x))


def with_kinds(x):
    """Take equal numbers of two types for two."""
    return np.sum(x * np.sqrt(2) * np.sqrt(2.0) * np.sqrt(True))


def with_numbers_of_libraries(x):
    """Use numbers of modules in a loop, and next to names of the same spelling."""
    for np_pi in range(2):
        x = np.sin(2 * np.pi * 0.1 * x) * math.e + np_pi * math.pi
    return np.sum(x * np.pi)


PROGRAMS = [in_a_loop, in_arms, written_between, written_through_a_view]
PROGRAMS += [written_itself, with_kinds, with_numbers_of_libraries]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("x", [X, -X], ids=["", "negative"])
def test_derivatives(f, x):
    """They are those of differences."""
    expected = fd.gradient(f, (x,), 0)
    np.testing.assert_allclose(grad(f)(x), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(vjp(f, x)[1](1.0), expected, rtol=1e-5, atol=1e-7)


def test_text():
    """A loop keeps nothing of what does not change in it, and no number of NumPy's."""
    text = {}
    for f in (in_a_loop, with_numbers_of_libraries):
        derivative = grad(f)
        derivative(X)
        text[f] = source(derivative)
    assert "saved.append(a)" in text[in_a_loop]
    assert text[in_a_loop].count("exp_x = np.exp(x)") == 1
    assert "= np.pi" not in text[with_numbers_of_libraries]
    assert "np.pi" in text[with_numbers_of_libraries].split("test_repeated_values")[-1]
    assert "math.e" in text[with_numbers_of_libraries].split("test_repeated_values")[-1]


def test_numbers_of_libraries_are_read_anew(monkeypatch):
    """Nobody changes them; who does is not told another number for it."""
    derivative = grad(with_numbers_of_libraries)
    before = derivative(X)
    monkeypatch.setattr(math, "e", 2.5)
    expected = fd.gradient(with_numbers_of_libraries, (X,), 0)
    assert not np.allclose(before, expected)
    np.testing.assert_allclose(derivative(X), expected, rtol=1e-5, atol=1e-7)


def filtered(q, z):
    """Multiply the same matrices twice in an iteration, and make the same one in each."""
    p, total = np.eye(2), 0.0
    for zk in z:
        p = p + q * np.eye(2)
        s = zk @ p @ zk + np.sum(p, axis=1)[0] + 0.1
        total += zk[0] / s
        p = p - np.outer(p @ zk / s, zk @ p) * np.sum(p, axis=1)[0]
    return total


def test_products_and_sums_are_kept_once():
    """Also functions with options."""
    z = np.array([[0.3, 0.5], [0.7, 0.2], [0.1, 0.9]])
    derivative = grad(filtered)
    np.testing.assert_allclose(derivative(0.4, z), fd.gradient(filtered, (0.4, z), 0), rtol=1e-5)
    text = source(derivative)
    assert text.count("= zk @ p\n") == 1
    assert text.count("np.sum(p, axis=1)[0]") <= 2


def test_what_is_written_between_two_reads_is_not_the_same():
    """An item of a list, whose array is known under another name."""

    def f(x):
        c = [np.ones(3)]
        t = sorted([c], key=len)
        a = x * t[0][0]
        c[0] *= 2
        a = a * t[0][0]
        return np.sum(a * x)

    x = np.array([0.3, 1.2, -0.7])
    np.testing.assert_allclose(grad(f, recorded="refuse")(x), 4 * x)
