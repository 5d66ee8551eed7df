"""Programs that are put together of parts, others at each turn."""

from random import Random

import pytest

from tests.rotation import turn
from tests.unusual import (
    arms,
    attributes,
    containers,
    exceptions,
    expressions,
    names,
    noticed,
    orders,
    sequences,
    torn,
    views,
)
from tests.unusual.checking import PREFACE, check, modes_of, reference

KINDS = {
    "arms": arms,
    "attributes": attributes,
    "containers": containers,
    "exceptions": exceptions,
    "expressions": expressions,
    "names": names,
    "noticed": noticed,
    "orders": orders,
    "sequences": sequences,
    "torn": torn,
    "views": views,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(4))
@pytest.mark.one_of(6)
def test_right_in_both_calls(kind, number):
    """Derivatives are those of differences, and effects are those of the program, once a call."""
    draw = Random(f"{kind} {number} {turn()}")
    source = PREFACE + KINDS[kind].drawn(draw)
    try:
        compile(source, kind, "exec")
        known = reference(source, 0)
        reference(source, 1)
    except Exception as error:  # noqa: BLE001
        pytest.skip(f"it does not run: {error!r}")
    check(source, draw.choice(modes_of(known)))
