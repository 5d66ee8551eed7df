"""SciPy's distributions as objects, which are not followed."""

from __future__ import annotations

from scipy import stats
from srcgrad.formulas.scipy import named

from srcgrad.registry import refused

refused("give the parameters to its methods: norm.logpdf(x, loc, scale)", *named(stats, (
    "norm t chi2 gamma beta expon uniform laplace logistic lognorm cauchy poisson binom bernoulli "
    "multivariate_normal dirichlet"
)))  # fmt: skip
