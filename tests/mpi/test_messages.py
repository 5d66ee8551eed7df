"""Derivatives of messages between ranks, started by mpirun."""

import pytest

from tests.mpi.starting import needs_mpi, started

pytestmark = needs_mpi

PROGRAMS = 64  # so many lines there have to be without names
SOME = ["largest", "send", "Sendrecv", "gather", "Reduce_scatter", "alltoall", "scan"]
SOME += ["Exscan", "Gatherv_with_gaps", "Alltoallv", "Sendrecv_replace", "allreduce"]
SOME += ["from_anybody", "From_anybody", "Sendrecv_into_a_view", "Allgather_by_columns"]
SOME += ["Sendrecv_by_columns"]


@pytest.mark.parametrize(("ranks", "names"), [(1, SOME), (2, []), (3, SOME)])
def test_derivatives_are_those_of_the_sum_of_all_results(ranks, names):
    """Gradients, tangents and both second derivatives, for each kind of message."""
    done = started(ranks, ["-m", "tests.mpi.slopes", *names])
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == (len(names) or PROGRAMS)
    for name, first, forward, over, twice, again in rows:
        assert float(first) < 1e-6, name
        assert float(forward) < 1e-11, name
        assert float(over) < 1e-5, name
        assert float(twice) < 1e-5, name
        assert float(again) < 1e-13, name


@pytest.mark.parametrize(("ranks", "first", "last"), [(2, 0, 6), (4, 100, 102)])
def test_text_with_messages_has_the_derivatives_of_one_process(ranks, first, last):
    """Value, gradient, vjp, jvp and both second derivatives of random programs."""
    done = started(ranks, ["-m", "tests.mpi.random_programs", str(first), str(last)])
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == last - first
    for seed, kind, *differences in rows:
        assert kind == "text", seed
        assert all(float(difference) < 1e-13 for difference in differences), seed


def test_the_gradient_of_the_wave_is_text():
    done = started(1, ["-m", "tests.mpi.texts", "wave"])
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "from srcgrad.mpi.messages import receive, send" in lines
    behind = lines.index("now_bar2[0] = send(comm, now_bar2[0], above)")
    assert lines[behind + 1 : behind + 5] == [
        "now_bar2[rows] += receive(comm, np.zeros(now_bar2[rows].shape), below)",
        lines[behind + 2],
        "now_bar2[rows + 1] = send(comm, now_bar2[rows + 1], below)",
        "now_bar2[1] += receive(comm, np.zeros(now_bar2[1].shape), above)",
    ]


def test_what_is_not_told_by_the_text_is_recorded():
    done = started(1, ["-m", "tests.mpi.texts", "recorded"])
    assert done.returncode == 0, done.stderr[-3000:]
    kinds = dict(line.split() for line in done.stdout.splitlines())
    assert kinds.pop("in_order") == "text"
    assert kinds.pop("of_an_object") == "text"
    assert kinds
    assert set(kinds.values()) == {"recorded"}


def test_what_ran_on_a_tape_is_a_program_that_sends_again():
    done = started(2, ["-m", "tests.mpi.straight"])
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == ["the same", "the same"]


def test_faults_are_told():
    """Nothing hangs, and one rank at least says what is the matter."""
    names = [
        "raises",
        "stays_away",
        "sends_too_much",
        "other_dtypes",
        "other_buffers",
        "shorter",
        "no_such_operation",
        "other_operation",
    ]
    done = started(2, ["-m", "tests.mpi.faults", *names], patience=1.0)
    told = {}
    for line in done.stdout.splitlines():
        name, rank, what = line.split(" ", 2)
        told[name, int(rank)] = what
    assert "not all ranks come to the first collective operation" in told["raises", 0]
    assert told["raises", 1] == "ZeroDivisionError: in the program"
    assert (
        "rank 1 does not take the numbers of send with tag 0: float64 [2]"
        in (told["stays_away", 0])
    )
    assert "rank 1 sends no numbers of send with tag 0: float64 [2]" in told["sends_too_much", 0]
    assert (
        "rank 1 sends the numbers of send: float64 [4], not of send: float64 [2]"
        in (told["shorter", 0])
    )
    for rank in (0, 1):
        assert (
            "float64 [2] on rank 0, bcast from rank 0: float32 [2] on rank 1"
            in (told["other_dtypes", rank])
        )
        assert told["other_buffers", rank].startswith("ValueError: mismatch in send and receive")
        assert told["no_such_operation", rank] == (
            "MissingFormulaError: no formula for the method .Iallreduce of a communicator"
        )
        assert told["other_operation", rank].startswith("MissingFormulaError: allreduce with")
