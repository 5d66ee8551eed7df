"""Fits of lines, tests and distances of samples of SciPy's."""

import numpy as np
import pytest
from scipy import stats

from srcgrad import check, grad
from srcgrad.errors import SrcgradError
from tests.formulas.checking import positive
from tests.rotation import highest

X, Y = positive(6), 1.3 * positive(3, 2).ravel() + 0.2
CASES = {
    "linregress": lambda x, y: sum(stats.linregress(x, y)) + stats.linregress(x, y).slope,
    "pearsonr": lambda x, y: stats.pearsonr(x, y)[0] + stats.pearsonr(x, y).pvalue,
    "entropy": lambda x, y: stats.entropy(x, y) + stats.entropy(x, base=2),
    "ttest_1samp": lambda x, y: sum(stats.ttest_1samp(x, 1.0)) + np.sum(y),
    "ttest_rel": lambda x, y: sum(stats.ttest_rel(x, y)),
    "ttest_ind": lambda x, y: sum(stats.ttest_ind(x, y)),
    "spread": lambda x, y: stats.iqr(x) + stats.median_abs_deviation(y) * stats.gstd(x),
    "directions": lambda x, y: stats.circmean(x, 180.0, 0.0) * stats.circvar(y) + stats.circstd(x),
    "boxcox_llf": lambda x, y: stats.boxcox_llf(0.3, x) + np.sum(y),
    "wasserstein_distance": lambda x, y: stats.wasserstein_distance(x, y),
    "ranks": lambda x, y: stats.spearmanr(x, y)[0] * x[0] + stats.kendalltau(x, y)[0] * y[1],
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.one_of(2)
def test_samples(name):
    """The numbers are SciPy's, and the slopes agree with differences, at both orders."""
    check(CASES[name], X, Y, wrt=(0, 1), order=highest(), rtol=1e-4, recorded="allow")


def test_unequal_variances():
    """The probability depends on a number of degrees of freedom, in which it has no formula."""
    with pytest.raises(SrcgradError):
        grad(lambda x: stats.ttest_ind(x, Y, equal_var=False).pvalue, recorded="allow")(X)
