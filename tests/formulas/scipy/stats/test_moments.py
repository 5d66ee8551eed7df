"""SciPy's means and moments of samples."""

import numpy as np
import pytest
from scipy import stats

from srcgrad import check, grad
from srcgrad.errors import SrcgradError
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
    """They are all one where nothing is nan, and refused where numbers are left out."""
    f, x = getattr(stats, name), positive(4)

    def total(x, policy=policy):
        return np.sum(f(x, nan_policy=policy) ** 3)

    slope = grad(total, recorded="allow")
    assert slope(x) == pytest.approx(grad(total, recorded="allow")(x, "propagate"))
    x[1] = np.nan
    with pytest.raises((SrcgradError, NotImplementedError, ValueError)):
        slope(x)
