"""Arguments that change, when they are called or gone through, what is read of outside."""

import functools

import numpy as np
import pytest

from srcgrad import jacobian, jvp, value_and_grad, vjp

MODE = True
TABLE = {"mode": True}


def flip(v):
    """Change what is read."""
    global MODE
    MODE = TABLE["mode"] = not MODE
    return v


class Hidden:
    """An object whose call and whose method change it."""

    def __call__(self, v):
        return flip(v)

    def go(self, v):
        """Call it by a name."""
        return flip(v)


def _ended(x, r):
    c = x[1] if MODE else x[0] ** 3
    return r * r + c * x[0]


def called(x, a):
    """Call an argument."""
    first = x[0] * 3.0 if MODE else x[0] ** 2
    return first + _ended(x, x[1] * a(1.0))


def called_below(x, a):
    """Have a helper call an argument."""

    def go(g):
        return g(1.0)

    first = x[0] * 3.0 if TABLE["mode"] else x[0] ** 2
    return first + _ended(x, x[1] * go(a))


def taken(x, a):
    """Take the next one of an argument."""
    first = x[0] * 3.0 if MODE else x[0] ** 2
    r = x[1] * next(a)
    c = x[1] if MODE else x[0] ** 3
    return first + r * r + c * x[0]


def run(x, a):
    """Call what an argument gives."""
    first = x[0] * 3.0 if MODE else x[0] ** 2
    return first + _ended(x, x[1] * next(a).go(1.0))


CASES = {
    "function": (called, lambda: flip),
    "cached": (called, lambda: functools.cache(flip)),
    "partial": (called, lambda: functools.partial(flip)),
    "object": (called, Hidden),
    "bound": (called, lambda: Hidden().go),
    "lambda": (called_below, lambda: lambda v: flip(v)),
    "cached_below": (called_below, lambda: functools.lru_cache(3)(flip)),
    "generator": (taken, lambda: (flip(v) for v in [1.0, 2.0])),
    "map": (taken, lambda: map(flip, [1.0])),
    "iterator": (run, lambda: iter([Hidden()])),
}


@pytest.fixture(autouse=True)
def _as_it_was():
    yield
    globals().update(MODE=True)
    TABLE["mode"] = True


@pytest.mark.parametrize("name", CASES)
def test_what_is_read_again_is_what_is_there_then(name):
    """Values and slopes are those of the program, in every mode."""
    f, make = CASES[name]

    def slope(d):
        h, found = 1e-6, []
        for sign in (1, -1):
            globals().update(MODE=True)
            TABLE["mode"] = True
            found.append(f(x + sign * h * d, make()))
        return (found[0] - found[1]) / (2 * h)

    x = np.array([0.7, 1.3])
    expected = np.array([slope(e) for e in np.eye(2)])
    for way in ("gradient", "vjp", "jvp"):
        globals().update(MODE=True)
        TABLE["mode"] = True
        if way == "gradient":
            found = value_and_grad(f, recorded="allow")(x, make())[1]
        elif way == "vjp":
            found = vjp(f, x, make(), recorded="allow")[1](1.0)
        else:
            tangent = jvp(f, (x, make()), (x, None), recorded="allow")[1]
            assert np.isclose(tangent, expected @ x, rtol=1e-5)
            continue
        assert np.allclose(found, expected, rtol=1e-5)


def test_jacobians_of_programs_that_delete():
    """What deletes an entry runs once."""

    def f(x, p):
        r = x * 2.0 if "b" in p else x
        del p["b"]
        return r

    assert np.allclose(jacobian(f, recorded="allow")(np.ones(2), {"b": 1.0}), 2.0 * np.eye(2))
