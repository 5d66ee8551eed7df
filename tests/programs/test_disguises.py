"""The derivatives of a program are the same when its statements are written in other ways."""

import numpy as np
import pytest

from srcgrad import jvp, vjp
from tests import finite_differences as fd
from tests.disguises import disguised
from tests.programs.table import programs

pytestmark = pytest.mark.filterwarnings("ignore")

SEEDS = range(4)
CASES = [
    pytest.param(case, seed, id=f"{case.name}-{seed}") for case in programs() for seed in SEEDS
]


@pytest.mark.one_of(96)
@pytest.mark.parametrize(("case", "seed"), CASES)
def test_statements_in_other_words(case, seed):
    """Value, cotangents and tangents are those of the function as it is written."""
    other = disguised(case.fn, seed)
    if other is None:
        return
    args = case.make_args()
    moving = {k: fd.random_like(args[k], np.random.default_rng(8)) for k in case.wrt}
    tangents = tuple(moving.get(k) for k in range(len(args)))
    try:
        value = other(*case.make_args())
    except NameError:  # a walrus or a local function has moved into another scope
        return

    def derivatives(fn):
        value, backward = vjp(fn, *case.make_args(), wrt=case.wrt, recorded="allow")
        bars = backward(fd.random_like(value, np.random.default_rng(3)))
        return value, bars, jvp(fn, case.make_args(), tangents, recorded="allow")[1]

    expected, found = derivatives(case.fn), derivatives(other)
    np.testing.assert_allclose(fd.numbers(found[0])[0], fd.numbers(value)[0], rtol=1e-9)
    for number, wanted in zip(fd.numbers(found), fd.numbers(expected), strict=True):
        np.testing.assert_allclose(number, wanted, rtol=1e-8, atol=1e-8)
