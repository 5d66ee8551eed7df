"""The formulas of SciPy's distances between points."""

import numpy as np
import pytest
from scipy.spatial import distance
from srcgrad.formulas import load

from srcgrad import check, grad, source
from srcgrad.runtime.scipy import distances
from tests.formulas.checking import case, definite, formula_test, normal, positive
from tests.rotation import highest

load("scipy.spatial.distance")

CASES = [
    *(
        case(f, *points, metric=metric)
        for metric in ("euclidean", "sqeuclidean")
        for f, points in (
            (distance.cdist, (normal(4, 3), normal(5, 3))),
            (distance.pdist, (normal(4, 3),)),
        )
    ),
    case(distance.squareform, normal(6)),
]

test_formula = formula_test(CASES)


OPTIONS = {
    "cityblock": {},
    "chebyshev": {},
    "minkowski": {"p": 3},
    "cosine": {},
    "correlation": {},
    "canberra": {},
    "braycurtis": {},
    "seuclidean": {"V": positive(3)},
    "mahalanobis": {"VI": definite(3, 3)},
}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("metric", distances.METRICS)
def test_other_metrics(metric):
    """What is differentiated for other metrics gives SciPy's distances, and right slopes."""
    a, b = positive(4, 3), positive(5, 3)
    weighted = {} if metric in ("seuclidean", "mahalanobis") else {"w": positive(3)}
    for options in (OPTIONS[metric], weighted):
        both = distances.cdist(a, b, metric, **options)
        np.testing.assert_allclose(both, distance.cdist(a, b, metric, **options), rtol=1e-12)
        one = distances.pdist(a, metric, **options)
        np.testing.assert_allclose(one, distance.pdist(a, metric, **options), rtol=1e-12)

    given = OPTIONS[metric]

    def between(a, b):
        return np.sum(distance.cdist(a, b, metric, **given) ** 2)

    def among(a):
        return np.sum(distance.pdist(a, metric=metric, **given) ** 2)

    check(between, a, b, wrt=(0, 1), order=highest(), rtol=1e-4)
    check(among, a, order=highest(), rtol=1e-4)


def test_equal_points():
    """The slope of the distance of a point from itself is 0, at every order."""
    x = normal(4, 3)

    def energy(x):
        return np.sum(distance.cdist(x, x) ** 3)

    assert np.all(np.isfinite(grad(energy)(x)))
    assert np.all(grad(lambda y: distance.cdist(x[:1], y)[0, 0])(x[:1]) == 0)
    check(energy, x, order=highest())


def test_text_has_no_array_of_differences():
    """The gradient of Euclid's distances multiplies matrices."""

    def spread(x, y):
        return np.sum(distance.cdist(x, y))

    text = source(grad(spread), ranks={"x": 2, "y": 2})
    assert "term @ y" in text
    assert "None, :]" not in text


def test_matrix_to_vector():
    """A symmetric matrix gets a symmetric cotangent."""
    x = distance.squareform(normal(6))
    slope = grad(lambda x: np.sum(distance.squareform(x) ** 3))(x)
    np.testing.assert_allclose(slope, slope.T)
    np.testing.assert_allclose(slope, 1.5 * x**2)
