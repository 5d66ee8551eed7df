"""Every way to write into an array between two reads of it: seen, or refused.

The array has no derivative. A write that is not seen gives the second read the numbers of
the first, or the first those of the second, and so a wrong number without a word.
"""

import contextlib
import io
import warnings

import numpy as np
import pytest

from srcgrad import differentiate, grad
from srcgrad.errors import SrcgradError
from tests.finite_differences import gradient
from tests.in_memory import execute

HEAD = """
import array, collections, copy, ctypes, functools, heapq, itertools, operator, random, struct
import types
import numpy as np
import scipy.fft, scipy.linalg, scipy.ndimage as ndimage, scipy.signal, scipy.special as special
import scipy.spatial.distance as distance

class O:
    pass

class P:
    def __init__(self, w):
        self.w = w

class Q:
    __slots__ = ("w",)

def helper(v):
    v[0] = 9.
    return v

K = np.array([0.2, 0.5, 0.3])
M = np.array([[4., 1., 0.5], [1., 3., 0.2], [0.5, 0.2, 5.]])
B = np.array([[0., 1., 1.], [4., 4., 4.], [1., 1., 0.]])
"""
BETWEEN = """
def f(x, a):
    y = np.sum(a * x)
    WRITE
    return y + np.sum(a * x**2)
"""
LOOP = """
def f(x, a):
    y = 0.0
    for k in range(2):
        y = y + np.sum(a * x)
        WRITE
    return y + np.sum(a * x**2)
"""
WRITES = r"""
a[0] = 9.
a[:] = 2.
a[1:] = a[:-1]
a[...] = 3.
a += 1.
a -= 1.
a *= 2.
a /= 2.
a //= 2.
a **= 2
a %= 2.
a[0] += 1.
a[[0, 2]] += 1.
a[a > 1.] = 0.
v = a[1:]; v[0] = 9.
v = a[1:]; v += 1.
v = a.reshape(3, 1); v[0, 0] = 9.
v = a.view(); v[0] = 9.
v = a[::-1]; v[0] = 9.
v = np.asarray(a); v[0] = 9.
v = np.asanyarray(a); v[0] = 9.
v = np.ascontiguousarray(a); v[0] = 9.
v = np.atleast_1d(a); v[0] = 9.
v = np.atleast_2d(a); v[0, 0] = 9.
v = np.atleast_3d(a); v[0, 0, 0] = 9.
v = np.ravel(a); v[0] = 9.
v = a.ravel(); v[0] = 9.
v = np.squeeze(a); v[0] = 9.
v = np.transpose(a); v[0] = 9.
v = np.flip(a); v[0] = 9.
v = np.real(a); v[0] = 9.
v = a.real; v[0] = 9.
v = np.array(a, copy=False); v[0] = 9.
v = np.require(a); v[0] = 9.
v = np.broadcast_to(a, (3,)); v.flags.writeable
v = np.lib.stride_tricks.as_strided(a, (2,), (8,)); v[0] = 9.
v = np.lib.stride_tricks.sliding_window_view(a, 2, writeable=True); v[0, 0] = 9.
v = np.split(a, 3)[0]; v[0] = 9.
v = np.array_split(a, 2)[0]; v[0] = 9.
v, w = np.broadcast_arrays(a, np.ones(3)); w.sum()
v = np.frombuffer(a); v[0] = 9.
v = np.ndarray((3,), buffer=a); v[0] = 9.
v = memoryview(a); v[0] = 9.
v = a.data; v[0] = 9.
v = np.diagonal(np.diag(a)); v.sum()
v = np.nan_to_num(a, copy=False); v[0] = 9.
np.nan_to_num(a, copy=False)
a[0] = np.nan; np.nan_to_num(a, copy=False)
v = a.flat; v[0] = 9.
a.flat = 2.
a.flat[1] = 9.
a.fill(2.)
a.sort()
a.put(0, 9.)
a.itemset(0, 9.) if hasattr(a, "itemset") else a.fill(1.)
a.partition(1)
a.resize((3,), refcheck=False)
a.setfield(1, np.int32)
a.__setitem__(0, 9.)
a.__iadd__(1.)
a.__imul__(2.)
np.ndarray.__setitem__(a, 0, 9.)
np.ndarray.fill(a, 2.)
np.ndarray.sort(a)
np.ndarray.__iadd__(a, 1.)
np.copyto(a, 2.)
np.copyto(a, np.ones(3), where=np.array([True, False, True]))
np.copyto(dst=a, src=2.)
np.put(a, 0, 9.)
np.put(a, [0, 1], [9., 8.])
np.place(a, a > 1., [9.])
np.putmask(a, a > 1., 9.)
np.fill_diagonal(a.reshape(1, 3), 9.)
np.put_along_axis(a, np.array([0]), 9., 0)
np.random.seed(0); np.random.shuffle(a)
np.random.default_rng(0).shuffle(a)
random.Random(0).shuffle(a)
np.random.default_rng(0).standard_normal(out=a)
np.random.default_rng(0).random(out=a)
np.random.default_rng(0).standard_exponential(out=a)
np.random.default_rng(0).standard_gamma(2., out=a)
np.random.default_rng(0).permuted(a, out=a)
np.add(a, 1., a)
np.add(a, 1., out=a)
np.add(a, 1., out=(a,))
np.negative(a, a)
np.negative(a, out=a)
np.negative(a, out=(a,))
np.exp(a, a)
np.exp(a, out=a, where=np.array([True, False, True]))
np.add.at(a, [0, 1], 1.)
np.add.reduce(np.ones((2, 3)), 0, None, a)
np.add.reduce(np.ones((2, 3)), axis=0, out=a)
np.add.reduce(np.ones((2, 3)), axis=0, out=(a,))
np.add.accumulate(a, out=a)
np.add.accumulate(a, 0, None, a)
np.add.reduceat(np.ones(5), [0, 1, 2], out=a)
np.multiply.outer(np.ones(1), a, out=a.reshape(1, 3))
t = np.zeros(3); np.divmod(a, 2., out=(a, t))
t = np.zeros(3); np.divmod(a, 2., t, a)
t = np.zeros(3); np.modf(a, a, t)
t = np.zeros(3); np.modf(a, t, a)
t = np.zeros(3); np.modf(a, out=(t, a))
np.modf(a, out=(None, a))
t = np.zeros(3, dtype=np.int32); np.frexp(a, a, t)
np.sum(np.ones((2, 3)), 0, None, a)
np.sum(np.ones((2, 3)), axis=0, out=a)
np.mean(np.ones((2, 3)), axis=0, out=a)
np.max(np.ones((2, 3)), 0, a)
np.cumsum(a, out=a)
np.cumprod(a, 0, None, a)
np.clip(a, 0.5, 1.5, a)
np.clip(a, 0.5, 1.5, out=a)
a.clip(0.5, 1.5, a)
a.cumsum(out=a)
a.cumsum(0, None, a)
np.ones((2, 3)).sum(0, None, a)
np.ones((2, 3)).mean(axis=0, out=a)
np.ones((2, 3)).max(0, a)
np.take(a, [2, 1, 0], out=a, mode="clip")
np.take(a, [2, 1, 0], 0, a, "clip")
a.take([2, 1, 0], out=a, mode="clip")
np.compress([True, True, True], a * 2, out=a)
np.choose([0, 0, 0], [a * 2], out=a)
np.dot(M, a * 1., out=a)
np.dot(M, a * 1., a)
M.dot(a * 1., out=a)
np.matmul(M, a * 1., out=a)
np.einsum("ij,j->i", M, a * 1., out=a)
np.concatenate([a[:1], [1., 2.]], out=a)
np.stack([1., 2., 3.], out=a)
np.round(a, 0, a)
np.round(a, out=a)
a.round(0, a)
a.round(out=a)
np.fix(a, out=a)
np.fix(a, a)
np.median(np.ones((2, 3)), 0, a)
np.median(a, overwrite_input=True)
np.percentile(a, 50., overwrite_input=True)
np.quantile(np.ones((2, 3)), 0.5, axis=0, out=a)
np.nanmedian(a, overwrite_input=True)
np.nanmean(np.ones((2, 3)), 0, None, a)
np.var(np.ones((2, 3)), axis=0, out=a)
np.ptp(np.ones((2, 3)), 0, a)
np.trace(np.ones((2, 2, 3)), out=a)
np.outer(np.ones(1), a * 2, out=a.reshape(1, 3))
np.floor(a, out=(a,))
np.isfinite(a, out=(a,), casting="unsafe")
np.greater(a, 1., a)
special.expit(a, a)
special.expit(a, out=a)
special.expit(a, out=(a,))
special.gamma(a, out=a)
special.erf(a, a)
t = np.zeros(3); special.sici(a, a, t)
t = np.zeros(3); special.sici(a, out=(a, t))
t = np.zeros(3); special.shichi(a, t, a)
special.zeta(a + 2., out=a)
special.zeta(a + 2., None, a)
special.xlog1py(a, a, out=(a,))
scipy.linalg.solve_triangular(M, a, overwrite_b=True)
scipy.linalg.solve_triangular(M, a, 0, False, False, True)
scipy.linalg.solve(M, a, overwrite_b=True)
scipy.linalg.solve(M, a, False, True)
scipy.linalg.solve(M, b=a, overwrite_b=1)
m = np.diag(a); scipy.linalg.inv(m, overwrite_a=True)
scipy.linalg.inv(a[:1].reshape(1, 1), overwrite_a=True)
c = scipy.linalg.cho_factor(M); scipy.linalg.cho_solve(c, a, overwrite_b=True)
c = scipy.linalg.cho_factor(M); scipy.linalg.cho_solve(c, a, True)
c = scipy.linalg.lu_factor(M); scipy.linalg.lu_solve(c, a, overwrite_b=True)
c = scipy.linalg.lu_factor(M); scipy.linalg.lu_solve(c, a, 0, True)
scipy.linalg.solve_banded((1, 1), B.copy(), a, overwrite_b=True)
m = np.array([[0.,1.,1.],[4.,4.,4.]]); scipy.linalg.solveh_banded(m, a, False, True)
scipy.linalg.lstsq(M, a, overwrite_b=True)
scipy.linalg.cholesky(a[:1].reshape(1, 1), overwrite_a=True)
scipy.linalg.det(a[:1].reshape(1, 1), overwrite_a=True)
scipy.linalg.qr(a.reshape(3, 1), overwrite_a=True)
scipy.linalg.svd(a.reshape(3, 1), overwrite_a=True)
scipy.linalg.lu_factor(a[:1].reshape(1, 1), overwrite_a=True)
flag = bool(a[0] > 0); scipy.linalg.solve(M, a, overwrite_b=flag)
opts = {"overwrite_b": True}; scipy.linalg.solve(M, a, **opts)
opts = {"out": a}; np.negative(a, **opts)
scipy.linalg.solve(M, *[a], overwrite_b=True)
g = np.negative; g(a, a)
g = functools.partial(np.negative, out=a); g(np.ones(3))
g = functools.partial(scipy.linalg.solve, overwrite_b=True); g(M, a)
ndimage.gaussian_filter1d(a, 1., output=a)
ndimage.gaussian_filter1d(a, 1., -1, 0, a)
ndimage.gaussian_filter(a, 1., output=a)
ndimage.gaussian_filter(a, 1., 0, a)
ndimage.convolve1d(a, K, output=a)
ndimage.convolve(a, K, a)
ndimage.correlate(a, K, output=a)
ndimage.correlate1d(a, K, -1, a)
ndimage.uniform_filter1d(a, 2, output=a)
ndimage.uniform_filter(a, 2, a)
ndimage.maximum_filter(a, 2, output=a)
ndimage.minimum_filter1d(a, 2, -1, a)
ndimage.median_filter(a, 3, output=a)
ndimage.percentile_filter(a, 20, 3, output=a)
ndimage.rank_filter(a, 1, 3, None, a)
ndimage.sobel(a, -1, a)
ndimage.laplace(a, a)
ndimage.prewitt(a, output=a)
ndimage.shift(a, 1., output=a)
ndimage.shift(a, 1., a)
ndimage.zoom(a, 1., a)
ndimage.spline_filter(a, 3, a)
ndimage.spline_filter1d(a, 3, -1, a)
ndimage.map_coordinates(a * 1., [[0., 1., 2.]], a)
ndimage.affine_transform(a * 1., [1.], output=a)
ndimage.grey_erosion(a, 2, output=a)
ndimage.generic_filter(a, np.max, 2, output=a)
ndimage.label(a, output=a)
ndimage.fourier_gaussian(a, 1., output=a)
ndimage.binary_fill_holes(a > 1., output=a) if False else a.fill(2.)
ndimage.distance_transform_edt(a > 1., distances=a)
ndimage.distance_transform_edt(a > 1., None, True, False, a)
scipy.fft.fft(a, overwrite_x=True)
scipy.fft.dct(a, overwrite_x=True)
scipy.fft.dct(a, 2, None, -1, None, True)
scipy.signal.detrend(a, overwrite_data=True)
scipy.signal.detrend(a, -1, "linear", 0, True)
distance.cdist(np.ones((1, 2)), np.ones((3, 2)) * 2, out=a.reshape(1, 3))
operator.setitem(a, 0, 9.)
operator.iadd(a, 1.)
operator.imul(a, 2.)
operator.delitem({"k": 1}, "k"); a[0] = 9.
exec("a[0] = 9.")
eval("a.fill(2.)")
helper(a)
v = helper(a)
helper(v=a)
[helper(a)]
(helper(a), 1)
{"k": helper(a)}
[helper(v) for v in [a]]
[helper(a) for _ in range(1)]
{k: helper(a) for k in range(1)}
for _ in [helper(a)]: pass
for v in [a]: v[0] = 9.
for v in (a, a): v += 1.
for k, v in enumerate([a]): v[0] = 9.
for k, v in {"w": a}.items(): v[0] = 9.
while helper(a)[0] < 1.: pass
if helper(a)[0] > 100.: pass
helper(a) if True else None
True and helper(a)
False or helper(a)
assert helper(a) is not None
(lambda v: helper(v))(a)
(lambda: helper(a))()
list(map(helper, [a]))
for _ in map(helper, [a]): pass
list(helper(v) for v in [a])
any(helper(v)[0] > 100. for v in [a])
sum(helper(v)[0] for v in [a])
sorted([a], key=lambda v: helper(v)[0])
max([a, a], key=lambda v: helper(v)[0])
next(iter([helper(a)]))
print(helper(a)[0], end="")
f"{helper(a)[0]}"
str(helper(a))
np.vectorize(lambda k: helper(a)[k])(0)
np.apply_along_axis(lambda v: helper(a), 0, np.ones(3))
np.fromfunction(lambda k: helper(a), (3,))
functools.reduce(lambda s, v: helper(v), [a, a])
functools.partial(helper, a)()
functools.partial(helper)(a)
o = O(); setattr(o, "w", a); o.w[0] = 9.
o = O(); vars(o)["w"] = a; o.w[0] = 9.
o = O(); o.__dict__["w"] = a; o.w[0] = 9.
o = O(); vars(o).update(w=a); o.w[0] = 9.
o = O(); object.__setattr__(o, "w", a); o.w[0] = 9.
o = O(); o.__setattr__("w", a); o.w[0] = 9.
o = types.SimpleNamespace(); setattr(o, "w", a); o.w[0] = 9.
o = types.SimpleNamespace(); vars(o)["w"] = a; o.w[0] = 9.
o = types.SimpleNamespace(w=a); o.w[0] = 9.
o = types.SimpleNamespace(); o.w = a; o.w[0] = 9.
o = types.SimpleNamespace(); object.__setattr__(o, "w", a); o.w[0] = 9.
o = Q(); o.w = a; o.w[0] = 9.
o = Q(); Q.w.__set__(o, a); o.w[0] = 9.
o = P(a); o.w[0] = 9.
o = P(a); helper(o.w)
o = P(a); getattr(o, "w")[0] = 9.
o = P(a); vars(o)["w"][0] = 9.
o = P(a); setattr(o, "w", o.w + 1.); helper(a)
o = P(np.ones(3)); o.__init__(a); o.w[0] = 9.
q = np.array([None], dtype=object); q[0] = a; q[0][0] = 9.
q = np.empty(1, dtype=object); q[0] = a; q[0][0] = 9.
q = np.empty(1, object); q[:] = [a]; q[0][0] = 9.
q = np.array([None]); q[0] = a; q[0][0] = 9.
q = np.full(1, None); q[0] = a; q[0][0] = 9.
q = np.empty(1, dtype=object); q.fill(a); q[0][0] = 9.
q = np.empty(1, dtype="O"); q[0] = a; v = q[0]; v += 1.
q = np.empty(1, dtype=object); q[0] = a; q += 1.
q = np.empty(1, dtype=object); q[0] = a; np.put(q, 0, None); helper(a)
q = [a]; q[0][0] = 9.
q = [None]; q[0] = a; q[0][0] = 9.
q = []; q.append(a); q[0][0] = 9.
q = []; q += [a]; q[0][0] = 9.
q = []; q.extend([a]); q[-1][0] = 9.
q = []; q.insert(0, a); q[0][0] = 9.
q = []; q[:] = [a]; q[0][0] = 9.
q = [a] * 2; q[1][0] = 9.
q = [[a]]; q[0][0][0] = 9.
q = list((a,)); q[0][0] = 9.
q = tuple([a]); q[0][0] = 9.
q = {"w": a}; q["w"][0] = 9.
q = {}; q["w"] = a; q["w"][0] = 9.
q = {}; q.update(w=a); q["w"][0] = 9.
q = {}; q.setdefault("w", a); q["w"][0] = 9.
q = {}; q.setdefault("w", a)[0] = 9.
q = dict(w=a); q["w"][0] = 9.
q = {**{"w": a}}; q["w"][0] = 9.
q = collections.OrderedDict(w=a); q["w"][0] = 9.
q = collections.defaultdict(list); q["w"].append(a); q["w"][0][0] = 9.
q = collections.deque([a]); q[0][0] = 9.
q = collections.deque(); q.append(a); q[0][0] = 9.
q = collections.deque(); q.appendleft(a); q.pop()[0] = 9.
q = collections.ChainMap({"w": a}); q["w"][0] = 9.
q = collections.UserList([a]); q[0][0] = 9.
q = collections.namedtuple("N", "w")(a); q.w[0] = 9.
q = []; heapq.heappush(q, (0, a)); q[0][1][0] = 9.
q = [(0, a)]; heapq.heappop(q)[1][0] = 9.
q = itertools.cycle([a]); next(q)[0] = 9.
q = iter([a]); next(q)[0] = 9.
q = itertools.repeat(a, 1); next(q)[0] = 9.
q = zip([a], [1]); next(q)[0][0] = 9.
q = copy.copy([a]); q[0][0] = 9.
q = copy.copy({"w": a}); q["w"][0] = 9.
q = copy.deepcopy([a]); q[0][0] = 9.
q = [a].copy(); q[0][0] = 9.
q = {"w": a}.copy(); q["w"][0] = 9.
q = operator.itemgetter(0)([a]); q[0] = 9.
q = operator.getitem([a], 0); q[0] = 9.
q = operator.attrgetter("w")(P(a)); q[0] = 9.
q = getattr(a, "fill"); q(2.)
q = a.fill; q(2.)
q = a.__setitem__; q(0, 9.)
q = operator.methodcaller("fill", 2.); q(a)
q = functools.partial(operator.setitem, a); q(0, 9.)
q = functools.lru_cache(lambda: a)(); q[0] = 9.
q = max([a], key=id); q[0] = 9.
q = sorted([a], key=id)[0]; q[0] = 9.
q = next(filter(None.__ne__, [a])); q[0] = 9.
q = (a if True else None); q[0] = 9.
q = a or None if a.size == 0 else a; q[0] = 9.
q = locals()["a"]; q[0] = 9.
q = np.array([a]); q[0, 0] = 9.
q = np.stack([a]); q[0, 0] = 9.
b = a; b[0] = 9.
b = c = a; c[0] = 9.
b, c = a, a; c[0] = 9.
(b := a)[0] = 9.
b = [a, a]; b[0], b[1] = b[1], b[0]; b[0][0] = 9.
*b, c = [a, a]; c[0] = 9.
a[0], a[1] = a[1], a[0]
a[0] = a[1] = 9.
for a[0] in [9.]: pass
[0 for a[0] in [9.]]
with np.nditer(a, op_flags=["readwrite"]) as it: [v.fill(2.) for v in it]
for v in np.nditer(a, op_flags=["readwrite"]): v[...] = 2.
struct.pack_into("d", a, 0, 9.)
ctypes.memset(a.ctypes.data, 0, 8)
np.ctypeslib.as_array(a)[0] = 9.
np.lib.array_utils.byte_bounds(a); a[0] = 9.
v = np.rec.fromarrays([a]); a[0] = 9.
v = a.astype(float, copy=False); v[0] = 9.
v = np.astype(a, float, copy=False); v[0] = 9.
v = np.asfortranarray(a); v[0] = 9.
v = np.expand_dims(a, 0); v[0, 0] = 9.
v = np.moveaxis(a.reshape(1, 3), 0, 1); v[0, 0] = 9.
v = np.rollaxis(a.reshape(1, 3), 1); v[0, 0] = 9.
v = np.swapaxes(a.reshape(1, 3), 0, 1); v[0, 0] = 9.
v = np.rot90(a.reshape(1, 3)); v[0, 0] = 9.
v = np.fliplr(a.reshape(1, 3)); v[0, 0] = 9.
v = np.hsplit(a, 3)[0]; v[0] = 9.
v = np.unstack(a.reshape(1, 3))[0]; v[0] = 9.
v = np.einsum("i->i", a); v[0] = 9.
v = np.positive(a); v[0] = 9.
v = np.real_if_close(a); v[0] = 9.
v = np.trim_zeros(a); v[0] = 9.
v = np.diff(a, n=0); v[0] = 9.
v = np.linalg.matrix_power(a[:1].reshape(1, 1), 1); v[0, 0] = 9.
v = a.conj(); v[0] = 9.
v = np.conjugate(a); v[0] = 9.
v = np.ma.array(a, copy=False); v.data[0] = 9.
v = np.matrix(a, copy=False); v[0, 0] = 9.
v = a.newbyteorder() if hasattr(a, "newbyteorder") else a; v[0] = 9.
v = np.select([np.array([True] * 3)], [a]); v[0] = 9.
a.setflags(write=True); a[0] = 9.
a.shape = (3,); a[0] = 9.
a.real = 2.
a.real[0] = 9.
a.T[0] = 9.
a.imag.sum(); a[0] = 9.
"""
CASES = WRITES.strip().splitlines()
X = np.array([0.3, 0.5, -0.7])


