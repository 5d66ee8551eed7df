"""Tangents and gradients share memory with nothing that is handed in or given back beside them."""

import itertools

import numpy as np
import pytest

from srcgrad import grad, jacobian, jvp, tape, vjp
from tests.in_memory import execute
from tests.rotation import has_its_turn
from tests.unusual.views import VIEWS

FORMS = ["V", "(V, y)", "[V, V]", "{'a': V, 'b': V * 2.0}", "(V)[:1]", "(x[0] * 2.0, V)"]


def made(text):
    """A function that gives views of its argument."""
    filename = f"<views {text}>"
    source = f"def f(x):\n    y = x\n    return {text}\n"
    space = execute(source, filename, {"np": np, "__name__": "views"})
    return space["f"]


def leaves(value):
    """The arrays in a result."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def like(value, rng):
    """A result of the same form, with other numbers in it."""
    if isinstance(value, dict):
        return {key: like(part, rng) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(like(part, rng) for part in value)
    return rng.normal(size=np.shape(value)) if np.ndim(value) else float(rng.normal())


def require_apart(own, others):
    """Compare the memory of arrays with each other's and with that of others."""
    own = [array for array in own if np.ndim(array)]
    pairs = [*itertools.combinations(own, 2), *itertools.product(own, others)]
    assert not any(np.shares_memory(one, other) for one, other in pairs)


@pytest.mark.parametrize("view", [view for view in VIEWS if has_its_turn(view, 8)])
def test_of_views(view):
    """Also where a function gives views of what it is given, and where it is recorded."""
    rng = np.random.default_rng(3)
    for form in FORMS:
        f = made(form.replace("V", view))
        x, x_dot = np.array([0.5, 1.5, 0.7, 1.1]), np.array([0.1, -0.2, 0.3, 0.4])
        try:
            expected = f(x)
        except Exception:  # noqa: BLE001 - a form that this view does not have
            continue
        for value, dot in (
            jvp(f, (x,), (x_dot,), recorded="allow"),
            tape.jvp(f, (x,), (x_dot,)),
        ):
            require_apart(leaves(dot), [x, x_dot, *leaves(value)])
        for value, backward in (vjp(f, x, recorded="allow"), tape.vjp(f, x)):
            given = like(expected, rng)
            first, second = backward(given), backward(given)
            require_apart([first, second], [x, *leaves(value), *leaves(given)])
        require_apart(leaves(jacobian(f, recorded="allow")(x)), [x])


def scaled(params, x):
    """Hand on a value that each row scales and shifts."""
    for a, b in params:
        x = np.tanh(x * a + b)
    return np.sum(x**2)


def summed(params, x):
    """Add or take off what a row holds."""
    for a, b in params:
        x = x + a
        x = x + b if x[0] > 0 else x - b
    return np.sum(x)


def collected(params, x):
    """Stack the sums of rows."""
    rows = []
    for a, b in params:
        rows.append(a + b)
    return np.sum(np.stack(rows) * x)


@pytest.mark.parametrize("f", [scaled, summed, collected])
@pytest.mark.parametrize("length", [1, 3])
def test_of_rows_of_parameters(f, length):
    """A loop collects their cotangents, and each may be the one that it was computed from."""
    rng = np.random.default_rng(0)
    x, params = rng.normal(size=3), [(rng.normal(size=length), rng.normal(size=3)) for _ in "abc"]
    given = [x, *(part for row in params for part in row)]
    found = [part for row in grad(f)(params, x) for part in row]
    assert not any(itertools.starmap(np.shares_memory, itertools.combinations(found, 2)))
    assert not any(itertools.starmap(np.shares_memory, itertools.product(found, given)))
    step = [tuple(rng.normal(size=part.shape) for part in row) for row in params]
    moved = [
        [tuple(p + h * d for p, d in zip(*rows, strict=True)) for rows in zip(params, step)]
        for h in (1e-6, -1e-6)
    ]
    slope = (f(moved[0], x) - f(moved[1], x)) / 2e-6
    whole = sum(np.sum(g * d) for g, d in zip(found, [d for row in step for d in row]))
    np.testing.assert_allclose(whole, slope, rtol=1e-6)
