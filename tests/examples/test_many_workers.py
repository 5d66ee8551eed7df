"""The examples with workers or limits, which have processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")
ROOT = Path(__file__).resolve().parents[2]


def figures_of(name, *numbers):
    """Run an example, and return what it prints."""
    words = [sys.executable, f"examples/{name}.py", *map(str, numbers)]
    place = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=240, env=place
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    return {name: float(figure) for name, figure in rows}


@pytest.mark.one_of(3)
def test_many_workers():
    """Neither the number of workers nor one that dies changes a digit of the gradient."""
    figures = figures_of("many_workers", 4000, 4, 2)
    assert figures["after_a_worker_died"] == 0
    assert figures["between_one_and_all"] == 0
    assert figures["difference"] < 1e-15
    assert figures["after"] < figures["before"]


@pytest.mark.one_of(3)
def test_rows_from_parquet():
    """Rows that workers read from files have the gradient of all rows at once."""
    pytest.importorskip("pyarrow")
    figures = figures_of("rows_from_parquet", 4000, 4, 2)
    assert figures["difference"] < 1e-15
    assert figures["one_minus_cosine"] < 0.01
    assert figures["after"] < figures["before"]


@pytest.mark.skipif(sys.platform != "linux", reason="it uses limits and counts of Linux")
@pytest.mark.one_of(3)
def test_larger_than_memory():
    """Rows that are ten times as large as the room for them are fitted within that room."""
    figures = figures_of("larger_than_memory", 16, 10, 80)
    assert figures["rows_mb"] >= 10 * figures["room_mb"] - 1
    assert figures["whole_array_refused"] == 1
    assert figures["peak_mb"] < figures["room_mb"]
    assert figures["slope_at_the_end"] < 1e-3
    assert figures["after"] < figures["before"]


def test_rows_on_processes():
    """One process and two give the same digits, by functions that were pickled."""
    pytest.importorskip("joblib")
    figures = figures_of("rows_on_processes", 4000, 4, 2)
    assert figures["between_one_and_all"] == 0
    assert figures["difference"] < 1e-12
