"""The results of problems: measured in processes of their own, and kept in files."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.tools import TOOLS

FOLDER = Path("build/benchmarks")
LIMIT = 600  # seconds for one process
# One thread, so that a ratio compares code and not schedules; a malloc that keeps its memory,
# so that no repetition pays for page faults of another.
THREADS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "SRCGRAD_CACHE": "0",  # the first result of a process is that of the first process
    "PYTHONDONTWRITEBYTECODE": "",  # but all modules are compiled, as they are once installed
}
KEEPING = {
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "2147483647",
    "MALLOC_TOP_PAD_": "67108864",
}
GIVING_BACK = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


def path(name, size):
    """Return the file of the results of a problem at a size."""
    return FOLDER / f"{re.sub(r'[^a-z]+', '-', name.lower())}.{size}.json"


def measure(name, sizes, tools, *, firsts):
    """Measure a problem at some sizes, and keep the results.

    One process does, so that what is compiled for all sizes is compiled once.

    Args:
        name: the problem.
        sizes: the sizes.
        tools: names of tools, ``"hand"`` among them.
        firsts: whether the time to a first result at the middle size is measured, in a process
            for each tool.

    Returns:
        A dict from sizes to dicts from tools to what was measured.
    """
    measured = process([name, "--sizes", *sizes, "--tools", *tools], KEEPING)
    for tool in tools if firsts and "middle" in sizes else ():
        results = measured["middle"][tool]
        if tool != "objective" and "median" in results:
            words = ["--first", name, "--sizes", "middle", "--tools", tool]
            results |= process(words, GIVING_BACK)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for size, results in measured.items():
        path(name, size).write_text(json.dumps(results, indent=1))
    return measured


def process(words, memory):
    """Return what a process prints that measures."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.one", *words],
        env=os.environ | THREADS | memory,
        stdout=subprocess.PIPE,
        timeout=LIMIT,
        check=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def kept(name, size):
    """Return the results of a problem at a size that were kept, or nothing."""
    file = path(name, size)
    return json.loads(file.read_text()) if file.exists() else {}


def installed():
    """Return the names of the tools that can be imported here."""
    own = {"objective", "hand", "speed"}
    made_with = {"hand_numba": "numba"}
    found = importlib.util.find_spec
    return [name for name in TOOLS if name in own or found(made_with.get(name, name))]
