"""The formula of Einstein sums."""

import numpy as np
import pytest
from srcgrad.formulas import load
from srcgrad.formulas.numpy.einsum import adjoint_subscripts, explicit

from srcgrad.registry import find_formula
from tests.formulas.checking import case, formula_test, normal, positive

load("numpy")

CASES = [
    case(np.einsum, "ij,jk->ik", normal(2, 3), normal(3, 4)),
    case(np.einsum, "ij,jk", normal(2, 3), normal(3, 4)),
    case(np.einsum, "ba,cb", normal(3, 2), normal(4, 3)),
    case(np.einsum, "i,i", normal(3), positive(3)),
    case(np.einsum, " i , j -> j i ", normal(2), normal(3)),
    case(np.einsum, "ij->ji", normal(2, 3)),
    case(np.einsum, "ij->", normal(2, 3)),
    case(np.einsum, "ij->j", normal(2, 3)),
    case(np.einsum, "ii", normal(3, 3)),
    case(np.einsum, "ii->i", normal(3, 3)),
    case(np.einsum, "iji->j", normal(3, 2, 3)),
    case(np.einsum, "ii,i->i", normal(3, 3), normal(3)),
    case(np.einsum, "iij,jk->k", normal(3, 3, 2), normal(2, 4)),
    case(np.einsum, "ij,k->k", normal(2, 3), normal(4)),
    case(np.einsum, "bi,bj,ij->b", normal(5, 2), normal(5, 3), normal(2, 3)),
    case(np.einsum, "ij,ij,jk->ik", normal(2, 3), positive(2, 3), normal(3, 4)),
    case(np.einsum, "...ij,...jk->...ik", normal(5, 2, 3), normal(5, 3, 4)),
    case(np.einsum, "...ij,jk->...ik", normal(5, 2, 3), normal(3, 4)),
    case(np.einsum, "...ij,...jk->...ik", normal(5, 1, 2, 3), normal(6, 3, 4)),
    case(np.einsum, "...ij,...jk", normal(2, 3), normal(5, 3, 4)),
    case(np.einsum, "i...,i...->...", normal(3, 2), positive(3, 2)),
    case(np.einsum, "...i->...", normal(2, 3)),
    case(np.einsum, "...->...", normal(2, 3)),
    case(np.einsum, "...ii->...i", normal(2, 3, 3)),
    case(np.einsum, "ij,ij->i", normal(1, 3), normal(2, 3)),
    case(np.einsum, "iij,ij->ij", normal(2, 2, 1), normal(2, 4)),
    case(np.einsum, "ij,jk,kl->il", normal(2, 3), normal(3, 4), normal(4, 2), optimize=True),
]

test_formula = formula_test(CASES)


def test_repeated_summed_label():
    """A summed axis of length 1 that NumPy repeats is an error, no wrong number."""
    z, backward = find_formula(np.einsum)("ij,jk->ik", normal(2, 1), normal(3, 4))
    with pytest.raises(ValueError, match="reshape"):
        backward(z)


@pytest.mark.parametrize(
    ("subscripts", "k", "expected"),
    [
        ("ij,jk->ik", 0, "ik,jk->ij"),
        ("ij,jk->ik", 1, "ij,ik->jk"),
        ("ij,jk", 0, "ik,jk->ij"),
        ("ij->", 0, "->"),
        ("ii->i", 0, "i->i"),
    ],
)
def test_adjoint_subscripts(subscripts, k, expected):
    """The result's labels and those of one operand change places."""
    assert adjoint_subscripts(subscripts, k) == expected


@pytest.mark.parametrize(
    ("subscripts", "ranks", "expected"),
    [
        ("ba", None, (("ba",), "ab")),
        ("bb", None, (("bb",), "")),
        ("...b,b", (3, 1), (("acb", "b"), "ac")),
        ("...b,...->...b", (1, 2), (("b", "ac"), "acb")),
        ("...b,...->...b", (2, 3), (("db", "acd"), "acdb")),
    ],
)
def test_explicit(subscripts, ranks, expected):
    """Ellipses and a missing result are written out in letters."""
    assert explicit(subscripts, ranks) == expected
