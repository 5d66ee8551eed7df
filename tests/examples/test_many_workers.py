"""The example with workers, which has processes of its own, and which kills one of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")
ROOT = Path(__file__).resolve().parents[2]


def test_many_workers():
    """A worker that dies changes no digit of the gradient."""
    words = [sys.executable, "examples/many_workers.py", "4000", "4", "2"]
    place = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=240, env=place
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    figures = {name: float(figure) for name, figure in rows}
    assert figures["after_a_worker_died"] == 0
    assert figures["difference"] < 1e-15
    assert figures["after"] < figures["before"]
