"""What `check` says when a derivative is wrong: which statement, and what was compared."""

import numpy as np
import pytest

from srcgrad import check, formula
from srcgrad.checking import slope_along
from srcgrad.errors import CheckFailedError


def lookup(x):
    return x**3


@formula(lookup)
def lookup_formula(x):
    z = lookup(x)

    def backward(z_bar):
        return z_bar * 2 * x**2

    return z, backward


def encoder(h):
    a = np.sin(h)
    b = lookup(a)
    return b * 2


def loss(w, x):
    h = x @ w
    for _ in range(3):
        h = encoder(h) + h
    r = np.tanh(h)
    return np.sum(r * r)


def failure(*args, **options):
    """Return the message of a check that fails."""
    with pytest.raises(CheckFailedError) as caught:
        check(*args, **options)
    return str(caught.value)


def test_the_first_statement_whose_cotangent_is_wrong():
    """In a called function, in a loop: the line that calls the function with the wrong formula."""
    text = failure(loss, np.eye(2) * 0.5, np.array([[0.3, 0.7]]))
    assert "test_blame.py:27, in encoder\n    b = lookup(a)\n    ^^^^^^^^^^^^^\n" in text
    assert "the first cotangent that is wrong, that of 'a' (test_blame.py:26, of 3 the one" in text
    assert "Fix: look at the formula of lookup (test_blame.py:15)." in text


def test_the_table_says_what_each_row_is_compared_with():
    """Differences are differences only."""
    lines = failure(lambda x: lookup(x) + x, 2.0).splitlines()
    assert lines[1].split() == ["derivative", "order", "srcgrad", "expected", "from"]
    found = {line.split("  ")[1].strip(): line.split()[-1] for line in lines[2:6]}
    assert found["grad, x"] == found["value_and_grad, x"] == found["value"] == "vjp"
    assert lines[2].endswith("differences  <-- wrong")


def test_kinks_near_the_point():
    """A network of many rectifiers has kinks within any one step: smaller ones are tried."""
    rng = np.random.default_rng(0)

    def net(w, v, x):
        return np.sum(np.maximum(x @ w, 0) @ v)

    for _ in range(10):
        arguments = [rng.normal(size=shape) for shape in ((10, 40), (40, 5), (200, 10))]
        check(net, *arguments, order=1)


def test_kinks_at_the_point():
    """Any slope between those of its sides is right, and others are not."""

    def size(x):
        return np.sum(np.abs(x))

    check(size, np.array([0.0, 1.0]), order=1)
    assert slope_along(lambda t: abs(t), 1.0, 3.0, 1e-5) == (0.0, (-1.0, 1.0))

    def steep(x):
        return np.abs(x)

    @formula(steep)
    def steep_formula(x):
        return np.abs(x), lambda z_bar: z_bar * 3.0

    text = failure(lambda x: steep(x), 0.0, order=1)
    assert "<-- a kink: " in text
    assert "Fix: check at other arguments" in text


def test_jumps():
    """A jump is called one."""

    def stairs(x):
        return np.floor(x) * x

    assert "<-- a jump" in failure(stairs, 2.0, order=1)


def halved(x):
    return np.logaddexp(0.0, x)


@formula(halved)
def halved_formula(x):
    z = halved(x)
    return z, lambda z_bar: 0.5 * z_bar / (1 + np.exp(-x))


def widths(v):
    raw = np.sin(v)
    width = halved(raw)
    error = np.abs(v - 1.0)
    return np.sum(error / width + np.log(width))


def test_cotangents_of_which_a_part_is_read_again():
    """What is compared is the complete cotangent, wherever a part of it is read again."""
    with pytest.raises(CheckFailedError) as caught:
        check(widths, np.array([0.3, 0.5]), order=1)
    assert "width = halved(raw)\n" in str(caught.value)
    assert "look at the formula of halved" in str(caught.value)
