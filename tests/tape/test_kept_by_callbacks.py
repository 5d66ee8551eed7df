"""What functions keep while a solver calls them, on tapes that are printed."""

import numpy as np
import pytest

from srcgrad import tape
from srcgrad.errors import MissingFormulaError
from tests.tape.programs import kept_by_callbacks as programs

POINT = np.array([0.7, 1.3, 2.1])
KEEPING = ("attribute", "history")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KEEPING)
def test_on_a_tape_that_is_printed(name):
    """The gradient is that of another tape."""
    f = getattr(programs, name)
    shown = tape.Tape()
    _, backward = tape.vjp(f, POINT.copy(), tape=shown)
    np.testing.assert_allclose(backward(1.0), tape.grad(f)(POINT.copy()), rtol=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_what_a_generator_keeps():
    """It is not known on a tape that is printed that it does, which is told."""
    _, backward = tape.vjp(programs.generator, POINT.copy(), tape=tape.Tape())
    with pytest.raises(MissingFormulaError, match="computed for a solver, and kept"):
        backward(1.0)


def test_steps_of_a_solver_are_not_printed():
    """Where nothing reads them, a tape shows the steps to the result alone."""
    shown = tape.Tape()

    def f(x):
        return programs.optimize.root(lambda y: y**3 + y - x, np.ones(3), tol=1e-14).x.sum()

    _, backward = tape.vjp(f, POINT.copy(), tape=shown)
    backward(1.0)
    assert len(shown.source().splitlines()) < 60
