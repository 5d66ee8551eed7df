"""Lists that may have a name which the function does not know are not written."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp
from srcgrad.errors import MutationError, UnsupportedSyntaxError
from tests import finite_differences as fd

X = np.array([0.5, -1.2, 0.8])


def into_one_of_two(x):
    terms = [x[0], x[1]]
    one = terms if x[0] > 0 else [x[1], x[2]]
    one[0] = x[2]
    return terms[0] ** 2


def captured(x):
    terms = [x[0]]

    def add(term):
        terms.append(term)
        return term

    return add(x[1]) * terms[-1]


@pytest.mark.parametrize("f", [into_one_of_two])
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
    "f", [captured, dict_under_a_name_of_an_iteration], ids=lambda f: f.__name__
)
def test_a_list_with_a_known_name(f):
    """Also where another function writes to it, or gives it back."""
    np.testing.assert_allclose(grad(f)(X), fd.gradient(f, (X,), 0), atol=1e-7)


def sorted_in_place(x):
    terms = [x[0], x[1]]
    terms.sort()
    return terms[0] ** 2


@pytest.mark.parametrize("f", [sorted_in_place])
def test_changes_that_put_values_elsewhere(f):
    """They keep their derivatives there."""
    np.testing.assert_allclose(grad(f)(X), fd.gradient(f, (X,), 0), atol=1e-7)


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


def changed_and_held(x):
    rows, t = [], [x[0], x[1]]
    for k in range(2):
        t[0] = t[0] * x[k]
        rows += [(k, t)]
    return sum(r[0] for _, r in rows)


@pytest.mark.parametrize("f", [changed_and_held])
def test_a_list_that_is_held_several_times(f):
    """A list of lists would see the changes in all its elements."""
    with pytest.raises(MutationError, match=r"is put into a list in it"):
        grad(f)(X)


def held_before_it_is_changed(x):
    rows = []
    for k in range(2):
        t = [x[k]]
        rows.append(t)
        t.append(x[1] * x[k])
    return sum(r[0] for r in rows)


def test_a_list_that_is_held():
    """What another list holds is not written any more."""
    with pytest.raises(MutationError, match=r"may be an argument or have another name"):
        grad(held_before_it_is_changed)(X)


def test_a_list_made_anew_in_each_iteration():
    """Each may be filled, and then be held."""

    def f(x):
        rows = []
        for k in range(3):
            row = []
            for j in range(2):
                row.append(x[k % 2] * x[j])
            rows.append(row)
        s = 0.0
        for r in rows:
            for v in r:
                s = s * 0.5 + v
        return s

    np.testing.assert_allclose(grad(f)(X), fd.gradient(f, (X,), 0), rtol=1e-6)


def empty(rows):
    rows.pop()


def shrinks_in_a_call(x):
    rows = [x[0]]
    for k in range(2):
        rows.append(x[k])
    s = 0.0
    for r in rows:
        empty(rows)
        s = s + r
    return s


def numbered(x):
    rows = [x[0] * k for k in (1, 2, 3)]
    for pair in enumerate(rows):
        rows[0] = pair[1] * x[1]
    return sum(rows)


@pytest.mark.parametrize("f", [shrinks_in_a_call], ids=lambda f: f.__name__)
def test_a_loop_that_changes_the_list_that_it_goes_through(f):
    """Which elements it reads would have to be known."""
    with pytest.raises(MutationError, match="changed by the loop that goes through it"):
        grad(f)(X)
    with pytest.raises(MutationError, match="changed by the loop that goes through it"):
        jvp(f, (X,), (X,))


def under_two_names(rows, rate):
    other = rows
    for row in rows:
        other[2] = other[2] - rate * row**2
        rows[1] = row * rows[2]
    return rows[0] * rows[1] + rows[2]


def list_of_any_length(values):
    """Return a list whose length is not known when code is generated."""
    rows = []
    for value in values:
        rows.append(value * 1.0)
    return rows


@pytest.mark.parametrize("made", [list, list_of_any_length], ids=lambda f: f.__name__)
@pytest.mark.parametrize("step", [under_two_names])
def test_elements_replaced_by_the_loop_that_goes_through_them(step, made):
    """An element is read as it is when its turn comes; a list of any length, too."""

    def function(x):
        return step(made([x[0], 2 * x[1], x[2] ** 2]), 0.3)

    recorded = "refuse" if made is list_of_any_length else "allow"
    check(function, np.array([1.1, 0.7, 1.6]), order=2, recorded=recorded)


def test_an_element_replaced_under_its_number():
    """A pair of a number and an element has the element as it was."""
    check(numbered, X, order=2, recorded="refuse")
