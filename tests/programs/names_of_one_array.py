"""Arrays without derivative that are written under another name than they are read.

Whether two names hold the same array is often not known when code is generated.
"""


import numpy as np

from tests.programs.table import program

vector = program(args=lambda rng: (rng.normal(size=3),))

def pick(a, b, k):
    return a if k else b


def raised(r):
    r[1] += 7.0
    return 2.0


@vector
def asserted(x):
    a = np.ones(3)
    y = a * x
    assert raised(a) > 0
    return np.sum(y * a * x)


@vector
def by_a_loop(x):
    a = np.ones(3)
    y = a * x
    for a[1] in range(3):
        y = y * a
    return np.sum(y * a)


