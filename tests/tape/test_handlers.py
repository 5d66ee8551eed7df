"""Handlers of the program's do not hide what the tape refuses."""

import contextlib
from typing import Any

import numpy as np
import pytest
from scipy import special

from srcgrad import grad, tape
from srcgrad.errors import MissingFormulaError, SrcgradError, TextError

X = np.array([1.0, 2.0, 3.0, 4.0])


def _any(x):
    try:
        return np.sum(special.kolmogorov(x) * x)
    except Exception:  # noqa: BLE001
        return np.sum(x) * 1000.0


def _bare(x):
    try:
        return np.sum(special.kolmogorov(x) * x)
    except:  # noqa: E722
        return np.sum(x) * 1000.0


def _other(x):
    try:
        return np.sum(special.kolmogorov(x) * x)
    except Exception as error:
        raise TypeError("no mean") from error


def _suppressed(x):
    total = np.sum(x) * 1000.0
    with contextlib.suppress(Exception):
        total = np.sum(special.kolmogorov(x) * x)
    return total


def _text(x):
    try:
        return float(str(x[0])) * x[1]
    except Exception:  # noqa: BLE001
        return x[0] * x[1] * 1000.0


@pytest.mark.parametrize("f", [_any, _bare, _other, _suppressed, _text])
def test_refusals_surface(f):
    """What the program would catch is raised: it takes another way where it is not recorded."""
    for derivative in (tape.grad(f), grad(f, recorded="allow")):
        with pytest.raises((MissingFormulaError, TextError)):
            derivative(X)


def test_without_a_source():
    """So it is in functions without a source."""
    space: dict[str, Any] = {"np": np, "special": special}
    code = """
def f(x):
    try:
        return np.sum(special.kolmogorov(x) * x)
    except Exception:  # noqa: BLE001
        return np.sum(x) * 1000.0
"""
    exec(code, space)
    with pytest.raises(MissingFormulaError):
        tape.grad(space["f"])(X)


def _own(x):
    try:
        return x.nothing
    except (KeyError, AttributeError):
        return np.sum(x**2)


def _number(x):
    try:
        return float(x)
    except Exception:  # noqa: BLE001
        return np.sum(x**2)


def _named(x):
    try:
        return np.sum(special.kolmogorov(x) * x)
    except SrcgradError:
        return np.sum(x**2)


def _suppressed_by_name(x):
    total = np.sum(x**2)
    with contextlib.suppress(KeyError):
        total = {}["nothing"] * total
    return total


@pytest.mark.parametrize("f", [_own, _number, _named, _suppressed_by_name])
def test_exceptions_of_the_program_are_handled(f):
    """Those that it raises by itself, and those of srcgrad that it names."""
    np.testing.assert_allclose(tape.grad(f)(X), 2 * X)
