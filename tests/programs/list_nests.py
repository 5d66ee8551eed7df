"""Lists that loops inside of other loops go through, and what is kept of branches."""

import numpy as np

from tests.programs.table import program


@program(args=(np.array([0.5, 0.1, 0.3]),))
def value_without_a_use(x):
    """It is called ``_``, also in the gradient, whose own derivative needs its shape."""
    joined = np.sum(np.vstack((x, np.ones(3))), axis=0)
    made = np.ones(3)
    made[:] = np.interp(joined, [0.0, 1.0, 2.0], x)
    return np.sum(made * made)

@program(args=(np.array([1.5, 0.4]),))
def underscore_that_is_read(x):
    _, y = x * x
    for _ in range(2):
        y = y * x[0]
    _ = y * y
    return y * _
