"""The derivatives by hand that the benchmarks time are those that srcgrad makes."""

import pytest

from tests.benchmarks import page
from tests.benchmarks.problems import PROBLEMS
from tests.benchmarks.results import path
from tests.benchmarks.timing import turns
from tests.benchmarks.tools import TOOLS, agree


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
@pytest.mark.one_of(2)
def test_derivatives_are_those_by_hand(problem):
    """At small size, to nine digits, with the same shapes."""
    derivatives = [
        TOOLS[name](problem, problem.at("small")) for name in ("srcgrad", "speed", "hand")
    ]
    *ours, expected = (derivative() for derivative in derivatives)
    for derivative in ours:
        agree(derivative, expected)


def test_another_shape_is_another_derivative():
    """What broadcasts to the same numbers is not the same."""
    with pytest.raises(AssertionError, match="shapes"):
        agree([[1.0, 1.0]], [1.0, 1.0])


def test_each_problem_has_a_file():
    """Names that are alike would share one."""
    files = {path(problem.name, "small") for problem in PROBLEMS}
    assert len(files) == len(PROBLEMS)


def test_turns_end():
    """Each candidate has a time for each of its turns."""
    times = turns({"a": lambda: None, "b": lambda: sum(range(9))}, seconds=0.01, most=9)
    assert all(0 < len(record) <= 9 for record in times.values())


def test_tables():
    """What was not measured is empty, what a tool does not run has a dash."""
    measured = {(p.name, size): {} for p in PROBLEMS for size in page.SIZES}
    quick = {"median": 1e-3, "low": 0.9e-3, "high": 1.1e-3, "memory": 100}
    measured["MLP", "small"] = {"hand": quick, "srcgrad": quick, "jax": {"refused": "no"}}
    lines = page.table("small", measured).splitlines()
    none = page.NONE
    cells = ["1 ms", "1.00", "", "", "", "", "", none, "10 %", "1.00"]
    assert lines[2:] == [page.row("MLP", *cells).strip()]
    means = page.row("srcgrad over hand, time", "1.00", none, none, "1.00")
    assert means in page.means(measured)
