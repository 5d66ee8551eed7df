"""Programs that are out of the ordinary in one thing each, in every mode, called twice.

They stand in the files beside this one, one topic each. Those without ``args1`` get ``x``, an
array, and ``a``, a number.
"""

from pathlib import Path

import pytest

from tests.rotation import by_turns, has_its_turn
from tests.unusual.checking import PREFACE, check, modes_of, reference

ARGUMENTS = """
def args1():
    return np.array([0.31, 0.72, 0.53]), 1.3

def args2():
    return np.array([0.71, 0.22, 0.93, 0.84]), 0.7
"""


def _programs():
    found = {}
    for path in sorted(Path(__file__).parent.glob("*.txt")):
        for text in ("\n" + path.read_text()).split("\n### ")[1:]:
            name, _, body = text.partition("\n")
            body = body if "def args1" in body else body + ARGUMENTS
            found[f"{path.stem}: {name}"] = PREFACE + body
    return found


PROGRAMS = _programs()


@pytest.mark.parametrize("name", [name for name in PROGRAMS if has_its_turn(name, 32)])
@pytest.mark.one_of(6)
def test_right_in_both_calls(name):
    """Derivatives are those of differences, and effects are those of the program, once a call."""
    source = PROGRAMS[name]
    for mode in by_turns(name, modes_of(reference(source, 0))):
        check(source, mode)
