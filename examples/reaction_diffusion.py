"""Patterns of two chemicals: a steady state of a million unknowns, by a sparse Jacobian.

The equations of Gray and Scott on a square, one implicit step of Euler's method: the pattern
of the Jacobian is found from one run of the residual, columns that share no row share one
product, and Newton's method solves with the matrix. Run it as

    python examples/reaction_diffusion.py 708

for 708 x 708 points with two unknowns each, which is a million; the factorisation then takes
far longer than the derivative, so that only the derivative is computed.

P. Gray and S. Scott, "Autocatalytic reactions in the isothermal, continuous stirred tank
reactor", Chemical Engineering Science 39 (1984).
"""

import resource
import sys
import time

import numpy as np
from scipy.sparse.linalg import spsolve

from srcgrad import jacobian, jvp

FEED, KILL, SPREAD_U, SPREAD_V = 0.04, 0.06, 0.16, 0.08


def laplacian(w):
    """Return the sum of the differences to the four neighbours; nothing goes through the edges."""
    p = np.pad(w, 1, mode="edge")
    return p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * w


def residual(x, before, step, n):
    """Return what is left of the equations of one implicit step, which ought to be zero.

    Args:
        x: both concentrations at the n x n points, flattened.
        before: the same, one step earlier.
        step: the length of the step.
        n: how many points there are along each side.
    """
    u, v = x.reshape(2, n, n)
    reaction = u * v**2
    change = np.stack(
        (
            SPREAD_U * laplacian(u) - reaction + FEED * (1 - u),
            SPREAD_V * laplacian(v) + reaction - (FEED + KILL) * v,
        )
    )
    return x - before - step * change.ravel()


def start(n):
    """Return a square of the second chemical in a bath of the first."""
    u, v = np.ones((n, n)), np.zeros((n, n))
    middle = slice(2 * n // 5, 3 * n // 5)
    u[middle, middle], v[middle, middle] = 0.5, 0.25
    return np.stack((u, v)).ravel()


def main(n=40, step=10.0, newton_steps=6):
    """Find the Jacobian and, where it is small, solve one implicit step by Newton's method.

    Args:
        n: how many points there are along each side of the square.
        step: the length of the step in time.
        newton_steps: how many steps of Newton's method to take.

    Returns:
        A dict of figures: unknowns, entries of the Jacobian, products it took, seconds,
        memory, what remains of a product with a random vector, and the residual before and
        after.
    """
    before = start(n)
    sparse = jacobian(residual, sparse=True)
    at = time.process_time()
    pattern = sparse.pattern(before, before, step, n)
    products = int(min(pattern.columns.max(), pattern.rows.max())) + 1
    found = time.process_time() - at
    slopes = jacobian(residual, sparse=pattern.unchecked())
    at = time.process_time()
    matrix = slopes(before, before, step, n)
    taken = time.process_time() - at
    direction = np.random.default_rng(0).normal(size=before.size)
    along = jvp(residual, (before, before, step, n), (direction, None, None, None))[1]
    x = before
    if n <= 100:
        for _ in range(newton_steps):
            x = x - spsolve(slopes(x, before, step, n), residual(x, before, step, n))
    return {
        "unknowns": before.size,
        "entries": matrix.nnz,
        "products": products,
        "pattern_seconds": found,
        "jacobian_seconds": taken,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "difference": float(np.max(np.abs(matrix @ direction - along))),
        "before": float(np.linalg.norm(residual(before, before, step, n))),
        "after": float(np.linalg.norm(residual(x, before, step, n))),
    }


if __name__ == "__main__":
    for name, figure in main(*map(int, sys.argv[1:2])).items():
        print(f"{name:>17} {figure:.6g}")
