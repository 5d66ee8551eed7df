"""A gradient over rows on the processes of joblib, one part of the rows in each call.

Each process gets the function that ``grad`` gives, by pickling, and generates its code when it
first needs it. The parts are added in their order, so that one process and two give the same
digits. Run it as

    python examples/rows_on_processes.py 4000000 8 2

for four million rows in eight parts on two processes.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from joblib import Parallel, delayed

from srcgrad import grad

COLUMNS = 10


def loss(w, x, y):
    """Return the sum of the misfit of the log-odds of rows."""
    return np.sum(np.logaddexp(0.0, -y * (x @ w)))


def main(count=8_000, parts=4, workers=2, repetitions=3):
    """Measure how many rows a second one gradient takes.

    Args:
        count: how many rows there are.
        parts: in how many parts they are given to the processes.
        workers: how many processes there are.
        repetitions: how many gradients are measured.

    Returns:
        A dict of figures: rows a second with one process and with all, and the differences of
        the gradient: between one and all, and from that of all rows at once.
    """
    rng = np.random.default_rng(3)
    x = rng.normal(size=(count, COLUMNS))
    y = np.where(x @ np.linspace(-1.0, 1.0, COLUMNS) > 0, 1.0, -1.0)
    w = np.full(COLUMNS, 0.1)
    gradient = grad(loss)
    pieces = list(zip(np.array_split(x, parts), np.array_split(y, parts), strict=True))
    rates, sums = [], []
    for processes in (1, workers):
        with Parallel(n_jobs=processes, backend="loky") as pool:
            calls = [delayed(gradient)(w, *piece) for piece in pieces]
            pool(calls)  # which generates the code
            began = time.perf_counter()
            for _ in range(repetitions):
                total = np.add.reduce(pool(calls))
            rates.append(count * repetitions / (time.perf_counter() - began))
            sums.append(total)
    whole = gradient(w, x, y)
    return {
        "rows_per_second_of_one": rates[0],
        "rows_per_second_of_all": rates[1],
        "between_one_and_all": float(np.max(np.abs(sums[0] - sums[1]))),
        "difference": float(np.max(np.abs(sums[1] - whole)) / np.max(np.abs(whole))),
    }


if __name__ == "__main__":
    for name, figure in main(*map(int, sys.argv[1:])).items():
        print(f"{name:>22} {figure:.6g}")
