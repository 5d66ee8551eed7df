"""States of a loop: all of them come back, and the fewest steps run again."""

import numpy as np
import pytest

from srcgrad.runtime.generators import same_draws
from srcgrad.runtime.snapshots import Snapshots, backwards, enough

schedules = pytest.importorskip("checkpoint_schedules")


def went(steps, most, on_disk=0, left=None):
    """Return what a loop that adds up its steps has kept, after `left` of them."""
    states, total = Snapshots(range(steps), most, on_disk), np.zeros(2)
    for t in range(steps if left is None else left):
        states.keep(t, total, 2 * t)
        total = total + t
    return states


def back(states):
    """Go back through the states; return them, and how many steps ran again."""
    calls = []

    def advance(t, total, other):
        calls.append(t)
        return total + t, 2 * (t + 1)

    found = [(t, total[1], other) for t, total, other in backwards(states, advance)]
    return found, len(calls)


def expected(steps):
    """Return the states from the last to the first."""
    return [(t, sum(range(t)), 2 * t) for t in range(steps)][::-1]


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 7, 20, 61])
@pytest.mark.parametrize(("most", "on_disk"), [(1, 0), (2, 0), (5, 0), (70, 0), (1, 2), (0, 3)])
@pytest.mark.one_of(4)
def test_all_states_come_back_twice(steps, most, on_disk):
    """A backward function may be called again, when only the first state is left."""
    states = went(steps, most, on_disk)
    assert back(states)[0] == expected(steps)
    assert back(states)[0] == expected(steps)


@pytest.mark.parametrize("steps", [2, 5, 20, 60])
@pytest.mark.parametrize("most", [1, 2, 3, 8])
def test_no_more_steps_run_again_than_have_to(steps, most):
    """As many as in the schedule of the package, which runs each once more for its derivative."""
    plan = schedules.MultistageCheckpointSchedule(steps, most, 0)
    forward = [a for a in plan if isinstance(a, schedules.Forward)]
    fewest = sum(a.n1 - a.n0 for a in forward) - steps - (steps - 1)
    assert back(went(steps, most))[1] == fewest


@pytest.mark.parametrize("left", [0, 1, 4, 9])
def test_a_loop_that_was_left(left):
    """Where a loop ends early, there are as many states as steps were begun."""
    assert back(went(10, 3, left=left))[0] == expected(left)


def test_states_are_copies():
    """What is kept does not change where an array is written into later."""
    states, x = Snapshots(range(2), 2), np.ones(2)
    for t in range(2):
        states.keep(t, x)
    x[:] = 0
    assert [float(x.sum()) for _, x in backwards(states, lambda _, x: (x,))] == [2.0, 2.0]


def test_generators_are_copied():
    """What is kept of a generator draws what it would have drawn then."""
    rng = np.random.default_rng(2)
    states = Snapshots(range(3), 3)
    drawn = []
    for t in range(3):
        states.keep(t, rng)
        drawn.append(rng.normal())

    def advance(_, rng):
        rng = same_draws(rng)
        rng.normal()
        return (rng,)

    again = [same_draws(rng).normal() for _, rng in backwards(states, advance)]
    assert again == drawn[::-1]


def test_without_a_number_each_step_runs_again_once():
    """The least number of snapshots with which that is so, and its end computed once more."""
    states = went(1000, None)
    assert states.most == (enough(1000), 0) == (44, 0)
    assert back(states)[1] < 1000


def test_something_has_to_be_kept():
    """Without a snapshot there is nothing to begin from."""
    with pytest.raises(ValueError, match="one snapshot"):
        Snapshots(range(3), 0)
