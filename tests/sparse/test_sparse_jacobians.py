"""Sparse Jacobians and Hessians are the dense ones, also where a pattern is used again."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse

from srcgrad import grad, hessian, jacobian, source
from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.sparse import Sparsity, SparsityWarning
from tests.programs.table import programs

X = np.linspace(0.5, 1.6, 12)


def stencil(x, k=1.0):
    u = x.reshape(2, -1)
    out = np.zeros_like(u)
    out[:, 1:-1] = k * (u[:, 2:] - 2 * u[:, 1:-1] + u[:, :-2])
    out[0] += u[0] * np.exp(-u[1])
    return out.ravel()


def joined(x):
    return np.concatenate((x[:-1] * x[1:], [np.sum(x**2)], np.ones(2)))


def turned(x):
    return x[np.argsort(-x)] * x[0]


def looped(x):
    out = []
    for k in range(len(x) - 1):
        out.append(x[k] * x[k + 1])
    return np.array(out)


def written(x):
    y = x.copy()
    y[::2] = y[1::2] ** 2
    y[3] += y[0]
    return y


def multiplied(x):
    return BAND @ x + x @ BAND.toarray() * x


BAND = sparse.diags_array([np.ones(11), np.full(12, 2.0)], offsets=[1, 0]).tocsr()
FUNCTIONS = [stencil, joined, turned, looped, written, multiplied, np.diff, np.gradient]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_jacobian(f):
    """It has the dense numbers, whatever the function does with its entries."""
    f = f if f.__module__ == __name__ else (lambda x, own=f: own(x))
    made = jacobian(f, sparse=True)(X)
    assert sparse.issparse(made)
    np.testing.assert_allclose(made.toarray(), jacobian(f)(X), rtol=1e-13, atol=1e-13)


def test_a_stencil_takes_few_products():
    """As many as a row has entries, and not one for each unknown."""
    pattern = jacobian(stencil, sparse=True).pattern(X)
    assert pattern.columns.max() + 1 <= 6
    assert pattern.matrix.nnz == np.count_nonzero(jacobian(stencil)(X))


def test_options_and_positions():
    """Arguments are given by position or by name."""
    made = jacobian(stencil, wrt="x", sparse=True)
    np.testing.assert_array_equal(made(X, 2.0).toarray(), made(x=X, k=2.0).toarray())


def test_precision_and_numbers():
    """The dtype is that of the dense derivative; a number is a row or a column."""
    assert jacobian(stencil, sparse=True)(X.astype(np.float32)).dtype == np.float32
    assert jacobian(lambda x: x * X, sparse=True)(2.0).shape == (12, 1)
    assert jacobian(lambda x: np.sum(x**2), sparse=True)(X).toarray().tolist() == [[*(2 * X)]]
    assert jacobian(lambda x: np.ones(3), sparse=True)(X).nnz == 0
    assert jacobian(lambda x: 2 * x, sparse=True)(np.ones(0)).shape == (0, 0)
    assert jacobian(lambda x: 1j * x, sparse=True)(X).dtype == complex


def branching(x):
    return x**2 if x[0] > 0 else x * x[::-1]


def indexed(x):
    return x[np.argsort(x)]


MOVING = {"table": np.arange(12)}


def from_outside(x):
    return x[MOVING["table"]] ** 2


@pytest.mark.parametrize("f", [branching, indexed], ids=lambda f: f.__name__)
def test_the_pattern_is_that_of_the_call(f):
    """Without a pattern that was given, each call follows the branches that it takes."""
    made = jacobian(f, sparse=True)
    for x in (X, -X, X[::-1]):
        np.testing.assert_array_equal(made(x).toarray(), jacobian(f)(x))


@pytest.mark.parametrize("f", [branching, indexed], ids=lambda f: f.__name__)
def test_a_pattern_that_does_not_hold_is_found_again(f):
    """A branch or an index array may be another one than where it was found."""
    reused = jacobian(f, sparse=jacobian(f, sparse=True).pattern(X))
    with pytest.warns(SparsityWarning, match=f"given for {f.__name__} does not hold"):
        made = reused(-X)
    np.testing.assert_array_equal(made.toarray(), jacobian(f)(-X))


def test_a_pattern_that_state_changes():
    """What the function reads from outside is another thing later."""
    reused = jacobian(from_outside, sparse=jacobian(from_outside, sparse=True).pattern(X))
    MOVING["table"] = np.arange(12)[::-1]
    try:
        with pytest.warns(SparsityWarning):
            made = reused(X)
        np.testing.assert_array_equal(made.toarray(), jacobian(from_outside)(X))
    finally:
        MOVING["table"] = np.arange(12)


def test_one_entry_that_is_missing_is_seen():
    """Whichever it is, in Jacobians and in Hessians."""
    whole = jacobian(stencil, sparse=True).pattern(X).matrix.tocoo()
    for k in range(whole.nnz):
        kept = np.arange(whole.nnz) != k
        coords = tuple(part[kept] for part in whole.coords)
        part = sparse.coo_array((whole.data[kept], coords), whole.shape)
        with pytest.warns(SparsityWarning):
            made = jacobian(stencil, sparse=part)(X)
        np.testing.assert_allclose(made.toarray(), jacobian(stencil)(X), rtol=1e-13)


def test_a_pattern_with_more_entries():
    """It is no reason to warn, and the numbers are zero there."""
    made = jacobian(stencil, sparse=sparse.csr_array(np.ones((12, 12))))(X)
    np.testing.assert_allclose(made.toarray(), jacobian(stencil)(X), rtol=1e-13)


def test_nothing_is_compared_where_that_is_said():
    """An unchecked pattern is taken at its word."""
    wrong = Sparsity(sparse.csr_array(np.eye(12, dtype=bool))).unchecked()
    assert jacobian(branching, sparse=wrong)(-X).nnz == 12


def test_what_is_unknown_is_dense_and_said():
    """A function without a known structure couples all that it is given."""

    def solved(x):
        return np.linalg.solve(np.eye(6) + np.diag(x[:6]), x[6:])

    with pytest.warns(SparsityWarning, match="the structure of solve is not known"):
        made = jacobian(solved, sparse=True)(X)
    np.testing.assert_allclose(made.toarray(), jacobian(solved)(X), rtol=1e-12, atol=1e-14)


def noisy(x):
    return x * np.random.normal(size=x.shape)  # noqa: NPY002 - the state is the point


def test_a_function_with_effects_runs_once():
    """Pattern and products are of the same run, as the random numbers show."""
    np.random.seed(3)  # noqa: NPY002
    made = jacobian(noisy, sparse=True)(X)
    np.random.seed(3)  # noqa: NPY002
    np.testing.assert_allclose(made.diagonal(), noisy(np.ones(12)), rtol=1e-15)


def energy(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.sum(np.cos(x) * x[0])


def grid(x):
    u = x.reshape(3, 4)
    return np.sum((u[1:] - u[:-1]) ** 4) + np.sum((u[:, 1:] * u[:, :-1]) ** 2)


@pytest.mark.parametrize("f", [energy, grid, np.sum])
def test_hessian(f):
    """It has the dense numbers, and is symmetric to the last bit."""
    f = f if getattr(f, "__module__", "") == __name__ else (lambda x, own=f: own(x))
    made = hessian(f, sparse=True)(X)
    np.testing.assert_allclose(made.toarray(), hessian(f)(X), rtol=1e-12, atol=1e-12)
    assert abs(made - made.T).nnz == 0


def test_an_arrow_takes_two_products():
    """A star colouring tells an entry from the one across the diagonal."""

    def arrow(x):
        return np.sum(x[1:] ** 3) * x[0]

    made = hessian(arrow, sparse=True)
    assert made.pattern(X).star.max() == 1
    np.testing.assert_allclose(made(X).toarray(), hessian(arrow)(X), rtol=1e-13)


def test_a_hessian_with_a_pattern():
    """It is tested like that of a Jacobian; half of it is enough."""
    pattern = hessian(energy, sparse=True).pattern(X)
    half = sparse.triu(pattern.matrix)
    for given in (pattern, half):
        made = hessian(energy, sparse=given)(X)
        np.testing.assert_allclose(made.toarray(), hessian(energy)(X), rtol=1e-12, atol=1e-12)
    with pytest.warns(SparsityWarning):
        made = hessian(energy, sparse=sparse.eye_array(12))(X)
    np.testing.assert_allclose(made.toarray(), hessian(energy)(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: jacobian(stencil, wrt=("x", "k"), sparse=True), "wrt names several"),
        (lambda: jacobian(stencil, sparse=3), "no pattern"),
        (lambda: jacobian(stencil, sparse=True)(np.arange(12)), "ndarray of int64"),
        (lambda: jacobian(lambda x: x, sparse=True)(X * 1j), "of complex128"),
        (lambda: jacobian(lambda x: (x, x), sparse=True)(X), "returns several"),
        (lambda: jacobian(lambda d: d["a"], sparse=True)({"a": X}), "'d' is a dict"),
        (lambda: jacobian(lambda x: x, sparse=BAND)(X[1:]), "the pattern has 12 columns"),
        (lambda: jacobian(lambda x: x[1:], sparse=BAND)(X), "the pattern has 12 rows"),
        (lambda: hessian(energy, has_aux=True, sparse=True), "returns one number"),
    ],
)
def test_refused(ask, words):
    """What a sparse derivative is not for is said by name."""
    with pytest.raises(ArgumentError, match=words):
        ask()


def inner(x):
    return np.sum(jacobian(stencil, sparse=True)(x).data)


@pytest.mark.parametrize("recorded", ["allow", "refuse"])
def test_a_sparse_derivative_is_not_differentiated(recorded):
    """It is refused, in text and on the tape, and never a dense one instead."""
    with pytest.raises((ArgumentError, MissingFormulaError)):
        grad(inner, recorded=recorded)(X)


def test_it_is_one_of_constants_inside_of_a_recorded_function():
    """There its matrix is a constant like any other."""

    def product(x, at):
        return np.sum(jacobian(stencil, sparse=True)(at) @ x)

    expected = jacobian(stencil)(X).sum(axis=0)
    np.testing.assert_allclose(grad(product, recorded="allow")(X, X), expected, rtol=1e-12)


def test_pickles():
    """It goes to other processes, with its pattern."""
    made = jacobian(stencil, sparse=jacobian(stencil, sparse=True).pattern(X))
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again(X).toarray(), made(X).toarray())


def test_source_shows_the_loop():
    """The text is a loop over colours, around the code that runs."""
    made = jacobian(joined, sparse=True)
    made(X)
    text = source(made)
    assert "value_bar = (colours == colour)" in text
    assert "joined_backward(residuals, value_bar)" in text
    assert "def energy_hessian(x, *, colours):" in source(hessian(energy, sparse=True))


def arrays_of_programs():
    """The programs that are differentiated with respect to one array, one by one."""
    for case in programs():
        args = case.make_args()
        for place in case.wrt:
            x = args[place]
            if isinstance(x, np.ndarray) and x.dtype.kind == "f":
                yield pytest.param(case, place, id=f"{case.name}-{place}")


@pytest.mark.one_of(120)
@pytest.mark.parametrize(("case", "place"), list(arrays_of_programs()))
def test_programs(case, place):
    """The sparse Hessian of a program is its dense one."""
    dense = hessian(case.fn, place, recorded="allow")(*case.make_args())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = hessian(case.fn, place, recorded="allow", sparse=True)(*case.make_args())
    count = np.size(case.make_args()[place])
    size = np.max(np.abs(dense), initial=0.0)
    np.testing.assert_allclose(
        made.toarray(), np.reshape(dense, (count, count)), rtol=1e-9, atol=1e-9 * size
    )
