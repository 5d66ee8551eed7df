"""Products with SciPy's sparse matrices, and solving equations with them."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg
from srcgrad.formulas import load

from srcgrad import check, grad, jvp
from srcgrad.errors import UnresolvedCallError, UnsupportedSyntaxError
from srcgrad.testing import check_orders
from tests.formulas.checking import case, check_case, normal
from tests.rotation import highest

load("scipy.sparse.linalg")

ROWS = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0]])
WIDE = sparse.csr_array(ROWS)
MATRIX = sparse.csr_matrix(ROWS)
SQUARE = sparse.csc_matrix(np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [0.5, 0.0, 4.0]]))
SYMMETRIC = (SQUARE.T @ SQUARE).tocsr()
LOWER = sparse.csr_matrix(np.tril(SQUARE.toarray()))

CASES = [
    *(case(linalg.spsolve, SQUARE, b) for b in (normal(3), normal(3, 2))),
    case(linalg.spsolve, SQUARE, normal(3), permc_spec="NATURAL"),
    *(case(linalg.spsolve_triangular, LOWER, b) for b in (normal(3), normal(3, 2))),
    case(linalg.spsolve_triangular, LOWER.T.tocsr(), normal(3), lower=False),
    case(linalg.cg, SYMMETRIC, normal(3), rtol=1e-13),
    case(linalg.cg, SYMMETRIC, normal(3), np.array([1, 2, 3]), rtol=1e-13, maxiter=50),
]


@pytest.mark.parametrize("c", CASES, ids=lambda c: c.target.__name__)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def of_array(x):
    """A product with a sparse array."""
    return np.sum((WIDE @ x) ** 2)


def of_matrix(x):
    """A product with a sparse matrix."""
    return np.sum((MATRIX @ x) ** 2)


def from_the_right(x):
    """A product with a transposed sparse matrix."""
    return np.sum((x.T @ WIDE.T) ** 2)


def by_method(x):
    """A product by the method dot."""
    return np.sum(WIDE.T.dot(WIDE.dot(x)) ** 2)


def with_products_of_both(x):
    """A product of sparse matrices, and one of a product that is constant."""
    weights = MATRIX @ np.ones(3)
    return np.sum((SQUARE.T @ SQUARE @ x) ** 2) * np.sum(weights * 2.0)


def with_entries(x):
    """Constants that are read off sparse matrices."""
    return np.sum(SQUARE.diagonal() * x.T * SQUARE[0, 0]) + np.sum(MATRIX.toarray() * x.T[..., :1])


def made_inside(x):
    """A sparse matrix that is made in the function."""
    second = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(3, 3))
    return np.sum((second @ x) ** 2)


@pytest.mark.parametrize(
    "f",
    [of_array, of_matrix, from_the_right, by_method, with_products_of_both, with_entries,
     made_inside],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_products(f, shape):
    """A product with a constant matrix is linear."""
    check(f, normal(*shape), order=highest())


@pytest.mark.parametrize("matrix", [WIDE, MATRIX, MATRIX.tocsc(), MATRIX.tocoo(), ROWS])
def test_as_an_argument(matrix):
    """The matrix may be an argument that is not differentiated; the code fits its kind."""

    def f(x, a):
        return np.sum((a @ x) ** 2)

    x = normal(3)
    dense = ROWS
    np.testing.assert_allclose(grad(f)(x, matrix), 2 * dense.T @ (dense @ x))
    np.testing.assert_allclose(jvp(f, (x, matrix), (x, None))[1], 2 * (dense @ x) @ (dense @ x))


def scaled(x):
    return np.sum(MATRIX * x)


def scaled_by_argument(x, a):
    return np.sum(a * x)


def scaled_when_made(x):
    return np.sum(sparse.eye(3) * x)


def scaled_when_turned(x):
    return np.sum(x * SQUARE.T)


def scaled_when_indexed(x):
    return np.sum(SQUARE[:2] * x)


def scaled_when_joined(x):
    return np.sum((SQUARE.T @ SQUARE).tocsr() * x)


def by_function(x):
    return np.sum(np.dot(MATRIX, x))


def summed(x):
    return np.sum(SQUARE + x)


@pytest.mark.parametrize(
    "f",
    [scaled, scaled_when_made, scaled_when_turned, scaled_when_indexed, scaled_when_joined,
     by_function, summed],
)  # fmt: skip
def test_other_operations_are_refused(f):
    """The star is a product for some sparse matrices, and none for others."""
    with pytest.raises(UnsupportedSyntaxError, match="a sparse matrix in this operation"):
        grad(f)(normal(3))


def test_argument_is_refused():
    """Code that was generated for an array does not serve a sparse matrix."""
    x = normal(3)
    g = grad(scaled_by_argument)
    np.testing.assert_allclose(g(x, ROWS), ROWS.sum(axis=0))
    with pytest.raises(UnsupportedSyntaxError, match="a sparse matrix in this operation"):
        g(x, MATRIX)


def test_elementwise_method():
    """The method multiply is not followed."""
    with pytest.raises(UnresolvedCallError, match="multiply"):
        grad(lambda x: np.sum(MATRIX.multiply(x)))(normal(3))


def test_active_matrix():
    """Sparse matrices are constants."""
    with pytest.raises(UnsupportedSyntaxError, match="as A of"):
        grad(lambda x: np.sum(linalg.spsolve(np.outer(x, x), x)))(normal(3))


def test_either_of_two():
    """A matrix that is one of two is a sparse one, too."""

    def f(x, flag):
        a = SQUARE if flag else SYMMETRIC[:2]
        return np.sum(a * x)

    with pytest.raises(UnsupportedSyntaxError, match="a sparse matrix in this operation"):
        grad(f)(normal(3), True)


def test_solutions_of_constants():
    """A solution is an array, also where nothing in it is differentiated."""

    def of_both(x):
        return np.sum(linalg.spsolve(SQUARE, np.ones(3)) * linalg.spsolve(SQUARE, x) ** 2)

    check(of_both, normal(3), order=highest())
    assert check_orders(linalg.spsolve, SQUARE, normal(3)) == 2
