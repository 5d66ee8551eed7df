"""Functions of SciPy's statistics that have no slope."""

from __future__ import annotations

from scipy import stats

from srcgrad.registry import nondifferentiable

nondifferentiable(stats.rankdata)
