"""Type checkers see the arguments and results of derivatives."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

USES = Path(__file__).with_name("typed_uses.py")
ROOT = Path(__file__).parents[2]
COMMANDS = {
    "mypy": ["mypy", "--follow-imports=silent", "--no-error-summary"],
    "pyright": ["pyright", f"--pythonpath={sys.executable}"],
}


@pytest.mark.parametrize("checker", COMMANDS)
def test_uses(checker, tmp_path):
    """Each line that is marked as wrong is an error, and no other line is one."""
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    lines = USES.read_text().splitlines()
    wanted = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    copy = tmp_path / USES.name  # where no settings of this project hold
    copy.write_text(USES.read_text())
    paths = {"MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT), "MYPY_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", *COMMANDS[checker], copy.name]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **paths}, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout + done.stderr
    found = re.findall(rf"{copy.name}:(\d+)(?::\d+)?(?: -|:) error", done.stdout)
    assert {int(number) for number in found} == wanted, done.stdout
