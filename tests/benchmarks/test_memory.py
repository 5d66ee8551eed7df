"""The tables of what gradients allocate are made."""

from tests.benchmarks.memory import curve


def test_curve():
    """One row for each number of steps, with what the schedule says."""
    _, _, row = curve((10,))
    assert row.startswith("| 10 | 3 | 1.")
