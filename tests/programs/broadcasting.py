"""Every operator and function of two arguments, with every way in which shapes can differ.

A cotangent must be summed over the axes along which its argument was repeated,
on the left as well as on the right, and be a number where the argument is one.
"""

from collections.abc import Callable

import numpy as np

from tests.programs.table import program

FLOAT = "float"

SHAPES = [
    (FLOAT, (3,)),
    ((3,), FLOAT),
    (FLOAT, ()),
    ((), (2, 3)),
    ((2, 3), ()),
    ((3,), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((1, 3), (2, 3)),
    ((2, 3), (2, 1)),
    ((1,), (3,)),
    ((2, 1), (1,)),
    ((1, 1), ()),
    ((2, 1, 3), (4, 1)),
]

def sample(shape, rng):
    """Return numbers between 0.6 and 2.4: positive, for powers and divisions."""
    x = rng.uniform(0.6, 2.4, () if shape == FLOAT else shape)
    return float(x) if shape == FLOAT else np.asarray(x)

def name_of(shape):
    return shape if shape == FLOAT else "x".join(map(str, shape)) or "0d"

def for_each_pair(shapes) -> Callable:
    """Put a function of two arguments into the table once for each pair of shapes."""

    def put(fn):
        for left, right in shapes:
            program(
                args=lambda rng, left=left, right=right: (
                    sample(left, rng),
                    sample(right, rng),
                ),
                wrt=(0, 1),
                label=f"{name_of(left)} and {name_of(right)}",
            )(fn)
        return fn

    return put


@for_each_pair(SHAPES)
def where(x, y):
    return np.sum(np.where(x > y, x * 2, y) ** 2)

MATRICES = [
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((2, 3), (3, 2)),
    ((2, 1), (1, 3)),
    ((1,), (1, 3)),
    ((4, 2, 3), (3, 2)),
    ((2, 3), (4, 3, 2)),
    ((1, 2, 3), (4, 3, 2)),
    ((2, 1, 2, 3), (3, 3, 2)),
    ((3,), (4, 3, 2)),
    ((4, 2, 3), (3,)),
]


DOTS = [
    (FLOAT, (3,)),
    ((), (2, 3)),
    *MATRICES[:6],
    ((2, 3), (4, 3, 2)),
    ((4, 2, 3), (3,)),
]

@for_each_pair(DOTS)
def dot(x, y):
    return np.sum(np.sin(np.dot(x, y)))

@program(
    args=lambda rng: (rng.normal(size=3), rng.normal(size=3), rng.normal(size=(4, 3))),
    wrt=(0, 1, 2),
)
def standardisation(shift, log_scale, x):
    z = (x - shift) * np.exp(-log_scale)
    return np.sum(z**2) / 2 + 4 * np.sum(log_scale)
