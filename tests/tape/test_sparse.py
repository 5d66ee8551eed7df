"""Sparse matrices that are made of what is differentiated."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

import srcgrad
from srcgrad import tape
from srcgrad.errors import MissingFormulaError, SrcgradError

CONSTANT = sparse.csr_matrix(np.arange(16.0).reshape(4, 4) % 3)
UNITS = np.eye(4)


def diagonals(x):
    """Solve with diagonals."""
    A = sparse.diags([x + 3, -x[1:], -x[:-1]], [0, 1, -1], format="csc")
    return np.sum(linalg.spsolve(A, x**2) ** 2)


def one_number_per_diagonal(x):
    """Spread numbers along diagonals."""
    A = sparse.diags([x[0], 2.0, x[1]], [-1, 0, 1], shape=(4, 4)).tocsr()
    return np.sum((A @ x) ** 2)


def sums_and_products(x):
    """Do arithmetic with a constant matrix."""
    A = sparse.coo_matrix((x, ([0, 1, 2, 3], [1, 2, 0, 3]))).tocsr()
    B = (A + CONSTANT).T @ A * 2.0 - A / x[0] + CONSTANT @ A
    return np.sum(B.toarray() ** 3) + np.sum(B.diagonal())


def filled_in_a_loop(x):
    """Set entries, and solve with a part."""
    K = sparse.lil_matrix((5, 5))
    for i in range(4):
        K[i, i] += x[i]
        K[i + 1, i + 1] += x[i] * 2
        K[i, i + 1] -= x[i]
        K[i + 1, i] -= x[i]
    K = K.tocsr()
    free = np.arange(1, 5)
    return np.sum(linalg.spsolve(K[free][:, free], np.ones(4)) ** 2) + K[0, 0] ** 2


def functions_of_matrices(x):
    """Take the exponential and the inverse."""
    A = sparse.diags([x, x[1:] / 3], [0, 1], format="csc")
    return linalg.expm(A).sum() + np.sum(linalg.inv(A) @ x) + linalg.expm_multiply(A, x) @ x


def scaled(x):
    """Return an operator that depends on numbers."""

    def times(v):
        return x * v.ravel() + 0.1 * v.ravel()[::-1]

    return linalg.LinearOperator((4, 4), matvec=times, rmatvec=times, dtype=float)


def operators(x):
    """Apply operators, and what is made of them."""
    A = scaled(x)
    B = 2 * A - A * x[0] + A.H @ A + A**2 + (-A)
    both = np.sum(B.matvec(x) ** 2) + np.sum(A.T @ x) + np.sum(A @ np.outer(x, x))
    return both + np.sum(A.dot(np.eye(4)) * x) + np.sum(A.rmatvec(x)) + np.sum(A.rmatmat(UNITS))


def operators_of_matrices(x):
    """Apply operators that are made of matrices."""
    A = linalg.aslinearoperator(sparse.diags(x))
    B = linalg.aslinearoperator(np.outer(x, x))
    C = linalg.aslinearoperator(linalg.aslinearoperator(CONSTANT))
    assert isinstance(A, linalg.LinearOperator)
    return np.sum((2 * A + B.T + C)(np.ones(4)) ** 2) * A.shape[0]


def iterations_with_operators(x):
    """Solve with operators, and with one that makes it faster."""
    A, d = scaled(x), x * 1.0
    one, _ = linalg.cg(A, x**2, rtol=1e-13)
    other, _ = linalg.gmres(A, UNITS[0], rtol=1e-13)
    near = linalg.LinearOperator((4, 4), matvec=lambda v: v / d)
    last, _ = linalg.cg(sparse.csr_array(np.diag(x) + 0.1), x, M=near, rtol=1e-13)
    held = linalg.LinearOperator((4, 4), matvec=lambda v: np.arange(1.0, 5.0) * v)
    constant, _ = linalg.cg(held, np.ones(4), rtol=1e-13)
    largest = linalg.eigsh(held, k=1, return_eigenvectors=False)[0]
    return np.sum(one**2 + last**2) + np.sum(other * x) + constant @ x * largest


def dense(x):
    """Make a sparse array of an array."""
    A = sparse.csr_array(np.outer(x, x))
    v = x @ A
    return v @ v + np.sum(A.diagonal() ** 2) + A.sum() ** 2 + np.sum(A.sum(axis=0) ** 2)


def blocks(x):
    """Put matrices beside and above others."""
    lower = [sparse.eye(4), sparse.diags(x[::-1])]
    A = sparse.bmat([[sparse.diags(x), None], lower]).tocsr()
    B = sparse.vstack([A, sparse.csr_matrix(np.concatenate([x, x])[None, :])])
    return np.sum(B.dot(np.concatenate([x, x])) ** 3) + np.sum(A.multiply(A).toarray())


def changed_in_place(x):
    """Multiply in place."""
    A = sparse.csr_matrix((x, np.arange(4), np.arange(5)))
    A *= x[0]
    return np.sum((A @ np.ones((4, 2))) ** 2) if A.nnz == 4 else 0.0


def stored_numbers(x):
    """The numbers that a matrix stores, in other formats, of products, and summed."""
    places = np.array([2, 0, 1, 0]), np.array([0, 2, 1, 0])
    A = sparse.csc_matrix((x, places), shape=(3, 3))
    B = sparse.coo_matrix((x, ([0, 0, 1, 2], [1, 1, 2, 0])), shape=(3, 3))
    total = np.sum(B.data**2 * x[::-1]) + np.sum(B.tocsr().data ** 3)
    B.sum_duplicates()
    square = A @ A
    return total + np.sum(A.data * x) + np.sum(square.data**2) + np.sum(A.T.data ** B.data[0])


def by_diagonals(x):
    """Matrices that are stored by diagonals, of which some entries stand outside."""
    A = sparse.dia_matrix((np.stack((x, x**2)), [0, 1]), shape=(4, 4))
    B = sparse.dia_array((x[:3], [-1]), shape=(3, 3))
    return np.sum((A @ x) ** 2) + np.sum(A.T.toarray() ** 2) + np.sum((B.tocsr() @ x[1:]) ** 2)


PROGRAMS = [
    stored_numbers, by_diagonals, diagonals, one_number_per_diagonal, sums_and_products,
    filled_in_a_loop, dense, blocks, changed_in_place, functions_of_matrices, operators,
    operators_of_matrices, iterations_with_operators,
]  # fmt: skip
X = np.array([1.0, 2.0, 0.5, 1.5])


def slopes(f):
    """Return central differences."""
    h = 1e-6
    return np.array([(f(X + h * unit) - f(X - h * unit)) / (2 * h) for unit in UNITS])


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    """Values and derivatives of both orders, in both modes, are those of Python."""
    value, found = tape.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
    np.testing.assert_allclose(found, slopes(f), rtol=1e-5)
    second = srcgrad.hessian(f, recorded="allow")(X)
    np.testing.assert_allclose(second, slopes(tape.grad(f)), rtol=1e-4, atol=1e-5)
    moved = srcgrad.jvp(f, (X,), (UNITS[1],), recorded="allow")[1]
    np.testing.assert_allclose(moved, found[1], rtol=1e-8)


class Model:
    """An object that keeps its matrix."""

    matrix = None


def test_an_object_keeps_the_matrix():
    """What is stored is a matrix of SciPy's afterwards."""
    model = Model()

    def f(x):
        model.matrix = sparse.csr_matrix((x, (np.arange(4), np.arange(4))))
        return np.sum(model.matrix @ x)

    np.testing.assert_allclose(tape.grad(f)(X), 2 * X)
    assert type(model.matrix) is sparse.csr_matrix

    def g(x):
        model.matrix = linalg.aslinearoperator(CONSTANT)
        return np.sum(model.matrix @ x)

    np.testing.assert_allclose(tape.grad(g)(X), CONSTANT.T @ np.ones(4))
    assert not type(model.matrix).__module__.startswith("srcgrad")
    np.testing.assert_allclose(model.matrix @ X, CONSTANT @ X)

    tape.grad(f)(X)
    np.testing.assert_array_equal(model.matrix.toarray(), np.diag(X))


