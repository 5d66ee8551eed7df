"""Formulas whose backward parts call functions that have a source and no formula."""

import numpy as np
import pytest

from srcgrad import formula, grad, jvp, source
from srcgrad.errors import UnsupportedSyntaxError


def slope(u, x):
    """Is called by a backward part."""
    return u * np.cos(x)


def wave(x):
    """Has the formula below."""
    return np.sin(x)


@formula(wave)
def wave_(x):
    """z = sin x."""
    z = wave(x)

    def backward(z_bar):
        return slope(z_bar, x)

    return z, backward


def ripple(x):
    """Has the formula below."""
    return np.sin(x)


@formula(ripple)
def ripple_(x):
    """z = sin x, with a tangent."""
    z = ripple(x)

    def backward(z_bar):
        return slope(z_bar, x)

    def tangent(x_dot):
        return slope(x_dot, x)

    return z, backward, tangent


def energy(x):
    """A square, whose derivatives are known."""
    return wave(x) ** 2


def ripples(x):
    """The same."""
    return ripple(x) ** 2


@pytest.mark.parametrize("f", [energy, ripples])
def test_orders(f):
    """The function is called by its name, and read again for the next order."""
    assert np.isclose(grad(f)(0.3), np.sin(0.6))
    assert np.isclose(grad(grad(f))(0.3), 2 * np.cos(0.6))
    assert np.isclose(grad(grad(grad(f)))(0.3), -4 * np.sin(0.6))
    assert "slope(" in source(grad(f))


def test_forward_mode():
    """It needs a tangent."""
    assert np.isclose(jvp(ripples, (0.3,), (1.0,))[1], np.sin(0.6))
    with pytest.raises(UnsupportedSyntaxError, match="the tangent of"):
        jvp(energy, (0.3,), (1.0,))
