"""Lists in the place of arrays that SciPy is given."""

import numpy as np
from scipy import signal, stats

from tests.programs.array_likes import X
from tests.programs.table import program


@program(args=X)
def filters_and_densities(x, w):
    y = signal.lfilter([1.0, 0.5], [1.0, -0.3], x) + np.convolve(x, [0.25, 0.5], mode="same")
    return np.sum(y**2) + np.sum(stats.norm.logpdf([1.0, 2.0, 0.5], x))
