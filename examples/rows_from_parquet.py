"""Logistic regression on rows from Parquet files, by Dask and L-BFGS.

The files are read by the workers, each of which keeps its rows; what goes to and fro are the
weights and the gradients. Run it as

    python examples/rows_from_parquet.py 10000000

for ten million rows of ten columns and a label, 900 MB as numbers.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.distributed import Client, LocalCluster, wait
from scipy.optimize import minimize

import srcgrad
from srcgrad.dask import value_and_grad

COLUMNS = [f"x{k}" for k in range(10)]
TRUTH = np.linspace(-1.0, 1.0, 10)


def loss(w, x, y):
    """Return the mean misfit of the log-odds of rows, and a penalty on large weights."""
    return np.mean(np.logaddexp(0.0, -y * (x @ w))) + 1e-4 * np.sum(w * w)


def write_rows(folder, count, files):
    """Write random rows into files, with labels that nine in ten of them deserve."""
    rng = np.random.default_rng(3)
    for k in range(files):
        x = rng.normal(size=(count // files, 10))
        deserved = np.where(x @ TRUTH > 0, 1.0, -1.0)
        table = pd.DataFrame(x, columns=COLUMNS)
        table["label"] = np.where(rng.random(len(x)) < 0.1, -deserved, deserved)
        table.to_parquet(folder / f"{k:04}.parquet")


def peak_memory():
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(count=40_000, files=8, workers=2):
    """Write the files, read them on workers, and fit the weights.

    Args:
        count: how many rows there are.
        files: in how many files they lie.
        workers: how many processes work on them.

    Returns:
        A dict of figures: seconds to read and to fit, how many gradients that took, rows a
        second, the largest memory of a worker in MB, the misfit before and after, how far the
        directions of the weights and the truth are apart, and the difference of the gradient
        from that of all rows at once (where there are few).
    """
    gradient = value_and_grad(loss, rows=("x", "y"), check=False)
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(**options) as cluster,
        Client(cluster) as client,
    ):
        write_rows(Path(folder), count, files)
        began = time.perf_counter()
        rows = client.persist(dd.read_parquet(folder).to_dask_array())
        wait(rows)
        read = time.perf_counter() - began
        x, y = rows[:, :-1], rows[:, -1]
        w = np.zeros(10)
        before, _ = gradient(w, x=x, y=y)
        began = time.perf_counter()
        fit = minimize(lambda w: gradient(w, x=x, y=y), w, jac=True, method="L-BFGS-B")
        seconds = time.perf_counter() - began
        most = max(client.run(peak_memory).values())
        apart = 0.0
        if count <= 100_000:
            whole = srcgrad.grad(loss)(fit.x, x.compute(), y.compute())
            apart = float(np.max(np.abs(whole - gradient(fit.x, x=x, y=y)[1])))
    cosine = fit.x @ TRUTH / np.linalg.norm(fit.x) / np.linalg.norm(TRUTH)
    return {
        "seconds_to_read": read,
        "seconds_to_fit": seconds,
        "gradients": fit.nfev,
        "rows_per_second": count * fit.nfev / seconds,
        "worker_mb": most,
        "before": float(before),
        "after": float(fit.fun),
        "one_minus_cosine": float(1 - cosine),
        "difference": apart,
    }


if __name__ == "__main__":
    for name, figure in main(*map(int, sys.argv[1:])).items():
        print(f"{name:>16} {figure:.6g}")
