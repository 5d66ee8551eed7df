"""Reading elements: slices, integer arrays with repeats, masks, and mixtures."""

import numpy as np

from tests.programs.table import program


@program(
    args=lambda rng: (
        rng.normal(size=(4, 2)),
        np.array([0, 1, 1, 3]),
        np.array([1, 2, 3, 0]),
    )
)
def springs_between_points(points, left, right):
    """The energy of a graph: the same point is read by many edges."""
    lengths = np.sqrt(np.sum((points[left] - points[right]) ** 2, axis=1))
    return np.sum((lengths - 1.0) ** 2)
