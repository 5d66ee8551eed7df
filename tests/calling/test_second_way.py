"""Where generated code raises what its program does not, the tape is taken."""

import numpy as np
import pytest

from srcgrad import RecordedWarning, differentiate

X = np.array([1.0, 2.0])
LOG = []


def scaled(x, n):
    """A function that may be run again."""
    if n < 0:
        raise ValueError("n is negative")
    return n * np.sum(x**2)


def logged(x, n):
    """A function that may not."""
    LOG.append(n)
    return n * np.sum(x**2)


def broken(fn, **options):
    """Return a derivative whose generated code raises."""

    def run(*args, **options):
        raise TypeError("broken")

    made = differentiate(fn, **options)
    made.grad(X, 2), made.vjp(X, 2), made.jvp((X, 2), (X, None))
    for derivative in made.transforms.values():
        for special in derivative.specialisations:
            object.__setattr__(special, "run", run)
        derivative.table[:] = [(s.guard, run) for s in derivative.specialisations]
    return made


def test_the_tape_is_taken_and_kept():
    """There is one warning, and the next call does not try the code again."""
    made = broken(scaled, recorded="warn")
    with pytest.warns(RecordedWarning, match=r"raised TypeError: broken") as caught:
        np.testing.assert_array_equal(made.grad(X, 2), 4 * X)
    assert len(caught) == 1
    np.testing.assert_array_equal(made.grad(X, 3), 6 * X)
    value, backward = made.vjp(X, 2)
    np.testing.assert_array_equal(backward(1.0), 4 * X)
    assert (value, 20.0) == made.jvp((X, 2), (X, None))
    assert [known.reason for known in made.recorded] == [
        "the code generated for scaled raised TypeError: broken"
    ]


def test_what_the_program_raises_is_its_own():
    """Its exception is not told as one of the code."""
    made = differentiate(scaled)
    made.grad(X, 2)
    with pytest.raises(ValueError, match="n is negative"):
        made.grad(X, -1)
    with pytest.raises(ValueError, match="n is negative"):
        made.vjp(X, -1)
    with pytest.raises(ValueError, match="n is negative"):
        made.jvp((X, -1), (X, None))
    assert not made.recorded


def test_effects_are_not_repeated():
    """A program that leaves traces is not run again."""
    made = broken(logged, recorded="allow")
    before = list(LOG)
    with pytest.raises(TypeError, match="broken"):
        made.grad(X, 2)
    assert before == LOG


def test_it_can_be_refused():
    """Then the exception of the code is raised."""
    made = broken(scaled, recorded="refuse")
    with pytest.raises(TypeError, match="broken"):
        made.grad(X, 2)
