"""Logistic regression on rows that lie on several workers, by Dask.

A cluster of processes on this machine computes the loss and its gradient a partition at a time,
and L-BFGS takes the steps. In the middle, one worker is killed: Dask computes again what it
had, and no digit of the gradient changes. Run it as

    python examples/many_workers.py 10000000

for ten million rows.
"""

import os
import resource
import signal
import sys
import threading
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from scipy.optimize import minimize

import srcgrad
from srcgrad.dask import value_and_grad

COLUMNS = 10


def loss(w, x, y):
    """Return the mean misfit of the log-odds of rows, and a penalty on large weights."""
    return np.mean(np.logaddexp(0.0, -y * (x @ w))) + 1e-4 * np.sum(w * w)


def rows_of(count, partitions):
    """Return random rows, and labels that nine in ten of them deserve."""
    chunk = -(-count // partitions)
    rng = da.random.default_rng(3)
    x = rng.normal(size=(count, COLUMNS), chunks=(chunk, COLUMNS))
    truth = np.linspace(-1.0, 1.0, COLUMNS)
    flipped = da.where(rng.random(size=count, chunks=chunk) < 0.1, -1.0, 1.0)
    return x, da.where(x @ truth > 0, 1.0, -1.0) * flipped


def peak_memory():
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rate(gradient, w, x, y, repetitions=3):
    """Return how many rows a second one gradient takes."""
    began = time.perf_counter()
    for _ in range(repetitions):
        gradient(w, x=x, y=y)
    return x.shape[0] * repetitions / (time.perf_counter() - began)


def main(count=20_000, partitions=8, workers=2):
    """Fit the weights, and measure how many rows a second one gradient takes.

    Args:
        count: how many rows there are.
        partitions: in how many parts they lie.
        workers: how many processes work on them.

    Returns:
        A dict of figures: rows a second with one worker and with all, the most memory of a
        worker in MB, the difference of the gradient from that of all rows at once (where
        there are few), the difference after a worker was killed, and the misfit before and
        after the fit.
    """
    gradient = value_and_grad(loss, rows=("x", "y"), check=False)
    options = {"threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        x, y = client.persist(rows_of(count, partitions))
        w = np.zeros(COLUMNS)
        before, _ = gradient(w, x=x, y=y)
        alone = rate(gradient, w, x, y)
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:
        x, y = client.persist(rows_of(count, partitions))
        one_more, _ = gradient(w, x=x, y=y)
        together = rate(gradient, w, x, y)
        memory = max(client.run(peak_memory).values())
        fit = minimize(lambda w: gradient(w, x=x, y=y), w, jac=True, method="L-BFGS-B")
        at_end = gradient(fit.x, x=x, y=y)
        apart = 0.0
        if count <= 100_000:
            whole = srcgrad.grad(loss)(fit.x, x.compute(), y.compute())
            apart = float(np.max(np.abs(whole - at_end[1])))
        victim = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(0.05, os.kill, (victim, signal.SIGKILL))
        killer.start()
        again = [gradient(fit.x, x=x, y=y) for _ in range(4)]
        killer.join()
    return {
        "rows_per_second_of_one": alone,
        "rows_per_second_of_all": together,
        "worker_mb": memory,
        "difference": apart,
        "between_one_and_all": abs(float(one_more - before)),
        "after_a_worker_died": float(max(np.max(np.abs(g - at_end[1])) for _, g in again)),
        "before": float(before),
        "after": float(fit.fun),
    }


if __name__ == "__main__":
    for name, figure in main(*map(int, sys.argv[1:])).items():
        print(f"{name:>22} {figure:.6g}")
