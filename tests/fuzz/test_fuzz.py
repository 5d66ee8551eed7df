"""A small, fixed number of random programs, so that the fuzzer itself keeps working."""

import numpy as np
import pytest

from tests.fuzz.__main__ import search
from tests.fuzz.programs import Program
from tests.fuzz.reducing import reduce
from tests.fuzz.witnesses import WITHOUT_TEXT, Tally

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("kind", ["programs", "mazes", "hands", "memory", "lengths", "housed"])
@pytest.mark.one_of(4)
def test_random_programs(kind):
    """Generated code, the tape and differences agree, or srcgrad refuses."""
    tally = Tally()
    count = {"programs": 8, "hands": 5}.get(kind, 3)  # others are called several times
    assert search(0, count, tally, kind) is None
    assert tally["second order"] > 2


@pytest.mark.parametrize(("kind", "count"), [("effects", 8), ("state", 4)])
def test_random_programs_that_change_state(kind, count):
    """Text, regions and the tape give and leave behind what the program itself does."""
    tally = Tally()
    assert search(0, count, tally, kind) is None
    assert tally["examined to the end"] > count / 2
    assert tally["tape vjp: calls compared"] > count / 2


@pytest.mark.parametrize("kind", ["programs", "memory", "state"])
def test_random_programs_without_text(kind, monkeypatch):
    """Programs that nobody knows the text of are recorded, as they are in a file."""
    monkeypatch.setitem(WITHOUT_TEXT, 0, True)
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    tally = Tally()
    assert search(0, 4, tally, kind) is None
    assert tally["with text and without"] > 2 or kind == "state"
    assert tally["examined to the end"] > 1


def test_a_failure_is_made_small():
    """What has nothing to do with a failure is left out."""
    source = (
        "import numpy as np\n\n\ndef f(x, y):\n    a = np.sin(x) + y\n    for k in range(3):\n"
        "        if a > k:\n            a = a * np.floor(x + 2.0)\n    return a + y\n"
    )
    program = Program(source, (0.5, 1.5), (0, 1), ((),))
    small = reduce(program, lambda p: "floor" in p.source and "return" in p.source)
    assert small.source.count("\n") < 6
    assert np.shape(small.args[0]) == ()
