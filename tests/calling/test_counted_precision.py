"""Truth values and whole numbers times numbers of Python's widen no gradient."""

import numpy as np
import pytest

from srcgrad import grad, hvp, tape, vjp

X = np.array([0.4, -0.7, 0.9, 0.25], np.float32)
PROGRAMS = {
    "maximum": lambda x, n: np.sum(np.maximum(x, 0.0)),
    "minimum": lambda x, n: np.sum(np.minimum(x, 0.25)) * (1 + n),
    "clip": lambda x, n: 2.0 * np.sum(np.clip(x, 0.0, 0.5)),
    "gate": lambda x, n: np.sum(x * (x > 0)) * 0.5 * n,
    "pairs": lambda x, n: np.sum(np.minimum.outer(x, x)),
    "both": lambda x, n: np.sum(np.maximum(x, x[::-1])) / n,
    "counted": lambda x, n: np.sum((x + n) ** 2) * n,
    "between": lambda x, n: np.sum(x[1:] * np.maximum(x[:-1] @ x[1:], 0.0)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("n", [2, np.int8(2), np.int64(3)], ids=["int", "int8", "int64"])
@pytest.mark.one_of(2)
def test_gradients_stay_in_single_precision(name, n):
    """Gradients, products and those of the tape have the precision of the argument."""
    f = PROGRAMS[name]
    value = f(X, n)
    found = [grad(f)(X, n), tape.grad(f)(X, n), hvp(f)(X, n, X)]
    if value.dtype == X.dtype:
        found.append(vjp(f, X, n)[1](value))
    assert [part.dtype for part in found] == [X.dtype] * len(found)


def test_the_kind_of_a_whole_number_changes_between_calls():
    """Code for a number of Python's serves one of NumPy's as well."""
    g = grad(PROGRAMS["counted"])
    for n in (2, np.int8(3), np.int64(2), 2):
        assert g(X, n).dtype == X.dtype
