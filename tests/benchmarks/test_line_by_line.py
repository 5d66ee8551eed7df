"""The page about generated lines that derivatives by hand do not have."""

import re
from pathlib import Path

import pytest

from srcgrad import source
from tests.benchmarks.problems import PROBLEMS
from tests.benchmarks.tools import made

PAGE = Path(__file__).parents[2] / "docs" / "line_by_line.md"
PARTS = dict(part.split("\n", 1) for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:])


@pytest.mark.parametrize("name", PARTS)
def test_lines_are_generated(name):
    """Each line in a table stands in the text of that problem."""
    (problem,) = [p for p in PROBLEMS if p.name == name]
    derivative = made(problem)
    derivative(*problem.at("small"))
    lines = {line.strip() for line in source(derivative).splitlines()}
    quoted = re.findall(r"^\| `(.+?)` \|", PARTS[name], flags=re.M)
    assert lines.issuperset(quoted)
    assert bool(quoted) is not PARTS[name].startswith("\nNone")
