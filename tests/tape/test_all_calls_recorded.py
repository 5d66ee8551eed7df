"""The programs of the table, with each call of a function recorded that can be."""

import warnings

import numpy as np
import pytest

from srcgrad import differentiate, grad, jvp, vjp
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.calls import split
from tests.programs.table import programs

TOPICS = {"applications", "calls", "methods", "models", "numerics", "views", "workshop"}
PROGRAMS = [case for case in programs() if case.name.partition(".")[0] in TOPICS]


def numbers(tree):
    """Return the numbers and arrays in tuples, lists, dicts and objects."""
    if isinstance(tree, tuple | list):
        return [part for value in tree for part in numbers(value)]
    if isinstance(tree, dict):
        return numbers(list(tree.values()))
    if hasattr(tree, "__dict__"):
        return numbers(vars(tree))
    found = np.asarray(tree)
    return [found] if found.dtype.kind in "fc" else []


def results(case):
    """Return values and gradients, and the arguments behind each call."""
    derivative = differentiate(case.fn, wrt=case.wrt[0] if len(case.wrt) == 1 else case.wrt)
    found = []
    for _ in range(3):
        args = case.make_args()
        if case.vector:
            found.append((derivative.vjp(*args)[0], args))
        else:
            found.append((derivative.value_and_grad(*args), args))
    return found


def second_results(case):
    """Return products with Hessians, by forward and by reverse mode over the gradient."""
    gradient = grad(case.fn, wrt=case.wrt if len(case.wrt) > 1 else case.wrt[0])
    args = case.make_args()
    dots = [np.ones_like(args[k]) if k in case.wrt else None for k in range(len(args))]
    forward = jvp(gradient, args, dots)
    value, backward = vjp(gradient, *case.make_args(), wrt=case.wrt)
    return forward, backward(value)


def is_differentiated_twice(case):
    """Tell whether a program has a Hessian of arrays and numbers."""
    numbers = all(isinstance(case.make_args()[k], float | np.ndarray) for k in case.wrt)
    return case.order2 and not case.recorded2 and not case.vector and numbers


TWICE = list(filter(is_differentiated_twice, PROGRAMS))


@pytest.mark.one_of(10)
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_the_same_results(case, monkeypatch):
    """Values, gradients, and what is written into arguments are those of generated code."""
    compare(case, results, monkeypatch)


@pytest.mark.one_of(10)
@pytest.mark.parametrize("case", TWICE, ids=lambda case: case.name)
def test_the_same_second_derivatives(case, monkeypatch):
    """Derivatives of gradients are those of generated code."""
    compare(case, second_results, monkeypatch)


def compare(case, results, monkeypatch):
    """Look at what a program gives with each call recorded, and as generated code."""
    expected = results(case)
    own = split.pair_for

    def refused(b, callee, name, bound, node):
        if b.context.program is not None and not b.context.inferring:
            raise UnsupportedSyntaxError(f"{name} is refused", spots=[b.source.spot(node)])
        return own(b, callee, name, bound, node)

    monkeypatch.setattr(split, "pair_for", refused)
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = results(case)
    for one, other in zip(numbers(expected), numbers(found), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-9)
