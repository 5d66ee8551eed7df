"""Data in which values are missing, as nans: what leaves them out, in every mode.

The numbers are those of the same program on data without the missing values.
"""

import numpy as np
import pytest

from srcgrad import grad, hvp, jacfwd, jacobian, jacrev, jvp, tape, vjp
from tests.rotation import by_turns, has_its_turn

X = np.array([1.0, 2.0, 3.0, 0.5])
D = np.array([1.0, np.nan, 2.0, 0.3])
KNOWN = ~np.isnan(D)
MODELS = {
    "product": lambda w, d: w * d,
    "line": lambda w, d: w * (X if d.size == 4 else X[KNOWN]) - d,
    "square": lambda w, d: (w * (X if d.size == 4 else X[KNOWN]) - d) ** 2,
    "exponential": lambda w, d: np.exp(-w * d) * d,
    "power": lambda w, d: d**w,
    "root": lambda w, d: np.sqrt(w * d) * d,
    "fraction": lambda w, d: d / (w + d),
    "in place": lambda w, d: _in_place(w, d),
    "by a function": lambda w, d: _scaled(d, w),
}
LEAVING_OUT = {
    "nansum": np.nansum,
    "nanmean": np.nanmean,
    "nanmax": np.nanmax,
    "nanmin": lambda r: np.nanmin(r * r),
    "nanmedian": np.nanmedian,
    "nanpercentile": lambda r: np.nanpercentile(r, 30.0),
    "nan_to_num": lambda r: np.sum(np.nan_to_num(r)),
    "where": lambda r: np.sum(np.where(np.isnan(r), 0.0, r)),
    "where in nansum": lambda r: np.nansum(np.where(np.isnan(r), 0.0, r * r)),
    "finite": lambda r: np.sum(np.where(np.isfinite(r), r * r, 0.0)),
    "mask": lambda r: np.sum(r[~np.isnan(r)] ** 2),
    "where option": lambda r: np.sum(r * r, where=~np.isnan(r)),
    "loop": lambda r: sum(v * v for v in r if not np.isnan(v)),
    "assignment": lambda r: _filled(r),
}


def _in_place(w, d):
    y = d * w
    y *= w
    return y


def _scaled(d, w):
    return w * d * np.exp(w)


def _filled(r):
    filled = r * 1.0
    filled[np.isnan(filled)] = 0.0
    return np.sum(filled * filled)


MODES = {
    "grad": lambda f, w: grad(f, recorded="allow")(w),
    "speed": lambda f, w: grad(f, recorded="allow", optimize="speed")(w),
    "vjp": lambda f, w: vjp(f, w, recorded="allow")[1](1.0),
    "jvp": lambda f, w: jvp(f, (w,), (1.0,), recorded="allow")[1],
    "jacobian": lambda f, w: jacobian(f, recorded="allow")(w),
    "jacfwd": lambda f, w: jacfwd(f, recorded="allow")(w),
    "jacrev": lambda f, w: jacrev(f, recorded="allow")(w),
    "tape": lambda f, w: tape.grad(f)(w),
}
CASES = [f"{model}, {way}" for model in MODELS for way in LEAVING_OUT]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("case", [case for case in CASES if has_its_turn(case, 8)])
def test_slopes_of_what_is_there(case):
    """First and second derivatives do not see what is left out."""
    name, _, way = case.partition(", ")
    model, left = MODELS[name], LEAVING_OUT[way]
    expected = grad(lambda w: left(model(w, D[KNOWN])), recorded="allow")
    with np.errstate(all="ignore"):
        for mode in by_turns(case, list(MODES)):
            found = MODES[mode](lambda w: left(model(w, D)), 1.5)
            np.testing.assert_allclose(found, expected(1.5), rtol=1e-12, err_msg=mode)
        second = hvp(lambda w: left(model(w, D)), recorded="allow")(1.5, 1.0)
    slope = (expected(1.5 + 1e-5) - expected(1.5 - 1e-5)) / 2e-5
    np.testing.assert_allclose(second, slope, rtol=1e-5, atol=1e-6)
