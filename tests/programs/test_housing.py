"""The derivatives of a program are the same wherever its statements stand."""

import itertools

import numpy as np
import pytest

from srcgrad import value_and_grad
from tests import finite_differences as fd
from tests.housing import HOUSES, rehoused
from tests.programs.table import programs

pytestmark = pytest.mark.filterwarnings("ignore")

CASES = [
    pytest.param(case, house, id=f"{case.name}-{house}")
    for case, house in itertools.product(programs(), HOUSES)
    if not case.vector
]


@pytest.mark.one_of(480)
@pytest.mark.parametrize(("case", "house"), CASES)
def test_statements_in_other_places(case, house):
    """Value and gradient are those of the function as it is written."""
    moved = rehoused(case.fn, house)
    if moved is None:
        return
    expected = value_and_grad(case.fn, wrt=case.wrt, recorded="allow")(*case.make_args())
    found = value_and_grad(moved, wrt=case.wrt, recorded="allow")(*case.make_args())
    pairs = zip(fd.numbers(found), fd.numbers(expected), strict=True)
    for number, wanted in pairs:
        np.testing.assert_allclose(number, wanted, rtol=1e-9, atol=1e-9)
