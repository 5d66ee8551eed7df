"""Teaching: small programs of every style."""

import math
from enum import Enum

from scipy.interpolate import RegularGridInterpolator, interp1d  # noqa: F401

from tests.realistic.table import program

# --- teaching: a tiny symbolic machine, matrices from scratch, gradient descent with a trace --------------

class Matrix:
    """Matrices as lists of lists, as in a first course."""

    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
        if len({len(r) for r in self.rows}) != 1:
            raise ValueError("rows of different lengths")

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, value):
        i, j = ij
        self.rows[i][j] = value

    def __matmul__(self, other):
        n, m = self.shape
        m2, p = other.shape
        if m != m2:
            raise ValueError("shapes do not fit")
        return Matrix([[sum(self[i, k] * other[k, j] for k in range(m)) for j in range(p)] for i in range(n)])

    def transpose(self):
        return Matrix(zip(*self.rows))

    T = property(transpose)

    def solve(self, b):
        n, _ = self.shape
        A = Matrix([[*self.rows[i], b[i]] for i in range(n)])
        for k in range(n):
            pivot = max(range(k, n), key=lambda r: abs(A[r, k]))
            A.rows[k], A.rows[pivot] = A.rows[pivot], A.rows[k]
            for i in range(k + 1, n):
                factor = A[i, k] / A[k, k]
                for j in range(k, n + 1):
                    A[i, j] = A[i, j] - factor * A[k, j]
        x = [0.0] * n
        for i in reversed(range(n)):
            s = sum(A[i, j] * x[j] for j in range(i + 1, n))
            x[i] = (A[i, n] - s) / A[i, i]
        return x

@program(lambda rng: ([0.5, 1.1, 2.0, 2.9, 4.2], [1.0, 2.3, 4.1, 6.8, 9.9]), wrt=(0, 1))
def normal_equations(xs, ys):
    design = Matrix([[x**k for k in range(3)] for x in xs])
    normal = design.T @ design
    rhs = design.T @ Matrix([[y] for y in ys])
    coefficients = normal.solve([rhs[i, 0] for i in range(3)])
    fitted = [sum(c * x**k for k, c in enumerate(coefficients)) for x in xs]
    residual = math.fsum((y - f) ** 2 for y, f in zip(ys, fitted))
    return residual + 0.1 * coefficients[2]


class Ruleset(Enum):
    STRICT = lambda x: x**2  # noqa: E731
    LENIENT = "lenient"
