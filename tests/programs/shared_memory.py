"""Arrays that share memory, one of which is written: slices, transposes, second names."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(3, 2)),))
def reshaped_before_a_write(a):
    b = a * 1.0
    r = b.reshape(-1)
    s = np.sum(r**3)
    b += s
    return np.sum(b**2)


