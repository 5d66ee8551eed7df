"""What the layout of a text says of names and the values that they hold."""

import pytest

from srcgrad.ir.layout import Binding, Frame, Layout

TOP = Frame("function", None, 0)


@pytest.mark.parametrize(
    ("path", "in_place", "contents", "changed"),
    [
        ((), False, False, True),
        ((), False, True, True),
        ((), True, True, True),
        ((), True, False, False),
        ((1,), True, False, True),
        (("key",), True, False, True),
    ],
)
def test_a_write_in_place_changes_what_is_found_inside(path, in_place, contents, changed):
    """A list stays the list that a name stands for; what stands in it does not."""
    layout = Layout()
    layout.position = 3
    layout.write("rows", TOP, in_place)
    assert layout.holds(Binding("rows", path, 1, TOP), (TOP, 5), contents) is not changed
    assert layout.holds(Binding("columns", path, 1, TOP), (TOP, 5))


LOOP = Frame("loop", TOP, 4)
THEN, ORELSE = (Frame("arm", TOP, 2, branch=(1, arm)) for arm in (0, 1))
IN_LOOP = tuple(Frame("arm", LOOP, 5, branch=(2, arm)) for arm in (0, 1))


@pytest.mark.parametrize(
    ("written", "at", "where", "holds"),
    [
        (TOP, 3, (TOP, 5), False),
        (TOP, 6, (TOP, 5), True),  # later
        (THEN, 3, (TOP, 5), False),  # perhaps
        (THEN, 3, (ORELSE, 5), True),  # the other arm
        (LOOP, 8, (LOOP, 5), False),  # later, and before that in the next iteration
        (IN_LOOP[0], 6, (IN_LOOP[1], 7), False),  # the other arm, an iteration before
    ],
)
def test_a_name_holds_its_value_until_it_is_written(written, at, where, holds):
    """In the order of the text, and in the one in which loops go through it."""
    layout = Layout()
    layout.position = at
    layout.write("x", written)
    assert layout.holds(Binding("x", (), 1, TOP), where) is holds


def test_a_name_holds_nothing_before_it_is_bound():
    """Nor where it may not be bound."""
    layout = Layout()
    assert not layout.holds(Binding("x", (), 6, TOP), (TOP, 5))
    assert not layout.holds(Binding("x", (), 3, THEN), (TOP, 5))