class Own(linalg.LinearOperator):
    """An operator of a class of its own."""

    def __init__(self, x):
        self.x = x
        super().__init__(float, (4, 4))

    def _matvec(self, v):
        return v * 2.0


@pytest.mark.parametrize(
    "use",
    [
        lambda A, x: A.tobsr((2, 2)).data,
        lambda A, x: sparse.dia_matrix((np.stack((x, x)), [0, 1]), shape=(4, 4)).data,
        lambda A, x: A.sum(axis=0),
        lambda A, x: A.max(),
        lambda A, x: linalg.spilu(A.tocsc()).solve(x),
        lambda A, x: linalg.splu(A.tocsc()).L.toarray(),
        lambda A, x: linalg.cg(A, x, maxiter=1)[0],
        lambda A, x: linalg.cg(linalg.aslinearoperator(A), x, maxiter=1)[0],
        lambda A, x: linalg.cg(Own(x), x)[0],
        lambda A, x: linalg.eigs(A, k=1)[0],
        lambda A, x: linalg.eigsh(linalg.aslinearoperator(A), k=1)[0],
        lambda A, x: linalg.lsqr(linalg.LinearOperator((4, 4), lambda v: v, lambda v: v), x)[0],
        lambda A, x: linalg.expm_multiply(CONSTANT, x),
        lambda A, x: A + np.ones((4, 4)),
        lambda A, x: np.exp(A.toarray()) + np.asarray(A.todense()),
        lambda A, x: linalg.norm(A, 1),
    ],
)
def test_what_is_not_followed(use):
    """An error says what to write."""

    def f(x):
        return np.sum(use(sparse.csr_matrix((x, (np.arange(4), np.arange(4)))), x))

    with pytest.raises(MissingFormulaError):
        tape.grad(f)(X)


