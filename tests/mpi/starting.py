"""Start a module on several ranks, where mpirun and mpi4py are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

needs_mpi = pytest.mark.skipif(
    shutil.which("mpirun") is None or find_spec("mpi4py") is None,
    reason="mpirun or mpi4py is not installed",
)


def started(ranks: int, words: list[str], patience: float = 60.0, limit: float = 280.0):
    """Run Python on several ranks, and return what came of it.

    Args:
        ranks: how many.
        words: the arguments of the interpreter.
        patience: how long a rank waits for messages of derivatives, in seconds.
        limit: how long it may take, in seconds.
    """
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",  # more ranks than cores
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "SRCGRAD_MPI_TIMEOUT": str(patience),
    }
    return subprocess.run(
        ["mpirun", "-n", str(ranks), sys.executable, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=limit,
        env={**os.environ, **settings},
    )
