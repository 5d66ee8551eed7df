"""The formulas of SciPy's matrix decompositions."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, source, vjp
from srcgrad.errors import MissingFormulaError, ResultError
from srcgrad.testing import check_orders
from tests.formulas.checking import case, definite, formula_test, normal, normal_complex
from tests.rotation import highest

load("scipy.linalg")

CASES = [
    *(case(linalg.qr, normal(*s), mode="economic") for s in ((3, 3), (4, 2), (2, 4))),
    case(linalg.qr, normal(3, 3)),
    *(
        case(linalg.qr, normal(*s), mode="economic", pivoting=True)
        for s in ((3, 3), (4, 2), (2, 4))
    ),
    case(linalg.qr, normal(4, 2), mode="r", pivoting=True),
    case(linalg.qr, normal(2, 3, 3), mode="economic", pivoting=True),
    *(case(linalg.qr, normal_complex(*s), mode="economic") for s in ((3, 3), (4, 2), (2, 4))),
    case(linalg.svd, normal(3, 3), lapack_driver="gesvd"),
    case(linalg.svd, normal_complex(3, 4), compute_uv=False),
    case(linalg.svd, normal(3, 3)),
    *(case(linalg.svd, normal(*s), full_matrices=False) for s in ((4, 3), (3, 4))),
    case(linalg.svd, normal(3, 4), compute_uv=False),
    case(linalg.svdvals, normal(3, 4)),
]

test_formula = formula_test(CASES)


def polar_factors(a):
    """Depends on both factors of both polar decompositions."""
    u, p = linalg.polar(a)
    p2, u2 = linalg.polar(a.T, "left")[1], linalg.polar(a.T, side="left")[0]
    return np.sum(u**3) + np.sum(p**2 * p2[0]) + np.sum(p2**3) + np.sum(u2**2 * u.T)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2)])
def test_polar(shape):
    """The derivative is that of both factors, of square and of tall matrices."""
    check(polar_factors, normal(*shape), order=highest())


def test_polar_of_a_wide_matrix():
    """A singular factor is refused."""
    with pytest.raises(ValueError, match="other side"):
        grad(lambda a: np.sum(linalg.polar(a)[1] ** 3))(normal(2, 4))


@pytest.mark.one_of(3)
@pytest.mark.parametrize("c", [c for c in CASES if c.target in (linalg.qr, linalg.svd)], ids=str)
def test_orders(c):
    """Second derivatives agree in all modes."""
    assert check_orders(c.target, *c.args, **c.options) == 2


def test_added_columns_have_no_second_derivative():
    """The slope in a weight of a column that was added is nan, not 0."""
    x, w = normal(3, 2), np.array([1.0, 2.0, 0.0])

    def of_columns(x, w):
        return np.sum(w * linalg.qr(x)[0] ** 3)

    def twice(w):
        return np.sum(grad(of_columns)(x, w) ** 2)

    slope = grad(twice)(w)
    assert np.isfinite(slope[:2]).all()
    assert np.isnan(slope[2])


def of_singular_vectors(a):
    """Does not depend on the phases of singular vectors."""
    u, s, vh = linalg.svd(a, full_matrices=False)
    low_rank = (u[:, :2] * s[:2]) @ vh[:2]
    return np.sum(np.abs(low_rank) ** 3) + np.sum(s**3)


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_complex_svd(shape):
    """The derivative is that of what does not depend on the phases."""
    check(of_singular_vectors, normal_complex(*shape), order=highest())


@pytest.mark.parametrize("mode", ["full", "economic"])
def test_tall(mode):
    """What is there in every mode of a tall matrix has derivatives in all of them."""

    def of_r(a):
        return np.sum(linalg.qr(a, mode=mode)[-1][:2] ** 3)

    check(of_r, normal(4, 2), order=highest())


def of_r_alone(a):
    """Depends on r of several matrices, which SciPy gives by itself."""
    return np.sum(linalg.qr(a, mode="r")[0, :2] ** 3)


def of_r_in_a_tuple(a):
    """Depends on r of one matrix, which SciPy gives in a tuple."""
    (r,) = linalg.qr(a, mode="r")
    return np.sum(np.abs(r) ** 3)


def of_r_in_many_ways(a):
    """Reads the tuple in other ways."""
    z = linalg.qr(a, mode="r")
    total = np.sum(np.abs(z[0]) ** 3) + np.abs(linalg.qr(2 * a, mode="r")[-1][0, 1]) ** 2
    for r in linalg.qr(a, mode="r"):
        total += np.sum(np.abs(r) ** 4)
    return total + np.sum(np.abs(alone(a)[0]) ** 2)


def alone(a):
    """Returns the tuple."""
    return linalg.qr(a, mode="r")


def of_pivoted_r(a):
    """Depends on r of a matrix whose columns are put in another order."""
    r, _ = linalg.qr(a, mode="r", pivoting=True)
    return np.sum(np.abs(r) ** 3)


def test_r_alone():
    """The mode "r" of several matrices."""
    check(of_r_alone, normal(2, 4, 2), order=highest())


@pytest.mark.one_of(6)
@pytest.mark.parametrize("made", [normal, normal_complex])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
@pytest.mark.parametrize("f", [of_r_in_a_tuple, of_r_in_many_ways, of_pivoted_r])
def test_r_of_one(f, shape, made):
    """The mode "r" of one matrix, in all modes, to second order."""
    a, a_dot = made(*shape), made(*shape)[::-1]
    check(f, a, order=highest())
    slope, second = vjp(grad(f), a)
    np.testing.assert_allclose(jvp(f, (a,), (a_dot,))[1], np.real(np.sum(slope * a_dot)))
    along = jvp(grad(f), (a,), (a_dot,))[1]
    np.testing.assert_allclose(np.sum(along * a_dot), np.sum(second(a_dot) * a_dot))


def test_value_is_a_tuple():
    """What is returned as a tuple of one array stays one, and so does its tangent."""
    a = normal(3, 2)
    (value,), (dot,) = jvp(alone, (a,), (a,))
    np.testing.assert_allclose(dot, value, atol=1e-12)


@pytest.mark.parametrize("pivoting", [False, True])
def test_raw(pivoting):
    """What depends on how LAPACK computes it is refused."""

    def raw(a):
        return np.sum(linalg.qr(a, mode="raw", pivoting=pivoting)[1] ** 3)

    with pytest.raises(MissingFormulaError, match="economic"):
        grad(raw)(normal(3, 2))


@pytest.mark.parametrize("shape", [(2, 3, 3), (2, 4, 2)])
def test_several_polar(shape):
    """Polar decompositions of several matrices at once."""

    def factors(a):
        u, p = linalg.polar(a)
        return np.sum(u**3) + np.sum(p**4)

    check(factors, normal(*shape), order=highest())


def of_added_columns(a):
    """Depends on the columns that are added to q."""
    return np.sum(linalg.qr(a)[0] ** 3)


def of_added_vectors(a):
    """Depends on the vectors that are added to those of singular values."""
    u, _, vh = linalg.svd(a)
    return np.sum(u**3) + np.sum(vh**3)


def of_thin_factors(a):
    """Depends on what is there without added columns."""
    q, r = linalg.qr(a)
    return np.sum(np.abs(q[:, :2]) ** 3) + np.sum(np.abs(r) ** 3)


def of_thin_vectors(a):
    """Depends on what is there without added vectors."""
    u, s, vh = linalg.svd(a)
    return np.sum(np.abs((u[:, :2] * s) @ vh[:2]) ** 3) + np.sum(np.abs(u[:, :2]) ** 4)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("made", [normal, normal_complex])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
@pytest.mark.parametrize("f", [of_thin_factors, of_thin_vectors])
def test_full_forward(f, shape, made):
    """What does not depend on added columns has tangents, and so have its gradients."""
    a, a_dot = made(*shape), made(*shape)[::-1]
    slope, second = vjp(grad(f), a)
    np.testing.assert_allclose(jvp(f, (a,), (a_dot,))[1], np.real(np.sum(slope * a_dot)))
    along = jvp(grad(f), (a,), (a_dot,))[1]
    np.testing.assert_allclose(np.sum(along * a_dot), np.sum(second(a_dot) * a_dot))
    back = grad(lambda a: jvp(f, (a,), (a_dot,))[1])(a)
    np.testing.assert_allclose(np.sum(back * a_dot), np.sum(along * a_dot))


@pytest.mark.parametrize("f", [of_added_columns, of_added_vectors])
def test_full_forward_of_added_columns(f):
    """A column that was added has no derivative, and what depends on it is refused."""
    a = normal(4, 2)
    with pytest.raises(ResultError, match=r"economic|full_matrices"):
        jvp(f, (a,), (a,))
    with pytest.raises(ValueError, match=r"economic|full_matrices"):
        grad(f)(a)
    value, dot = jvp(lambda a: linalg.qr(a, mode="economic")[1], (a,), (a,))
    np.testing.assert_allclose(dot, value, atol=1e-12)


def test_lengths_are_known():
    """Results of SciPy have known shapes, so that nothing needs to be summed to their shape."""

    def cubes(a, b):
        return np.sum(linalg.solve(a, b) ** 3) + np.sum(linalg.qr(a)[1] ** 2)

    g = grad(cubes, wrt=(0, 1))
    g(definite(3, 3), normal(3))
    text = source(g)
    assert "unbroadcast" not in text
    assert "np.swapaxes" not in text
