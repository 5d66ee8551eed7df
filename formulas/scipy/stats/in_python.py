"""SciPy's distributions that are written down in Python, by which they are differentiated."""

from __future__ import annotations

import types

from scipy import stats

from srcgrad.registry import in_python
from srcgrad.runtime.scipy.stats import extremes, kernels, priors, quantiles

for _module in (extremes, priors, quantiles):
    for _name, _own in vars(_module).items():
        _distribution, _, _method = _name.rpartition("_")
        if _distribution and isinstance(_own, types.FunctionType):
            if _own.__module__ == _module.__name__:
                in_python(getattr(getattr(stats, _distribution), _method), _own)

in_python(stats.gaussian_kde.evaluate, kernels.kernel_density)
in_python(stats.gaussian_kde.pdf, kernels.kernel_pdf)
in_python(stats.gaussian_kde.logpdf, kernels.kernel_log_density)