def program(text, write):
    """Compile a function with one of the statements in its middle."""
    code = HEAD + text.replace("WRITE", write)
    file = f"<{write} {len(text)}>"
    space = execute(code, file, {"__name__": "writing"})
    return space["f"]


def data():
    """The array that is written."""
    return np.array([1.3, 2.2, 0.4])


@contextlib.contextmanager
def quietly():
    """Keep warnings and what is printed out of the way."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def outcome(text, write):
    """Whether the gradient is right or refused; anything else is an error."""
    f = program(text, write)
    with quietly():
        wanted = gradient(lambda x: f(x, data()), (X,), 0)
        try:
            found = grad(f)(X, data())
        except SrcgradError:
            return "refused"
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
    return "right"


@pytest.mark.one_of(16)
@pytest.mark.parametrize("write", CASES)
@pytest.mark.parametrize("text", [BETWEEN, LOOP], ids=["between", "loop"])
def test_a_write_between_two_reads(text, write):
    """What is read before a write and after it is what was there."""
    outcome(text, write)


@pytest.mark.parametrize(
    "write",
    [
        "np.negative(a, out=(a,))",
        "t = np.zeros(3); np.modf(a, a, t)",
        "scipy.linalg.solve(M, a, overwrite_b=True)",
        "ndimage.correlate1d(a, K, -1, a)",
        "np.nan_to_num(a, copy=False)",
        "for _ in [helper(a)]: pass",
    ],
)
def test_writes_of_libraries_stay_text(write):
    """Writes that are declared are followed, not refused."""
    assert outcome(BETWEEN, write) == "right"


@pytest.mark.parametrize(
    "code", ["eval('x.sum()')", "exec('a[0] = 2.')", "locals()['a']", "vars()"]
)
def test_what_sees_all_names(code):
    """Code in text, and tables of the names of a function, are refused."""
    with pytest.raises(SrcgradError, match="which sees all names"):
        grad(program(BETWEEN, code))(X, data())


def changed_in_an_arm(x, k):
    """A number stays what it is under its other name, an array does not."""
    y, z = x, 0.5 * x
    if k:
        y += 0.5
    return np.sum(y * z)


def changed_in_a_loop(x, k):
    """The same, several times."""
    y, z = x, 0.5 * x
    for _ in range(k):
        y += 0.5
    return np.sum(y * z)


@pytest.mark.parametrize("f", [changed_in_an_arm, changed_in_a_loop])
def test_text_for_numbers_and_arrays_alike(f):
    """Text that was made before any call is right for both, or recorded."""
    text = differentiate(f, recorded="allow").source("grad")
    space = {"np": np, f.__name__: f}
    exec(text, space)
    slope = space[f"{f.__name__}_grad"]
    np.testing.assert_allclose(slope(0.25, 2), gradient(f, [0.25, 2], 0), rtol=1e-6)
    for x in (0.25, np.array([0.25, -0.5])):
        found = differentiate(f, recorded="allow").grad(np.copy(x) if np.ndim(x) else x, 2)
        wanted = gradient(lambda v: f(np.copy(v) if np.ndim(x) else float(v), 2), [x], 0)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)
