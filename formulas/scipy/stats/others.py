"""Functions of SciPy's statistics that are written down in Python, or have no slope."""

from __future__ import annotations

from scipy import stats

from srcgrad.registry import in_python, nondifferentiable
from srcgrad.runtime.scipy import moments

for name in ["zscore", "zmap", "gmean", "hmean", "skew", "kurtosis", "sem", "moment", "variation"]:
    in_python(getattr(stats, name), getattr(moments, name))

nondifferentiable(stats.rankdata)
