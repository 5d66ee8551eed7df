"""Where generated code raises what its program does not, the tape is taken."""

import math

import numpy as np
import pytest

from srcgrad import RecordedWarning, differentiate, grad, jvp, tape

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


AT_EDGES = {
    "root": lambda z: math.sqrt(z) + z**0.5,
    "powers": lambda z: z**1.5 + math.pow(z, 0.3) + 2.0**z,
    "inverse_power": lambda z: z**-0.5 if z > 0 else z,
    "logarithm": lambda z: z * math.log(z) if z > 0 else math.log1p(-z) if z > -1 else z,
    "arc_cosine": lambda z: math.acos(z) + math.asin(z),
    "hyperbolic": lambda z: math.acosh(z),
    "angle_of_a_float": lambda z: math.atan2(0.0, z),
    "angle_of_an_integer": lambda z: math.atan2(z, 0),
    "lengths": lambda z: math.hypot(z, 0) + math.dist([z], [0.0]) + math.cbrt(z) + abs(z) ** 0.5,
    "quotient": lambda z: z / (1 + z) ** 0.5,
    "exponent": lambda z: z**z + 0.0**z,
    "clipped": lambda z: max(z, 0) + min(z, 1.0),
}


@pytest.mark.parametrize("name", AT_EDGES)
@pytest.mark.parametrize("place", [0.0, 1.0, -1.0, math.inf, 0, 1])
def test_numbers_at_the_edge_of_a_domain(name, place):
    """Where the program runs, no derivative raises; text and tape agree, and both modes.

    At infinity the one may be nan where the other one tells the limit.
    """
    edge = AT_EDGES[name]

    def merged(x, free):
        z = place
        if free:
            z = x
        return edge(z) + x

    for free in (True, False):
        try:
            merged(float(place), free)
        except (ValueError, ArithmeticError):
            continue
        given, moved = (float(place), free), (1.0, None)
        with np.errstate(all="ignore"):
            slopes = grad(merged, recorded="allow")(*given), tape.grad(merged)(*given)
            dots = jvp(merged, given, moved, recorded="allow")[1], tape.jvp(merged, given, moved)[1]
            grad(grad(merged, recorded="allow"), recorded="allow")(*given)
        found = np.array([*slopes, *dots])
        known = found if math.isfinite(place) else found[~np.isnan(found)]
        np.testing.assert_allclose(known, known[0] if len(known) else 0.0, rtol=1e-12)
