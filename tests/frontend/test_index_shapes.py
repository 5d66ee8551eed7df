"""The shapes of what indices pick, against NumPy's own: known ones are right, never guessed."""

import itertools

import numpy as np

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.subscripts import index_shape
from srcgrad.ir.nodes import Const, Items, Slice, Var
from srcgrad.ir.types import Type

LENGTHS = {"x.0": 4, "x.1": 5, "x.2": 6, "e.0": 3}
X = np.zeros((4, 5, 6))
ENTRIES = [
    (0, Const(0)),
    (slice(None), Slice(Const(None), Const(None), Const(None))),
    (slice(1, None), Slice(Const(1), Const(None), Const(None))),
    (slice(None, 2), Slice(Const(None), Const(2), Const(None))),
    (slice(-3, -1), Slice(Const(-3), Const(-1), Const(None))),
    (None, Const(None)),
    (..., Const(...)),
    (np.array([0, 1, 2]), Var("e", Type("array", ("e.0",), "i"))),
    (np.zeros((2, 1), int), Var("m", Type("array", (2, 1), "i"))),
    ([0, 1], Items((Const(0), Const(1)), True)),
    (np.array([0, 2]), Var("g", Type("array", (None,), "i"))),
    (np.array([True, False, True, False]), Var("k", Type("array", ("x.0",), "b"))),
    (np.ones((4, 5), bool), Var("q", Type("array", ("x.0", "x.1"), "b"))),
]


def length_of(dim):
    """The length in this example of an axis with a name."""
    if not isinstance(dim, str):
        return dim
    base, _, less = dim.partition("-")
    return LENGTHS[base] - int(less or 0)


def test_the_shape_of_what_an_index_picks():
    """Each axis whose length is told has that length in NumPy."""
    told = 0
    for parts in itertools.chain(*(itertools.product(ENTRIES, repeat=k) for k in (1, 2, 3, 4))):
        index = tuple(entry for entry, _ in parts)
        try:
            picked = X[index].shape
        except (IndexError, ValueError):
            continue
        lengths = Lengths()
        lengths.observed = LENGTHS
        shape = index_shape(
            ("x.0", "x.1", "x.2"), Items(tuple(v for _, v in parts), False), lengths
        )
        if shape is None:
            continue
        told += 1
        found = [length_of(dim) for dim in lengths.resolve(shape)]
        assert len(found) == len(picked), (index, shape, picked)
        agree = all(a in (None, b) for a, b in zip(found, picked, strict=True))
        assert agree, (index, shape, picked)
    assert told > 3000


def test_the_lengths_of_slices():
    """What is told of a slice holds for every axis that is as long as is asked for."""
    places = [None, *range(-4, 5)]
    told = 0
    for start, stop, step in itertools.product(places, places, [None, 1, 2, 3]):
        for observed in range(1, 7):
            lengths = Lengths()
            lengths.observed = {"x.0": observed}
            dim = lengths.sliced("x.0", Slice(Const(start), Const(stop), Const(step)))
            known = lengths.find(dim)
            if not isinstance(known, int):
                continue
            least = lengths.least.get("x.0", 1)
            assert observed >= least
            told += 1
            exact = lengths.exact.get("x.0")
            for n in range(least, 9) if exact is None else (exact,):
                assert len(range(n)[start:stop:step]) == known, (start, stop, step, n)
    assert told > 500
