"""A fit to rows that are ten times as large as the memory there is for them.

The rows lie in files, a chunk in each. A function of NumPy's and its gradient run on the array
that Dask makes of them, a chunk at a time. The operating system refuses memory beyond a limit,
and with it the whole array. Run it as

    python examples/larger_than_memory.py 256

for 2.5 GB of rows, with room for 256 MB. It needs Linux, whose limits and counts it uses.
"""

import resource
import sys
import tempfile
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from scipy.optimize import minimize

from srcgrad import grad, value_and_grad

COLUMNS = 15
MEGABYTE = 2**20


def loss(w, x, y):
    """Return the mean misfit of the log-odds of rows, and a penalty on large weights."""
    return np.mean(np.logaddexp(0.0, -y * (x @ w))) + 1e-4 * np.sum(w * w)


def write_rows(folder, megabytes, chunks):
    """Write random rows into files, and labels that nine in ten of them deserve.

    Returns:
        Lazy arrays of the rows and of the labels.
    """
    count = megabytes * MEGABYTE // (8 * (COLUMNS + 1) * chunks)
    rng = np.random.default_rng(3)
    parts = []
    for k in range(chunks):
        x = rng.normal(size=(count, COLUMNS))
        deserved = np.where(x @ np.linspace(-1.0, 1.0, COLUMNS) > 0, 1.0, -1.0)
        y = np.where(rng.random(count) < 0.1, -deserved, deserved)
        for name, array in (("x", x), ("y", y)):
            path = folder / f"{name}{k}.npy"
            np.save(path, array)
            parts.append(da.from_delayed(dask.delayed(np.load)(path), array.shape, array.dtype))
    return da.concatenate(parts[::2]), da.concatenate(parts[1::2])


def status(name):
    """Return a figure that Linux gives of this process, in MB."""
    rows = Path("/proc/self/status").read_text().splitlines()
    row = next(row for row in rows if row.startswith(name))
    return int(row.split()[1]) / 1024


def main(room=16, times=10, chunks=80):
    """Fit the weights with no more memory than there is room for.

    Args:
        room: the memory that the process may use beyond what it has before the fit, in MB.
        times: how much larger the rows are.
        chunks: in how many files they lie.

    Returns:
        A dict of figures: MB of rows, the room, the memory that the fit took at most, whether
        the array as a whole was refused, the misfit before and after, and the largest entry of
        the gradient at the end, by rows of NumPy's of one file after the other.
    """
    with dask.config.set(scheduler="synchronous"), tempfile.TemporaryDirectory() as folder:
        x, y = write_rows(Path(folder), room * times, chunks)
        w = np.zeros(COLUMNS)
        both = value_and_grad(loss)
        before, _ = dask.compute(*both(w, x[: x.chunks[0][0]], y[: y.chunks[0][0]]))
        Path("/proc/self/clear_refs").write_text("5")  # the highest use is counted from here
        start, limits = status("VmRSS"), resource.getrlimit(resource.RLIMIT_AS)
        most = int((status("VmSize") + room) * MEGABYTE)
        resource.setrlimit(resource.RLIMIT_AS, (most, limits[1]))
        try:
            fit = minimize(lambda w: dask.compute(*both(w, x, y)), w, jac=True, tol=1e-4)
            peak = status("VmHWM") - start
            refused = False
            try:
                x.compute()
            except MemoryError:
                refused = True
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
        parts = [
            grad(loss)(fit.x, x.blocks[k].compute(), y.blocks[k].compute()) for k in range(chunks)
        ]
    return {
        "rows_mb": (x.nbytes + y.nbytes) / MEGABYTE,
        "room_mb": room,
        "peak_mb": peak,
        "whole_array_refused": int(refused),
        "before": float(before),
        "after": float(fit.fun),
        "slope_at_the_end": float(np.max(np.abs(np.mean(parts, axis=0)))),
    }


if __name__ == "__main__":
    for name, figure in main(*map(int, sys.argv[1:])).items():
        print(f"{name:>19} {figure:.6g}")
