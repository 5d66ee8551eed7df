"""SciPy's means and moments of samples."""

import numpy as np
import pytest
from scipy import stats

from srcgrad import check, grad, tape
from srcgrad.errors import MissingFormulaError
from srcgrad.runtime.scipy.stats import moments
from tests.formulas.checking import positive
from tests.rotation import highest

CASES = [
    ("zscore", {}),
    ("zscore", {"axis": 1, "ddof": 1}),
    ("zscore", {"axis": None}),
    ("gmean", {}),
    ("gmean", {"axis": 1, "weights": positive(3, 4)}),
    ("hmean", {"axis": None}),
    ("hmean", {"keepdims": True}),
    ("skew", {}),
    ("skew", {"axis": 1, "bias": False}),
    ("kurtosis", {"fisher": False}),
    ("kurtosis", {"axis": 1, "bias": False}),
    ("sem", {}),
    ("sem", {"axis": None, "ddof": 0}),
    ("moment", {"order": 3}),
    ("moment", {"order": 2, "axis": 1, "center": 0.5}),
    ("variation", {"ddof": 1}),
]


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
@pytest.mark.one_of(2)
def test_samples(name, options):
    """The numbers are SciPy's, and the slopes agree with differences."""
    f, x = getattr(stats, name), positive(3, 4)
    own = getattr(moments, name)(x, **options)
    np.testing.assert_allclose(own, f(x, **options), rtol=1e-12)
    check(lambda x: np.sum(f(x, **options) ** 2), x, order=highest(), rtol=1e-4)


def test_scores_by_another_sample():
    """Both samples have slopes."""
    np.testing.assert_allclose(
        moments.zmap(positive(5), positive(4)), stats.zmap(positive(5), positive(4))
    )
    check(
        lambda x, y: np.sum(stats.zmap(x, y) ** 3),
        positive(5),
        positive(4),
        wrt=(0, 1),
        order=highest(),
    )


@pytest.mark.parametrize("policy", ["omit", "raise"])
@pytest.mark.parametrize("name", ["zscore", "skew", "kurtosis", "sem", "variation", "gmean"])
def test_policies(name, policy):
    """They are all one where nothing is nan; what is left out has the slope 0."""
    f, x = getattr(stats, name), positive(4)

    def total(x, policy=policy):
        return np.sum(f(x, nan_policy=policy) ** 3)

    slope = grad(total, recorded="allow")
    assert slope(x) == pytest.approx(grad(total, recorded="allow")(x, "propagate"))
    x[1] = np.nan
    if policy == "raise":
        with pytest.raises(ValueError, match="nan"):
            slope(x)
    elif name != "zscore":  # which gives a nan for a nan
        known = np.delete(x, 1)
        assert slope(x) == pytest.approx(np.insert(grad(total)(known, "propagate"), 1, 0.0))


@pytest.mark.parametrize("name", ["skew", "kurtosis", "sem", "variation", "gmean", "hmean"])
def test_samples_of_which_some_numbers_are_left_out(name):
    """Each row has as many numbers as are known of it."""
    f = getattr(stats, name)
    x = np.arange(1.0, 13.0).reshape(3, 4) ** 1.5
    x[0, 1] = x[2, 3] = np.nan
    slope = tape.grad(lambda x: np.sum(f(x, axis=1, nan_policy="omit")))(x)
    for k, row in enumerate(x):
        known = ~np.isnan(row)
        found = grad(lambda x: f(x))(row[known])
        np.testing.assert_allclose(slope[k][known], found, rtol=1e-9)
        assert np.all(slope[k][~known] == 0)


def test_weights_of_what_is_left_out():
    """They are refused, in the words of srcgrad."""
    x, w = np.array([1.0, np.nan, 3.0]), np.ones(3)
    for derivative in (grad, tape.grad):
        with pytest.raises(MissingFormulaError, match="weights"):
            derivative(lambda x: stats.gmean(x, weights=w, nan_policy="omit"))(x)


def test_options_that_are_not_differentiated():
    """They are refused, and those that are the default make no difference."""
    x = np.array([1.0, 2.0, 4.0])
    expected = tape.grad(lambda x: stats.ttest_1samp(x, 0.0).statistic)(x)
    found = tape.grad(lambda x: stats.ttest_1samp(x, 0.0, nan_policy="propagate").statistic)(x)
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(MissingFormulaError, match="nan_policy="):
        tape.grad(lambda x: stats.ttest_1samp(x, 0.0, nan_policy="omit").statistic)(x)
