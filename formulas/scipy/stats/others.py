"""Functions of SciPy's statistics that are written down in Python, or have no slope."""

from __future__ import annotations

from scipy import stats

from srcgrad.registry import in_python, nondifferentiable
from srcgrad.runtime.scipy.stats import comparisons, moments

for name in ["zscore", "zmap", "gmean", "hmean", "skew", "kurtosis", "sem", "moment", "variation"]:
    in_python(getattr(stats, name), getattr(moments, name))

_COMPARING = """
linregress pearsonr entropy ttest_1samp ttest_rel ttest_ind iqr median_abs_deviation gstd circmean
circvar circstd boxcox_llf wasserstein_distance
"""
for name in _COMPARING.split():
    in_python(getattr(stats, name), getattr(comparisons, name))

nondifferentiable(stats.rankdata, stats.spearmanr, stats.kendalltau, stats.mannwhitneyu)
