"""SciPy's special functions that are constant, and those that are refused, and why."""

from __future__ import annotations

from scipy import special
from srcgrad.formulas.scipy import named

from srcgrad.registry import nondifferentiable, refused

NO_CLOSED_FORM = "its derivative has no closed form"
POLYNOMIAL = "its objects are not followed; use the function eval_... of the same family"
SETTINGS = "it has to do with settings, not with numbers"


# Of whole numbers only
nondifferentiable(*named(special,
    "bernoulli euler stirling2 round roots_legendre roots_chebyt roots_chebyu roots_chebyc "
    "roots_chebys roots_laguerre roots_hermite roots_hermitenorm roots_sh_legendre "
    "roots_sh_chebyt roots_sh_chebyu"
))  # fmt: skip

refused("use sph_harm_y", *named(special, "sph_harm"))
refused("use the function without _all at its end, for each order", *named(special,
    "sph_harm_y_all legendre_p_all assoc_legendre_p_all sph_legendre_p_all"
))  # fmt: skip
refused("use legendre_p or assoc_legendre_p, for each order", *named(special, "lpn lpmn clpmn"))
refused("use pbdv or pbvv, for each order", *named(special, "pbdn_seq pbdv_seq pbvv_seq"))
refused(NO_CLOSED_FORM, *named(special,
    "bdtrik bdtrin btdtria btdtrib fdtridfd gdtrib nbdtrik nbdtrin ncfdtr ncfdtri ncfdtridfd "
    "ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit pdtrik stdtridf chdtriv chndtridf "
    "kolmogorov kolmogi smirnov smirnovi zetac mathieu_a mathieu_b pro_cv obl_cv pro_cv_seq "
    "obl_cv_seq roots_jacobi roots_genlaguerre roots_gegenbauer roots_sh_jacobi "
    "ellip_harm ellip_harm_2 ellip_normal besselpoly mathieu_even_coef mathieu_odd_coef"
))  # fmt: skip
refused(POLYNOMIAL, *named(special,
    "legendre chebyt chebyu chebyc chebys jacobi laguerre genlaguerre hermite hermitenorm "
    "gegenbauer sh_legendre sh_chebyt sh_chebyu sh_jacobi"
))  # fmt: skip
refused(SETTINGS, *named(special,
    "errstate geterr seterr test SpecialFunctionError SpecialFunctionWarning"
))  # fmt: skip
refused("v tells how many orders it gives; use gamma(v + 1) * (2 / x)**v * jv(v, x)", *named(
    special, "lmbda"
))  # fmt: skip
refused("the slopes that SciPy gives are not those of its values", *named(special,
    "obl_rad2 obl_rad2_cv"
))  # fmt: skip
