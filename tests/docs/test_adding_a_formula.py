"""The steps of the page about formulas, followed from an empty folder."""

import subprocess
import sys
from pathlib import Path

from tests.docs.snippets import blocks

PAGE = Path(__file__).parents[2] / "docs" / "formulas.md"


def test_from_beginning_to_end(tmp_path):
    """The three files of the page are written, and the check and the program run."""
    section = PAGE.read_text().partition("## From beginning to end")[2]
    found = blocks(section)
    files = [block for block in found if block.title]
    assert [block.title for block in files] == ["lengths.py", "test_lengths.py", "program.py"]
    for block in files:
        (tmp_path / block.title).write_text(block.body)
    for name in ("test_lengths.py", "program.py"):
        done = subprocess.run(
            [sys.executable, name], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    output = next(block for block in found if block.mark == "output")
    assert done.stdout == output.body
