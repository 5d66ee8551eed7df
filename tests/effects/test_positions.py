"""An effect of a helper is seen where it happens, wherever in an expression its call stands."""

import numpy as np
import pytest

import srcgrad
from srcgrad.errors import InternalError, SrcgradError
from tests import finite_differences as fd
from tests.effects.positions import positions
from tests.effects.writers import WRITERS

X = np.array([0.3, 0.7, 1.1])
DIRECTION = np.array([1.0, 2.0, 3.0])
CASES = [(name, place) for name in WRITERS for place in positions(None)]


@pytest.mark.one_of(32)
@pytest.mark.parametrize(("name", "place"), CASES, ids=[f"{n}-{p}" for n, p in CASES])
def test_effects_at_every_position(name, place):
    """Values, gradients and tangents are those of the program, or it is refused in plain words."""
    program = positions(WRITERS[name])[place]

    def fresh(x):
        return program(x.copy())

    value, expected = fresh(X), fd.gradient(fresh, (X,), 0)
    try:
        found, gradient = srcgrad.value_and_grad(program, recorded="allow")(X.copy())
        again, tangent = srcgrad.jvp(program, (X.copy(),), (DIRECTION,), recorded="allow")
    except SrcgradError as error:
        if isinstance(error, InternalError):
            raise
        return
    np.testing.assert_allclose((found, again), (value, value))
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tangent, expected @ DIRECTION, rtol=1e-5, atol=1e-6)
