"""What a second process takes from the cache is right, whatever is another thing there."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from srcgrad import PolicyWarning, grad, registry
from srcgrad.calling.options import Options
from srcgrad.calling.pullback import run_vjp
from srcgrad.calling.pushforward import run_jvp
from srcgrad.calling.transformed import Transform
from srcgrad.errors import ArgumentError, ResultError
from srcgrad.program import registered
from tests.cache.worlds import CHANGES, FUNCTIONS, NAME, PARTS, Change, loaded

X = np.array([0.3, -0.7, 1.1])
W = np.array([0.5, 1.5, -0.25])
RECORDED = Options(recorded="allow")
KINDS = ("grad", "value_and_grad", "vjp", "jvp")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of its own for generated code, which is kept."""
    path = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SRCGRAD_DIR", str(path))
        patch.setenv("SRCGRAD_CACHE", "1")
        patch.setenv("SRCGRAD_RECORDED", "allow")
        yield path
    for name in (NAME, PARTS):
        sys.modules.pop(name, None)


@pytest.fixture(autouse=True)
def nothing_is_registered():
    """Programs are kept only where the user has registered nothing, as other tests have."""
    count, trees = registry.CHANGES[0], dict(registered.TREES)
    registry.CHANGES[0] = 0
    registered.TREES.clear()
    yield
    registry.CHANGES[0] = count
    registered.TREES.update(trees)


def slope(function, kind, dx, dw):
    """The derivative of a program along a direction, and the transformation that gave it."""
    if kind == "jvp":
        made = {}

        def transform_for(moving):
            return made.setdefault(moving, Transform(function, "jvp", moving, options=RECORDED))

        _, dot = run_jvp(transform_for, (X, W), (dx, dw))
        return dot, made[0, 1]
    transform = Transform(function, kind, (0, 1), options=RECORDED)
    if kind == "vjp":
        bars = run_vjp(transform, (X, W))[1](1.0)
    else:
        found = transform.dispatch(X, W)
        bars = found if kind == "grad" else found[1]
    assert [np.shape(bar) for bar in bars] == [(3,), (3,)]
    return np.sum(bars[0] * dx) + np.sum(bars[1] * dw), transform


def difference(function, dx, dw, h=1e-6):
    """The same by a central difference."""
    return (function(X + h * dx, W + h * dw) - function(X - h * dx, W - h * dw)) / (2 * h)


def kept(folder, name, kind):
    """Have the code of a program kept as it is before any change."""
    known = folder / f"{name}_{kind}"
    if not known.exists():
        slope(getattr(loaded(folder), name), kind, X, W)
        known.touch()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.one_of(2)
def test_the_same_program_takes_what_is_kept(folder, name, kind):
    """Code that is kept is found, and its text is the one that is generated."""
    kept(folder, name, kind)
    function = getattr(loaded(folder), name)
    dx, dw = np.random.default_rng(0).normal(size=(2, 3))
    found, transform = slope(function, kind, dx, dw)
    assert transform.shared
    assert not transform.specialisations
    assert np.allclose(found, difference(function, dx, dw), rtol=1e-6, atol=1e-8)
    text = transform.shared[0].text
    transform.settle()
    assert transform.specialisations[0].text == text


@pytest.mark.one_of(64)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_changed_program_has_its_own_derivative(folder, change: Change, name, kind):
    """A derivative is that of the program as it is in this process."""
    kept(folder, name, kind)
    function = getattr(loaded(folder, change), name)
    dx, dw = np.random.default_rng(0).normal(size=(2, 3))
    try:
        expected = difference(function, dx, dw)
    except Exception as error:  # noqa: BLE001  # which its derivative raises, too
        with pytest.raises(type(error)):
            slope(function, kind, dx, dw)
        return
    if np.ndim(expected) and kind != "jvp":
        with pytest.raises((ResultError, ArgumentError, TypeError)):
            slope(function, kind, dx, dw)
        return
    found, _ = slope(function, kind, dx, dw)
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_policies_that_are_not_met(folder):
    """Each process is told of a policy that has no effect."""
    for _ in range(2):
        gradient = grad(loaded(folder).local, policy={"y": "recompute"})
        with pytest.warns(PolicyWarning, match="'y' is not kept"):
            gradient(X, W)
