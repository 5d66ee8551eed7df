"""Lists that may have a name which the function does not know are not written."""

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import MutationError, UnsupportedSyntaxError
from tests import finite_differences as fd

X = np.array([0.5, -1.2, 0.8])


def push(terms, term):
    terms.append(term)
    return term * 2


def given(terms):
    return terms


def into_an_argument(x):
    terms = [x[0]]
    doubled = push(terms, x[1])
    return terms[-1] * doubled


def into_a_growing_argument(x):
    terms = []
    terms.append(x[0])
    doubled = push(terms, x[1])
    return terms[-1] * doubled


def into_what_a_call_gave(x):
    terms = [x[0], x[1]]
    same = given(terms)
    same[0] = x[2]
    return terms[0] ** 2


def into_one_of_two(x):
    terms = [x[0], x[1]]
    one = terms if x[0] > 0 else [x[1], x[2]]
    one[0] = x[2]
    return terms[0] ** 2


def under_a_name_of_an_iteration(x):
    terms = [x[0], x[1]]
    for _ in range(2):
        same = terms
        same[0] = same[0] * 2
    return terms[0] ** 2


def captured(x):
    terms = [x[0]]

    def add(term):
        terms.append(term)
        return term

    return add(x[1]) * terms[-1]


@pytest.mark.parametrize("f", [into_a_growing_argument, into_one_of_two])
def test_a_list_with_an_unknown_name(f):
    """It is refused at the line that writes."""
    with pytest.raises(MutationError, match=r"a list is written that may be an argument"):
        grad(f)(X)


def dict_under_a_name_of_an_iteration(x):
    table = {"k": x[0]}
    for _ in range(2):
        same = table
        same["k"] = same["k"] * 3.0
    return table["k"]


@pytest.mark.parametrize(
    "f",
    [
        into_an_argument,
        into_what_a_call_gave,
        under_a_name_of_an_iteration,
        captured,
        dict_under_a_name_of_an_iteration,
    ],
    ids=lambda f: f.__name__,
)
def test_a_list_with_a_known_name(f):
    """Also where another function writes to it, or gives it back."""
    np.testing.assert_allclose(grad(f)(X), fd.gradient(f, (X,), 0), atol=1e-7)


def sorted_in_place(x):
    terms = [x[0], x[1]]
    terms.sort()
    return terms[0] ** 2


def test_the_order_of_active_values():
    """It depends on them."""
    with pytest.raises(UnsupportedSyntaxError, match=r"the list method \.sort on values"):
        grad(sorted_in_place)(X)


class Holder:
    """An object that holds a value."""

    def __new__(cls, value):
        """Do anything."""
        return super().__new__(cls)

    def __init__(self, value):
        self.value = value


def made_inside(x):
    return np.sum(Holder(x).value ** 2)


def test_objects_made_inside():
    """A class with a ``__new__`` may do anything when it is called."""
    with pytest.raises(UnsupportedSyntaxError, match="making an object of class Holder"):
        grad(made_inside)(X)
