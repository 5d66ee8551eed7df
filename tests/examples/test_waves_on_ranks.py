"""The wave on several ranks: one gradient, and as many messages as the estimate says."""

import pytest

from examples.message_costs import summed, waves
from tests.mpi.starting import needs_mpi, started


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_gradient_is_that_of_one_rank(ranks):
    """It differs in rounding, and its messages are those of the wave, backwards."""
    done = started(ranks, ["examples/waves_on_ranks.py", "10", "6"])
    assert done.returncode == 0, done.stderr[-3000:]
    figures = {}
    for line in done.stdout.splitlines():
        name, figure = line.split()
        figures[name] = float(figure)
    assert figures["ranks"] == ranks
    assert figures["value_difference"] < 1e-14
    assert figures["difference"] < 1e-14
    estimate = waves(ranks, size=10, steps=6)
    for name in ("messages", "bytes", "messages_of_all", "bytes_of_all"):
        assert figures[name] == estimate[name], name


def test_more_ranks_take_less_time_until_messages_do():
    """On paper; and a sum takes as many rounds as the ranks can be halved."""
    times = [waves(ranks, size=1024, steps=2)["seconds"] for ranks in (1, 2, 16, 256)]
    assert times == sorted(times, reverse=True)
    assert times[0] / times[1] == pytest.approx(2, rel=0.05)
    assert [summed(ranks, 1)["messages"] for ranks in (1, 2, 4, 1024)] == [0, 1, 2, 10]
