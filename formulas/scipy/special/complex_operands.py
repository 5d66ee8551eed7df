"""SciPy's special functions whose derivative is that of the complex function, too.

Where a function is differentiable in the complex sense, its formula holds as it stands.
The derivative of psi is known to SciPy for real numbers alone, so the second ones of the
functions that need it are refused.
"""

from __future__ import annotations

from scipy import special
from srcgrad.formulas.scipy import named

from srcgrad.registry import complex_too
from srcgrad.runtime.densities import mills_ratio, normal_density

complex_too(*named(special,
    "airy jv yv kv kve iv jvp yvp kvp ivp h1vp h2vp hankel1 hankel1e hankel2 hankel2e "
    "spherical_jn spherical_yn spherical_in spherical_kn exp1 expi shichi sici spence wrightomega "
    "lambertw xlogy xlog1py ndtr log_ndtr elliprc elliprd elliprf elliprg elliprj erf erfc erfcx "
    "erfi wofz dawsn fresnel hyp2f1 hyp1f1 hyp0f1 eval_laguerre eval_jacobi eval_genlaguerre "
    "assoc_laguerre softmax log_softmax gamma loggamma rgamma"
))  # fmt: skip
complex_too(mills_ratio, normal_density)
