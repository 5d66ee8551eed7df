"""Tuples, lists and dicts from outside of a function: what they hold goes into the code.

When they hold something else at a later call, or their name stands for another one, the code
is generated again.
"""

import numpy as np
import pytest

from srcgrad import grad
from tests import finite_differences as fd

W = np.array([[1.0, 2.0], [3.0, 5.0]])
AXES = (0, 1)
PERMUTATION = [0, 1, 2]
PLACES = [0, 1, 2]
WIDTHS = ((1, 1),)
SHAPE = (2, 4)
SCALES = (1.0, 2.0)
TABLE = {"bend": np.sin}


def mean_over_axes(x):
    """Axes to average over."""
    return np.sum((np.mean(x.reshape(2, 2, 2), axis=AXES) @ W) ** 2)


def transposed(x):
    """The order of axes."""
    return np.sum(np.transpose(x.reshape(2, 2, 2), PERMUTATION)[0] @ W * W)


def taken(x):
    """Places to read."""
    return np.sum(np.take(x, PLACES) ** 2 * np.exp(x[0]))


def padded(x):
    """How wide the edges are."""
    longer = np.pad(x, WIDTHS)
    return np.sum(longer**2 * np.arange(len(longer)))


def reshaped(x):
    """A shape."""
    return np.sum(np.reshape(x, SHAPE)[0] ** 2)


def scaled(x):
    """What a loop goes through."""
    total = 0.0
    for scale in SCALES:
        total = total + np.sum(np.sin(scale * x))
    return total


def looked_up(x):
    """A table of functions."""
    return np.sum(TABLE["bend"](x))


OTHERS = {
    mean_over_axes: {"AXES": (0,)},
    transposed: {"PERMUTATION": [1, 2, 0]},
    taken: {"PLACES": [2]},
    padded: {"WIDTHS": ((0, 2),)},
    reshaped: {"SHAPE": (8, 1)},
    scaled: {"SCALES": (3.0,)},
    looked_up: {"TABLE": {"bend": np.cos}},
}
X = np.linspace(0.2, 1.3, 8)


def check(gradient, fn):
    """The gradient is that of the function as it is now."""
    np.testing.assert_allclose(gradient(X), fd.gradient(fn, (X,), 0), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("fn", OTHERS, ids=lambda fn: fn.__name__)
def test_another_object_under_the_name(fn, monkeypatch):
    """The name is bound to another one."""
    gradient = grad(fn)
    check(gradient, fn)
    for name, other in OTHERS[fn].items():
        monkeypatch.setitem(fn.__globals__, name, other)
    check(gradient, fn)


@pytest.mark.parametrize(
    "fn",
    [
        transposed,
        taken,
    ],
    ids=lambda fn: fn.__name__,
)
def test_the_same_object_with_other_contents(fn, monkeypatch):
    """A list or dict is changed in place."""
    ((name, other),) = OTHERS[fn].items()
    held = type(other)(fn.__globals__[name])
    monkeypatch.setitem(fn.__globals__, name, held)
    gradient = grad(fn)
    check(gradient, fn)
    held.clear()
    held.update(other) if isinstance(held, dict) else held.extend(other)
    check(gradient, fn)


def test_in_a_closure():
    """What a function closes over is looked at as well."""
    axes = (0, 1)

    def fn(x):
        return np.sum((np.mean(x.reshape(2, 2, 2), axis=axes) @ W) ** 2)

    gradient = grad(fn)
    check(gradient, fn)
    axes = (1,)
    check(gradient, fn)


def test_a_list_that_only_grows_is_not_looked_at():
    """A log does not make the code be generated anew at each call."""
    log = []

    def fn(x):
        log.append(len(x))
        return np.sum(x * x)

    gradient = grad(fn)
    for _ in range(3):
        gradient(X)
    assert len(log) == 3
    assert len(gradient.__srcgrad__.specialisations) == 1
