"""Arrays that are written under another name, in calls of libraries."""

import numpy as np
import pytest

from srcgrad import jvp, tape, vjp
from tests.in_memory import execute
from tests.rotation import by_turns

PREFACE = """
import copy, functools, heapq, itertools, operator, random
import numpy as np
import scipy.sparse.linalg
from scipy import (
    fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
)
T = np.array([0.0, 1.0, 2.0])

def f(x):
    h = np.ones(3)
    view = h[:]
    view[0] = x[0] * 1.1
    view[1] = x[1]
    view[2] = x[2] * x[0] / 4
    return """
CALLS = """
np.sum(np.random.default_rng(1).normal(loc=h))
optimize.root(lambda y,c: y**3+y-c, np.ones(3), args=(h,)).x.sum()
optimize.fsolve(lambda y,c: y**3+y-c, np.ones(3), args=(h,)).sum()
optimize.brentq(lambda y,c: y**3-c[0], 0., 5., args=(h,))
optimize.least_squares(lambda y,c: y**3+y-c, np.ones(3), args=(h,), xtol=1e-14).x.sum()
optimize.curve_fit(lambda t,a,b: a*t+b, T, h)[0].sum()
integrate.solve_ivp(lambda t,y: -y, (0,1), h, rtol=1e-10).y[:,-1].sum()
integrate.solve_ivp(lambda t,y,c: -y*c, (0,1), np.ones(3), args=(h,), rtol=1e-10).y[:,-1].sum()
integrate.odeint(lambda y,t: -y, h, np.linspace(0,1,3), rtol=1e-10)[-1].sum()
integrate.quad(lambda t,c: t*c[0], 0., 1., args=(h,))[0]
integrate.quad(lambda t: t**2, 0., h[1])[0]
integrate.trapezoid(h, T)
integrate.simpson(h, x=T)
integrate.cumulative_trapezoid(h, T).sum()
interpolate.interp1d(T, h)(0.7)
interpolate.CubicSpline(T, h)(0.7)
interpolate.PchipInterpolator(T, h)(0.7)
interpolate.CubicSpline(T, np.sin(T))(h/3).sum()
interpolate.UnivariateSpline(T, h, k=2, s=0)(0.7)
np.interp(0.7, T, h)
np.interp(h/3, T, np.sin(T)).sum()
stats.norm(h).logpdf(0.3).sum()
stats.norm(0.,h).logpdf(0.3).sum()
stats.norm.logpdf(h).sum()
stats.norm.logpdf(0.3, h).sum()
stats.norm.logpdf(0.3, loc=h).sum()
stats.norm(0.,1.).cdf(h).sum()
stats.multivariate_normal(h, np.eye(3)).logpdf(np.ones(3))
stats.multivariate_normal.logpdf(np.ones(3), mean=h)
stats.gaussian_kde(h)(0.3).sum()
stats.zscore(h)[0]
stats.gmean(h)
stats.entropy(h)
special.logsumexp(h)
special.softmax(h)[0]
linalg.solve(np.diag(h)+.1, np.ones(3)).sum()
linalg.toeplitz(h).sum()
linalg.expm(np.outer(h,h)*.01).sum()
linalg.lstsq(np.vander(T,2), h)[0].sum()
linalg.block_diag(h,h).sum()
signal.convolve(h,np.ones(2)).sum()
signal.lfilter([1.,.5],[1.,-.2],h).sum()
signal.hilbert(h).imag.sum()
signal.detrend(h)[0]
ndimage.gaussian_filter1d(h,1.)[0]
spatial.distance.cdist(h[None],np.ones((1,3)))[0,0]
fft.rfft(h).real.sum()
np.fft.fft(h).real[1]
sparse.diags(h).toarray().sum()
(sparse.eye(3)@h).sum()
sparse.linalg.spsolve(sparse.csc_matrix(np.eye(3)*2.), h).sum()
sparse.csr_matrix(np.outer(h,h)).sum()
functools.reduce(operator.add, h)
sum(h)
max(h)
min(h)*2
sorted(h)[0]
list(map(lambda v: v*v, h))[0]
sum(itertools.accumulate(h))
sum(v*w for v,w in zip(h,reversed(h)))
sum(v*k for k,v in enumerate(h))
copy.copy(h)[0]*2
copy.deepcopy(h)[0]*2
copy.deepcopy([h])[0][0]*2
heapq.nsmallest(2,h)[1]
heapq.nlargest(1,h)[0]
np.apply_along_axis(lambda r: r.sum()*r[0], 0, h[:,None]).sum()
np.vectorize(lambda v: v*v)(h).sum()
np.fromiter((v for v in h), float).sum()
np.array(list(h)).sum()
np.array([h,h]).sum()
np.frompyfunc(lambda v: v*v,1,1)(h).sum()
np.einsum('i,i->',h,h)
np.polyval(h,0.5)
np.poly1d(h)(0.5)
np.polynomial.Polynomial(h)(0.5)
np.polyfit(T,h,1).sum()
np.cov(h)*1.0
np.histogram(T,weights=h,bins=2)[0][0]
np.bincount([0,1,1],weights=h)[1]
np.select([T>0,T>1],[h,h*2])[1]
np.piecewise(h,[h>2],[lambda v: v*2, lambda v: v*3]).sum()
np.choose([0,1,0],[h,h*2]).sum()
np.block([h,h]).sum()
np.r_[h,h].sum()
np.c_[h,h][0,1]
np.ix_(h)[0].sum()
np.meshgrid(h,h)[0].sum()
np.array_split(h,2)[0].sum()
np.nditer(h).value*1.0
next(iter(h))*2
[*h][1]
dict(enumerate(h))[1]
tuple(h)[1]
random.Random(1).choice(h)
random.Random(1).sample(list(h),2)[0]
float(h[0])*x[0]
h.item(1)
h.tolist()[1]
h.dot(h)
h.take([1])[0]
h.astype(float)[1]
h.__getitem__(1)
h.view()[1]
np.ndarray.sum(h)
np.ndarray.__add__(h,1.)[0]
operator.itemgetter(1)(h)
operator.methodcaller('sum')(h)
getattr(h,'sum')()
np.random.default_rng(3).normal(h).sum()
np.random.default_rng(3).normal(loc=h).sum()
np.random.default_rng(3).permutation(h)[0]
np.random.default_rng(3).choice(h, 2, replace=False)[0]
optimize.minimize(lambda y, c: np.sum((y - c) ** 2) + np.sum(y**2), np.zeros(3), args=(h,)).x.sum()
optimize.minimize_scalar(lambda y, c: np.sum((y - c) ** 2) + y**2, args=(h,)).x
""".strip().splitlines()
POINT = np.array([1.3, 2.7, 3.5])
DIRECTION = np.array([1.0, 2.0, -1.0])


def function(call):
    """Return the function of a program with a call."""
    source, name = PREFACE + call + "\n", f"<hidden {call}>"
    space = execute(source, name, {"__name__": "hidden"})
    return space["f"]


MODES = {
    "tape": lambda f: tape.grad(f)(POINT.copy()) @ DIRECTION,
    "vjp": lambda f: vjp(f, POINT.copy(), recorded="allow")[1](1.0) @ DIRECTION,
    "jvp": lambda f: jvp(f, (POINT.copy(),), (DIRECTION,), recorded="allow")[1],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [pytest.param(c, marks=pytest.mark.one_of(4)) for c in CALLS])
def test_what_another_name_wrote(call):
    """Is differentiated: the array itself was made of constants."""
    f = function(call)
    h = 1e-4
    expected = (f(POINT + h * DIRECTION) - f(POINT - h * DIRECTION)) / (2 * h)
    for mode in by_turns(call, list(MODES)):
        np.testing.assert_allclose(MODES[mode](f), expected, rtol=3e-4, atol=1e-5)
