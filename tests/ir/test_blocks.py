"""Blocks are gone through from the outside in, and rebuilt without what is the same."""

import numpy as np

from srcgrad.ir.blocks import inner_blocks, loops_of, statements, targets_of, with_blocks
from srcgrad.ir.nodes import Equation, If, Loop
from tests.ir.lowering import NUMBER, VECTOR, lowered


def nested(x, y):
    """A branch in a loop in a loop."""
    s = np.sum(x)
    for _ in range(2):
        for _ in range(3):
            if y > 0:
                s = s * y
            else:
                s = s + y
    return s


def body():
    """Return the statements of that function."""
    return lowered(nested, VECTOR, NUMBER).body


def test_statements_come_before_those_inside_of_them():
    """Each once, the arms of a branch one after the other."""
    block = body()
    found = list(statements(block))
    assert len(set(map(id, found))) == len(found)
    place = {id(statement): k for k, statement in enumerate(found)}
    for statement in found:
        for inner in inner_blocks(statement):
            assert all(place[id(part)] > place[id(statement)] for part in inner)
    assert [type(s) for s in found if not isinstance(s, Equation)] == [Loop, Loop, If]
    outer, inner = loops_of(block)
    assert inner in outer.body


def test_what_is_the_same_stays_the_same_object():
    """So that a pass that changes nothing gives what it was given."""
    for statement in body():
        assert with_blocks(statement, lambda inner: inner) is statement


def test_other_blocks_make_another_statement():
    """All else of it is kept."""
    loop = loops_of(body())[0]
    made = with_blocks(loop, lambda inner: ())
    assert made.body == ()
    assert made.carried == loop.carried
    assert targets_of(made) == [entry.out for entry in loop.carried]
