"""The witness of programs that change state finds what is wrong, and finds nothing else."""

import numpy as np
import pytest

from tests.fuzz.isolated import Isolated, Ways, Wrong, plain, reference
from tests.fuzz.witnesses import Tally, Unsuitable

COUNTER = """import numpy as np

COUNT = 0


def f(x):
    global COUNT
    COUNT += 1
    return np.sum(x * COUNT)


def change1():
    global COUNT
    COUNT = 4
"""


def test_each_evaluation_starts_anew():
    """Calls that come before are repeated in a module of their own."""
    x = np.ones(2)
    program = Isolated(COUNTER, (x,), (0,), ((),), ((x,),))
    assert plain(program, 0, (x,))[0] == 2.0
    assert plain(program, 1, (x,))[0] == 10.0
    gradient, _ = reference(program, 1).gradients[0]
    np.testing.assert_allclose(gradient, 5.0, rtol=1e-6)


def test_what_is_left_behind_is_compared(monkeypatch):
    """A derivative that does not count, as the program does, is noticed."""
    x = np.ones(2)
    program = Isolated(COUNTER, (x,), (0,), ((),), ((x,),))
    Ways(program, Tally()).check()
    still = lambda self, way, f: lambda given: (2.0, (np.ones(2),))  # noqa: E731
    monkeypatch.setattr(Ways, "taking", still)
    with pytest.raises(Wrong, match="COUNT"):
        Ways(program, Tally()).check()


def test_a_program_that_raises_is_left_out():
    """Nothing is asked of a program that does not run."""
    program = Isolated("def f(x):\n    return x[5]\n", (np.ones(2),), (0,), ((),))
    with pytest.raises(Unsuitable):
        Ways(program, Tally()).check()
