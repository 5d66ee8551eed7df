"""What the layout of a text says of names and the values that they hold."""

import pytest

from srcgrad.ir.layout import Binding, Frame, Write

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
    write = Write("rows", 3, TOP, in_place)
    assert write.changes(Binding("rows", path, 1, TOP), contents) is changed


def test_a_write_to_another_name_changes_nothing():
    """Names are compared first."""
    assert not Write("rows", 3, TOP).changes(Binding("columns", (), 1, TOP), contents=True)