def shared_with_an_array(x):
    """The numbers of a matrix are those of an array, which is written."""
    y = x * 2.0
    A = sparse.csr_matrix((y, np.arange(4), np.arange(5)))
    y[0] = x[1]
    return np.sum((A @ np.ones(4)) ** 2)


def written_by_item(x):
    """A number is written where the matrix stores it."""
    A = sparse.csr_matrix((x, (np.arange(4), np.arange(4))))
    A.data[0] = x[1]
    return np.sum((A @ np.ones(4)) ** 2)


def stored_anew(x):
    """The numbers that are stored are replaced."""
    A = sparse.csr_matrix((x, (np.arange(4), np.arange(4))))
    A.data = x**2
    return np.sum((A @ np.ones(4)) ** 2)


@pytest.mark.parametrize("f", [shared_with_an_array, written_by_item, stored_anew])
def test_writes_to_numbers_that_a_matrix_stores(f):
    """The matrix would have other numbers than those that were recorded."""
    with pytest.raises(SrcgradError):
        tape.grad(f)(X)


def data_assigned(A, x):
    """The entries of a constant matrix are replaced."""
    A.data = A.data * x[0]


def multiplied(A, x):
    """A constant matrix, which may have other names, is multiplied in place."""
    A *= x[0]


def entry_assigned(A, x):
    """An entry of a constant matrix is replaced."""
    A[0, 1] = x[0]


@pytest.mark.parametrize("write", [data_assigned, multiplied, entry_assigned])
def test_writes_to_constant_matrices(write):
    """What is differentiated does not become a part of a constant matrix unseen."""

    def f(x):
        A = CONSTANT.copy()
        write(A, x)
        return np.sum(A @ x)

    with pytest.raises(SrcgradError):
        tape.grad(f)(X)


def test_a_row_of_a_matrix():
    """The gradient of a product with a row of a constant matrix is an array, as text too."""
    gradient = srcgrad.grad(lambda x: np.sum(CONSTANT[1] @ x))(X)
    assert type(gradient) is np.ndarray
    np.testing.assert_array_equal(gradient, CONSTANT.toarray()[1])


# spectra


def banded(x):
    """Return a symmetric matrix of six rows, made of three numbers."""
    y = np.concatenate([x, 2 * x])
    return sparse.diags([y[1:], y * y + np.arange(6.0), y[1:]], [-1, 0, 1]).tocsr()


def smallest(x):
    """Eigenvalues."""
    return np.sum(linalg.eigsh(banded(x), k=2, which="SA", return_eigenvectors=False) ** 2)


def with_vectors(x):
    """Eigenvalues, and an eigenvector."""
    values, vectors = linalg.eigsh(banded(x), 2, v0=np.ones(6))
    return np.sum(values) * np.sum(vectors[:, 1] ** 4)


def singular(x):
    """Singular values, of a matrix that is not square."""
    return np.sum(linalg.svds(banded(x)[:, :5], k=2, return_singular_vectors=False) ** 3)


def with_singular_vectors(x):
    """Singular values, and vectors of both sides."""
    left, values, right = linalg.svds(banded(x)[:, :5], k=2, v0=np.ones(5))
    return np.sum(left**4) * values[0] + np.sum(right[1] ** 4)


@pytest.mark.parametrize("f", [smallest, with_vectors, singular, with_singular_vectors])
def test_spectra(f):
    """Eigenvalues, singular values and their vectors have all derivatives."""
    x = np.array([0.3, 0.5, 0.7])
    steps = 1e-5 * np.eye(3)
    expected = [(f(x + s) - f(x - s)) / 2e-5 for s in steps]
    gradient = tape.grad(f)
    np.testing.assert_allclose(gradient(x), expected, rtol=1e-6, atol=1e-7)
    second = [(gradient(x + s) - gradient(x - s)) / 2e-5 for s in steps]
    found = [tape.grad(lambda x, k=k: gradient(x)[k])(x) for k in range(3)]
    np.testing.assert_allclose(found, second, rtol=1e-5, atol=1e-6)
    _, dot = tape.jvp(f, (x,), (np.ones(3),))
    np.testing.assert_allclose(dot, np.sum(expected), rtol=1e-6, atol=1e-7)


def test_spectra_that_are_refused():
    """Values that are not apart have no derivative; other options are refused by name."""
    for f in (
        lambda x: linalg.eigsh(sparse.diags(x, 0).tocsr(), k=2, return_eigenvectors=False)[0],
        lambda x: linalg.svds(banded(x[:3]), k=2, return_singular_vectors="u")[1][0],
        lambda x: linalg.eigsh(banded(x[:3]), k=2, M=sparse.eye(6), return_eigenvectors=False)[0],
        lambda x: linalg.eigsh(sparse.diags([x, 3.0 * x[1:]], [0, 1]).tocsr(), k=1)[0][0],
        lambda x: linalg.lsqr(banded(x[:3]), np.ones(6))[0][0],
    ):
        with pytest.raises(MissingFormulaError):
            tape.grad(f)(np.ones(6))
