"""Programs that only the tape differentiates, in every mode, against differences."""

import importlib
import pkgutil

import numpy as np
import pytest

from srcgrad import jvp, tape, value_and_grad
from tests.tape import programs

POINT = np.array([0.7, 1.3, 2.1])
DIRECTION = np.array([0.3, -0.5, 0.2])
# SciPy finds these with fewer digits
ROUGH = dict.fromkeys(("s_min", "s_minb", "s_ms"), 2e-4)
ROUGH["grid_cubic"] = 5e-4  # as are its splines
ROUGH |= dict.fromkeys(
    ("min_nonlinear", "min_scalar_bounds", "min_eq", "fit_plain", "fit_sigma"), 5e-3
)
ROUGH |= dict.fromkeys(
    (
        *("min_bfgs", "min_cg", "min_ncg", "min_lbfgs", "min_lbfgs_both", "min_tnc", "min_told"),
        *("min_slsqp", "min_brent", "min_hopping", "ls_told", "root_broyden1", "root_broyden2"),
    ),
    2e-3,
)


def found_in(module):
    """Return the functions of a module that take an array ``x``."""
    own = [f for f in vars(module).values() if getattr(f, "__module__", None) == module.__name__]
    return [f for f in own if hasattr(f, "__code__") and f.__code__.co_varnames[:1] == ("x",)]


MODULES = [
    importlib.import_module(f"{programs.__name__}.{found.name}")
    for found in pkgutil.iter_modules(programs.__path__)
]
PROGRAMS = [
    pytest.param(
        f,
        id=f"{module.__name__.rpartition('.')[2]}.{f.__name__}",
        marks=pytest.mark.one_of(3),
    )
    for module in MODULES
    for f in found_in(module)
]


def slope(f, x, direction, h):
    """Return the derivative along a direction by differences of fourth order."""
    ahead = [f(x + k * h * direction) for k in (1, 2)]
    behind = [f(x - k * h * direction) for k in (1, 2)]
    return (8 * (ahead[0] - behind[0]) - (ahead[1] - behind[1])) / (12 * h)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.one_of(8)
def test_derivatives(f):
    """Reverse mode, forward mode, and forward over reverse."""
    close = dict.fromkeys(("rtol", "atol"), ROUGH.get(f.__name__, 2e-6))
    expected = np.array([slope(f, POINT.copy(), unit, 1e-4) for unit in np.eye(3)])
    x = POINT.copy()
    np.testing.assert_allclose(tape.grad(f)(x), expected, **close)
    value, dot = tape.jvp(f, (POINT.copy(),), (DIRECTION,))
    np.testing.assert_allclose(value, f(POINT.copy()), rtol=1e-12)
    np.testing.assert_allclose(dot, expected @ DIRECTION, **close)
    gradient = tape.grad(f)
    _, second = tape.jvp(gradient, (POINT.copy(),), (DIRECTION,))
    np.testing.assert_allclose(second, slope(gradient, POINT, DIRECTION, 1e-4), **close)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f",
    [p for p in PROGRAMS if p.id.startswith(("call", "conv", "eff", "iter", "obj", "view"))],
)
@pytest.mark.one_of(4)
def test_as_text_or_recorded(f):
    """The way that srcgrad takes by itself."""
    expected = np.array([slope(f, POINT.copy(), unit, 1e-4) for unit in np.eye(3)])
    wanted = f(POINT.copy())
    value, found = value_and_grad(f, recorded="allow")(POINT.copy())
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)
    value, dot = jvp(f, (POINT.copy(),), (DIRECTION,), recorded="allow")
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    np.testing.assert_allclose(dot, expected @ DIRECTION, rtol=2e-6, atol=2e-6)
