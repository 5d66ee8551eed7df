"""Writes into arrays that are differentiated, and of what is differentiated into others."""

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.errors import SrcgradError
from tests.finite_differences import gradient
from tests.frontend.arrays.test_array_writes import X, data, program, quietly

AFTER = """
def f(x, a):
    z = x * 1.0
    D = np.diag(x) + M
    t = np.zeros(3)
    i = np.zeros(3, dtype=np.int32)
    y = np.sum(a * z)
    WRITE
    return y + np.sum(a * x**2) + np.sum(t * z * x) + np.sum(D * D) + np.sum(z**3)
"""
WRITES = r"""
scipy.linalg.solve(D, a, overwrite_b=True)
y += np.sum(scipy.linalg.solve(D, a, overwrite_b=True))
y += np.sum(scipy.linalg.solve(D, z, overwrite_b=True))
y += np.sum(scipy.linalg.solve(D, z, overwrite_a=True))
y += np.sum(scipy.linalg.solve_triangular(M, z, overwrite_b=True))
y += np.sum(scipy.linalg.solve_triangular(D, a, overwrite_b=True))
y += np.sum(scipy.linalg.inv(D, overwrite_a=True))
y += np.sum(scipy.linalg.det(D, overwrite_a=True))
y += np.sum(scipy.linalg.cho_solve((M, True), z, overwrite_b=True))
y += np.sum(scipy.linalg.svdvals(D, overwrite_a=True))
y += np.sum(scipy.linalg.solve(D, a, False, True))
np.modf(z, t, a)
np.modf(z, out=(t, a))
u, v = np.modf(z, a, t)
np.divmod(z, 2., a, t)
u, v = np.divmod(z, 2., out=(a, t))
np.frexp(z, t, i)
np.add(z, 1., t)
np.add(z, 1., out=(t,))
np.add(z, 1., out=(a,))
np.negative(z, out=(z,))
np.floor(z, a)
np.floor(z, out=(a,))
np.sign(z, a)
np.greater(z, 0., out=a)
special.sici(z, a, t)
special.sici(z, out=(t, a))
u, v = special.sici(z, a, t)
special.expit(z, out=(t,))
special.expit(z, a)
ndimage.gaussian_filter1d(z, 1., output=a)
y += np.sum(ndimage.gaussian_filter1d(z, 1., output=a))
y += np.sum(ndimage.gaussian_filter1d(z, 1., output=t))
ndimage.gaussian_filter1d(z, 1., output=t)
ndimage.correlate1d(z, K, -1, a)
ndimage.correlate1d(z, K, -1, t)
ndimage.maximum_filter1d(z, 2, output=a)
y += np.sum(np.median(z, overwrite_input=True))
y += np.sum(np.quantile(z, 0.3, overwrite_input=True))
np.nan_to_num(z, copy=False)
y += np.sum(np.nan_to_num(z, copy=False))
np.argsort(z); np.argmax(z.reshape(1,3), 0, i)
np.argmax(z.reshape(1,3), 0, out=i)
np.any(z, out=i[:1].reshape(()))
np.searchsorted(z, 0.3)
np.mean(z.reshape(1,3), 0, None, a)
np.cumsum(z, 0, None, t)
np.copyto(a, z)
np.copyto(t, z)
np.put(t, [0], z[:1])
np.add.at(t, [0,1], z[:2])
np.add.at(a, [0,1], z[:2])
np.maximum.accumulate(z, 0, None, t)
np.add.reduce(z.reshape(1,3), 0, None, t)
np.add.reduce(z.reshape(1,3), axis=0, out=(a,))
operator.iadd(t, z)
operator.iadd(a, z)
operator.iadd(z, a)
operator.setitem(t, 0, z[0])
z.fill(2.)
z.sort()
z.partition(1)
z.clip(0., 1., a)
z.sum(out=a[:1].reshape(()))
z.__iadd__(a)
t.__setitem__(0, z[0])
np.ndarray.__setitem__(t, 0, z[0])
setattr(np, "zzz", z); np.zzz[0] = 9.
scipy.fft.dct(z, overwrite_x=True)
scipy.signal.detrend(z, overwrite_data=True)
y += np.sum(scipy.signal.detrend(z, overwrite_data=True))
random.shuffle([z])
np.random.seed(0); np.random.shuffle(z)
np.fill_diagonal(D, 2.)
np.fill_diagonal(D, z)
np.trace(np.stack([D, D], 2), out=t[:2])
np.take(z, [0,1,2], None, t, "clip")
np.choose([0,0,0], [z], t)
np.einsum("i->i", z, out=t)
np.dot(D, z, t)
D.dot(z, t)
np.concatenate([z[:1], z[1:]], 0, t)
np.stack([z[0], z[1], z[2]], 0, t)
np.clip(z, 0., 1., t)
np.ptp(np.stack([z, a]), 0, t)
np.fft.fft(z, out=t.astype(complex))
functools.partial(np.negative, z)(a)
functools.partial(np.negative, out=t)(z)
q = [z]; q[0][0] = 9.
q = {"w": z}; q["w"][0] = 9.
q = np.empty(1, dtype=object); q[0] = z; q[0][0] = 9.
q = collections.deque(); q.append(z); q[0][0] = 9.
o = O(); o.w = z; o.w[0] = 9.
o = O(); setattr(o, "w", z); o.w[0] = 9.
o = types.SimpleNamespace(w=z); o.w[0] = 9.
helper(z)
for _ in [helper(z)]: pass
[helper(z)]
any([helper(z)[0] > 1.])
print(helper(z)[0], end="")
(lambda v: helper(v))(z)
list(map(helper, [z]))
for z[0] in [9.]: pass
for z[0] in [x[1]]: pass
for t[0] in [x[1]]: pass
[0 for z[0] in [9.]]
[0 for t[0] in [x[1]]]
for k, t[0] in enumerate([x[1]]): pass
with np.nditer(z, op_flags=["readwrite"]) as it: [v.fill(2.) for v in it]
z.flat[0] = 9.
z.flat = 2.
z.real = 2.
z.T[0] = 9.
np.place(z, z > 0.4, [2.])
np.putmask(z, z > 0.4, a)
np.put_along_axis(z, np.array([0]), 9., 0)
z.itemset(0, 9.) if hasattr(z, "itemset") else z.fill(1.)
z.resize((3,), refcheck=False)
z[...] = a
z.view()[0] = 9.
np.asarray(z)[0] = 9.
np.ascontiguousarray(z)[0] = 9.
np.atleast_1d(z)[0] = 9.
np.nan_to_num(z, False)
np.require(z)[0] = 9.
np.split(z, 3)[0][0] = 9.
np.broadcast_arrays(z, a)[0].sum()
np.diagonal(D).sum()
np.real_if_close(z)[0] = 9.
np.trim_zeros(z)[0] = 9.
np.unstack(D)[0][0] = 9.
np.rot90(D)[0, 0] = 9.
np.diff(z, n=0)[0] = 9.
np.astype(z, float, copy=False)[0] = 9.
z.astype(float, copy=False)[0] = 9.
np.array(z, copy=False)[0] = 9.
np.array(z, copy=None)[0] = 9.
v = np.einsum("ij->ji", D); v[0, 1] = 9.
v = np.einsum("ii->i", D); v[0] = 9.
v = np.lib.stride_tricks.sliding_window_view(z, 2); v.sum()
v = np.positive(z); v[0] = 9.
v = np.vsplit(D, 3)[0]; v[0] = 9.
v, w = np.meshgrid(z, a, copy=False); v.sum()
v = np.broadcast_to(z, (2, 3)); v.sum()
v = memoryview(z); v[0] = 9.
"""
CASES = WRITES.strip().splitlines()


@pytest.mark.one_of(4)
@pytest.mark.parametrize("write", CASES)
def test_a_write_between_two_reads(write):
    """What is read after a write is what was written, with its derivative, or it is refused."""
    f = program(AFTER, write)
    with quietly():
        wanted = gradient(lambda x: f(x, data()), (X,), 0)
        try:
            found = grad(f)(X, data())
        except SrcgradError:
            return
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
