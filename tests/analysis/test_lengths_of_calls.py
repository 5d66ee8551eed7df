"""No sum over axes stands in a backward part where no lengths differ, after a call with arrays.

Each expression and each program is differentiated with plain arrays, and compared with a
difference along a random direction.
"""

import re
import textwrap
import zlib

import numpy as np
import pytest

from srcgrad import grad, source
from tests.in_memory import execute

HEAD = """
import functools, math, operator
import numpy as np, scipy
import scipy.linalg, scipy.ndimage, scipy.signal, scipy.special, scipy.stats

def f_(v):
    return v * 2.0

def f(x, y, n, k, idx):
"""
EXPRESSIONS = """
np.zeros(x.shape[0]) + x[:,0]
np.zeros_like(x[0]) + y
np.zeros([n, 4]) + y
np.full((n,) + y.shape, 2.0) * y
np.full(x.shape[1], x[0,0]) * y
np.empty(x.T.shape) * 0 + x.T
np.eye(n) @ x
np.eye(*x.shape) * x
np.eye(len(x), k=1) @ x
np.diag(y) @ x.T
np.diag(x @ x.T)
np.trace(x @ x.T) * y
np.outer(x[0], y)
np.outer(x[:,0], y)
np.kron(x, y)
np.linspace(0, 1, n) * x[:, 0]
np.linspace(0, 1, len(y)) * y
np.arange(n) * x[:, 0]
np.arange(len(y)) * y
np.arange(x.shape[1]) * y
np.arange(1, n + 1) * x[:, 0]
np.arange(0, n) * x[:, 0]
np.arange(0, 2*n, 2) * x[:, 0]
np.arange(x.size).reshape(x.shape) * x
np.concatenate([y, x[0]]) * np.concatenate([x[1], y])
np.concatenate([[0.0], y])
np.concatenate([[x[0,0]], y[:-1]]) * y
np.r_[0.0, y[:-1]] * y
np.r_[y, x[0]]
np.c_[x, x[:,0]] * 2
np.hstack([x, x[:, :1]]) * 2
np.vstack([x, y]) * np.vstack([y, x])
np.stack([y, x[0]]) * y
np.stack([y, x[0]], axis=1) * y[:, None]
np.stack([y, x[0]], axis=-1) @ np.ones(2) * y
np.column_stack([y, x[0], np.ones(len(y))]) @ np.ones(3) * y
np.column_stack([np.ones_like(y), y, y**2]) @ x[:,0]
np.vander(y, n) @ x[:,0]
np.polyval(x[0], y) * y
np.append(y, x[0,0])[1:] * y
np.append(y, 0.0)[:-1] * y
np.insert(y, 0, x[0,0])[1:] * y
np.delete(y, 0) * y[1:]
np.roll(y, 1) * y
np.diff(y) * y[1:]
np.diff(x, axis=1) * y[1:]
np.diff(x, axis=0) * y
np.diff(y, prepend=0.0) * y
np.gradient(y) * y
np.gradient(x, axis=0) * y
np.cumsum(x, axis=1) * y
np.cumsum(x) * np.arange(x.size)
np.cumprod(y) * y
np.repeat(y, n).reshape(len(y), n) * y[:,None]
np.repeat(y, 2)[:4] * y
np.repeat(x[:1], n, axis=0) * x
np.tile(y, (n, 1)) * x
np.tile(y, 2)[:4] * y
np.pad(y, 1)[1:-1] * y
np.pad(y, (1, 0))[:-1] * y
np.pad(x, ((0,0),(1,1)))[:, 1:-1] * x
np.pad(y, 1, mode="edge")[2:] * y
x[:, ::2] * y[::2]
x[1:, 1:] * y[1:]
x[:, [0, 2]] * y[[0, 2]]
x[[0, 2]] * y
x[idx] * y
x[:, idx] * y[idx]
x[np.arange(n), idx] * x[:, 0]
x[np.arange(len(x)), idx] * x[:, 0]
y[y > -10] * 2
np.where(y > 0, y, x[0]) * y
np.where(x > 0, x, 0.0) * y
np.maximum(x, 0) * y
np.clip(x, 0, 1) * y
np.minimum.reduce([y, x[0]]) * y
np.sum(x, axis=0) * y
np.sum(x, axis=1, keepdims=True) * x
x.sum(-1)[:, None] * x
x.mean(axis=0) * y
x.std(axis=0) * y
np.max(x, axis=0) * y
np.median(x, axis=0) * y
np.percentile(x, 50, axis=0) * y
np.quantile(x, [0.2, 0.8], axis=0) * y
np.prod(x, axis=0) * y
np.linalg.norm(x, axis=0) * y
np.linalg.norm(x, axis=1, keepdims=True) * x
np.linalg.norm(x[:, None] - x[None], axis=-1) * np.ones((n, n))
np.linalg.solve(x @ x.T + np.eye(n), x) * y
np.linalg.inv(x @ x.T + np.eye(n)) @ x * y
np.linalg.cholesky(x @ x.T + np.eye(n)) @ x * y
np.linalg.eigvalsh(x @ x.T) * x[:,0]
np.linalg.eigh(x @ x.T + np.diag(np.arange(n)))[0] * x[:,0]
np.linalg.svd(x, compute_uv=False) * x[:, 0]
np.linalg.qr(x.T)[0] * y[:, None]
np.linalg.pinv(x) @ x * y
np.linalg.det(x @ x.T) * y
np.linalg.slogdet(x @ x.T)[1] * y
np.einsum("ij,j->i", x, y) * x[:,0]
np.einsum("ij,kj->ik", x, x) * np.eye(n)
np.tensordot(x, y, axes=1) * x[:,0]
np.tensordot(x, x, axes=([1],[1])) @ x * y
np.dot(x, y) * x[:,0]
np.inner(x, y) * x[:,0]
np.vdot(y, y) * y
np.cross(x[:, :3], x[:, 1:]) * 2
np.cross(y[:3], x[0,:3]) * y[:3]
x @ y * x[:, 0]
np.tril(x @ x.T) @ x * y
np.triu(x @ x.T, 1) @ x * y
x.T @ x @ y * y
x.reshape(-1) * np.tile(y, n)
x.reshape(2, -1) * 2 * np.ones((2, 6))
x.reshape(n, 2, 2) * y.reshape(2, 2)
x.ravel()[:4] * y
x.flatten()[:4] * y
x.T.reshape(4, n) * y[:,None]
x.transpose(1, 0) * y[:, None]
np.transpose(x) * y[:,None]
np.swapaxes(x, 0, 1) * y[:,None]
np.moveaxis(x, 0, -1) * y[:,None]
np.expand_dims(y, 0) * x
np.squeeze(x[:1]) * y
np.atleast_2d(y) * x
np.broadcast_to(y, x.shape) * x
np.broadcast_to(y, (n, len(y))) * x
np.meshgrid(y, x[:,0])[0] * x
np.meshgrid(y, x[:,0], indexing="ij")[1] * x.T
np.sort(y) * y
y[np.argsort(y)] * y
np.flip(y) * y
y[::-1] * y
np.interp(np.linspace(0, 1, 4), np.arange(4)/3.0, y) * y
np.convolve(y, [0.2, 0.5, 0.2], mode="same") * y
np.convolve(y, [0.2, 0.5, 0.2], mode="valid") * y[1:-1]
np.convolve(y, [0.5, 0.5])[:-1] * y
np.correlate(y, [0.2, 0.5, 0.2], "same") * y
np.fft.fft(y).real * y
np.abs(np.fft.rfft(y)) * np.arange(3)
np.fft.irfft(np.fft.rfft(y)) * y
np.fft.irfft(np.fft.rfft(y), n=len(y)) * y
np.fft.fftfreq(len(y)) * y
np.fft.fftshift(y) * y
np.lib.stride_tricks.sliding_window_view(y, 2) @ np.ones(2) * y[1:]
np.histogram([0.1, 0.2], bins=4)[0] * y
np.searchsorted(np.arange(4), [0.5, 1.2, 2.0, 3]) * y
np.digitize(y, [0.0, 0.5]) * y
np.array([y[0], x[0, 1], 2.0, y[1]]) * y
np.array([[y[0], 0.0], [0.0, y[1]]]) @ y[:2]
np.array([y * k for k in range(n)]) * x
np.array([np.sum(row) for row in x]) * x[:,0]
np.array([f_(v) for v in y]) * y
np.array(list(map(np.sin, y))) * y
np.asarray([v for v in y if v > -10]) * 2
sum(y * k for k in range(n)) * y
sum(x) * y
max(y[0], y[1]) * y
functools.reduce(np.add, [y, x[0], x[1]]) * y
functools.reduce(np.matmul, [x, x.T, x]) * y
[y, x[0]][0] * y
dict(a=y, b=x[0])["b"] * y
scipy.special.logsumexp(x, axis=0) * y
scipy.special.softmax(x, axis=1) * y
scipy.special.expit(x) * y
scipy.linalg.expm(x[:, :3]) @ x * y
scipy.linalg.solve(x @ x.T + np.eye(n), x) * y
scipy.linalg.solve_triangular(np.tril(x @ x.T) + np.eye(n), x, lower=True) * y
scipy.linalg.toeplitz(y) @ y * y
scipy.linalg.block_diag(x, x)[:3, :4] * x
scipy.linalg.circulant(y) @ y
scipy.signal.convolve(y, np.ones(3), mode="same") * y
scipy.signal.fftconvolve(y, np.ones(3), mode="same") * y
scipy.signal.lfilter([1.0], [1.0, -0.5], y) * y
scipy.ndimage.gaussian_filter(x, 1.0) * y
scipy.ndimage.convolve1d(x, [0.2, 0.6, 0.2], axis=1) * y
scipy.stats.norm.pdf(y) * y
np.cov(x) @ x * y
np.corrcoef(x) @ x * y
np.nanmean(x, axis=0) * y
np.nansum(x, axis=0) * y
np.unwrap(y) * y
np.hypot(y, x[0]) * y
np.logaddexp(y, x) * y
np.logaddexp.reduce(x, axis=0) * y
np.add.reduce(x, axis=0) * y
np.add.outer(x[:,0], y) * x
np.subtract.outer(y, y) @ y
np.multiply.outer(x[:,0], y) * x
np.cumsum(np.concatenate([[0.0], y[:-1]])) * y
np.split(x, n)[0] * y
np.array_split(x, 2)[0] * y
np.hsplit(x, 2)[0] * y[:2]
np.vsplit(x, n)[1] * y
np.take(x, [0, 2], axis=0) * y
np.take(y, idx) * x[:, 0]
np.take_along_axis(x, np.argsort(x, axis=1), axis=1) * y
np.nan_to_num(y) * y
np.real(y) * y
np.round(y) * y
np.linalg.matrix_power(x[:, :3], 2) @ x * y
np.linalg.multi_dot([x, x.T, x]) * y
np.ix_(idx, idx)[0] * x[:, :3]
x[np.ix_(idx, idx)] * x[:, 0]
np.block([[x, x], [x, x]])[:3, :4] * y
np.rot90(x) * y[:, None]
np.fliplr(x) * y
np.resize(y, (n, 4)) * x
np.indices(x.shape)[0] * x
np.mgrid[0:n, 0:4][0] * x
np.tri(n) @ x * y
np.hanning(len(y)) * y
np.random.default_rng(0).normal(size=len(y)) * y
np.random.default_rng(0).normal(size=(n, len(y))) * x
np.random.default_rng(0).normal(size=x.shape) * x
y.copy() * y
y.astype(float) * y
np.array(y) * y
np.asarray(x) * y
np.array(x, dtype=float) * y
np.ascontiguousarray(x) * y
np.copy(x) * y
np.ones(4) * y
np.ones(x.shape[1:]) * y
np.ones(n + 1) * y
np.ones((n, n)) @ x * y
np.ones(x.size).reshape(x.shape) * x
np.ones(x.ndim * 2) * y
np.zeros(len(x) + 1) * y
np.zeros(y.size) + y
np.identity(len(y)) @ y
np.sqrt(np.sum(x**2, axis=-1)) * x[:, 0]
np.sum(x[:, None, :] - x[None, :, :], axis=2) @ x * y
((x[:, None] - x[None])**2).sum(-1) @ x * y
np.exp(-0.5*((x[:, None] - x[None])**2).sum(-1)) @ x * y
x[:, :, None] * y @ y
x.T[..., None] * np.ones(n)
np.squeeze(x[:, None, :], axis=1) * y
x[..., 0] * x[:, 1]
x[-1] * y
x[n - 1] * y
x[k] * y
x[k:] * y
x[:k] * y
x[:, k:k+2] * y[k:k+2]
y[k] * y
y[:n] * x[:, 0]
y[:-k] * y[k:]
y[len(y)//2:] * y[:len(y)//2]
x[:len(x)-1] * x[1:]
x[:, :-1] * x[:, 1:]
x[slice(0, 2)] * y
x[1:n] * y
float(y[0]) * y
np.float64(2.0) * y
y @ y * y
y.dot(y) * y
x.dot(y) * x[:, 0]
(y[:, None] == y[None]).astype(float) @ y * y
np.heaviside(y, 0.5) * y
np.isfinite(y) * y
np.count_nonzero(y) * y
np.argmax(x, axis=1) * x[:, 0]
x.max(axis=1) * x[:,0]
x[:, np.argmax(y)] * x[:, 0]
x[np.argmax(x[:,0])] * y
np.sign(y) * y
np.unique([1, 2, 3, 4]) * y
np.setdiff1d(np.arange(5), [2]) * y
np.flatnonzero(y > -10) * y
np.nonzero(y > -10)[0] * y
np.triu_indices(n)[0] * np.ones(6) * y[0]
np.unravel_index(3, x.shape)[0] * y
np.array([math.sin(v) for v in y]) * y
np.array([[math.sin(v * k) for v in y] for k in range(n)]) * x
np.array([[v * u for v in y] for u in x[:, 0]]) * x
np.array(tuple(v * 2 for v in y)) * y
np.trapezoid(x, axis=0) * y
""".strip().splitlines()
PROGRAMS = """
acc = np.zeros(4)
for r in x:
    acc += np.tanh(r * y)
return np.sum(acc ** 2)
---
s = 0.0
for i in range(n):
    for j in range(i):
        s += np.dot(x[i], x[j])
return s
---
out = []
for r in x:
    out.append(np.sum(np.sin(r * y)))
return np.mean(out)
---
out = []
for r in x:
    out.append(np.sin(r * y))
out = np.array(out)
return np.sum(out.mean(axis=0) ** 2)
---
h = np.zeros(4)
for t in range(n):
    h = np.tanh(h + x[t] * y)
return h @ h
---
h = np.zeros_like(y)
hs = []
for t in range(n):
    h = np.tanh(0.5 * h + x[t] * y)
    hs.append(h)
H = np.stack(hs)
return np.sum(H ** 2) / H.size
---
u = y.copy()
for _ in range(5):
    u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
return np.sum(u ** 2)
---
u = x.copy()
for _ in range(3):
    v = u.copy()
    v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    u = v
return np.sum(u * x)
---
d = np.zeros((n, n))
for i in range(n):
    for j in range(n):
        d[i, j] = np.sqrt(np.sum((x[i] - x[j]) ** 2) + 1e-3)
return d.sum()
---
w = y
while np.sum(w ** 2) > 0.1:
    w = w * 0.5
return np.sum(w * x[0])
---
a, b = y[0], y[1]
for k in range(4):
    a, b = a + 0.1 * b, b - 0.1 * a
return a * b
---
p = {"w": x, "b": y}
h = np.tanh(p["w"] @ p["b"])
return np.sum(h ** 2) + 0.1 * sum(np.sum(v ** 2) for v in p.values())
---
params = [(x, y), (x * 2, y + 1)]
z = 0.0
for W, b in params:
    z = z + np.sum(np.tanh(W @ b))
return z
---
if y[0] > 0.5:
    z = x.sum(axis=0)
else:
    z = y * 2
return np.sum(z * y)
---
z = np.where(y > 0.5, y, 0.5 * y)
z[z > 0.8] = 0.8
return np.sum(z ** 2)
---
z = y.copy()
z[idx] += x[:, 0]
return np.sum(z ** 2)
---
z = np.zeros(4)
np.add.at(z, idx, x[:, 0])
return np.sum(z * y)
---
m = x.mean(axis=0)
c = x - m
cov = c.T @ c / (len(x) - 1)
return np.trace(cov) + np.sum(np.abs(cov))
---
q = np.exp(x - x.max(axis=1, keepdims=True))
q /= q.sum(axis=1, keepdims=True)
return -np.sum(np.log(q[np.arange(n), idx]))
---
r = x @ y - 1.0
return r @ r / len(r) + 0.1 * np.abs(y).sum()
---
mu, sd = y.mean(), y.std()
z = (y - mu) / (sd + 1e-8)
return np.sum(z ** 3) + np.sum(x @ z)
---
K = np.exp(-0.5 * np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1))
L = np.linalg.cholesky(K + 1e-2 * np.eye(len(x)))
a = np.linalg.solve(L.T, np.linalg.solve(L, x[:, 0]))
return 0.5 * x[:, 0] @ a + np.log(np.diag(L)).sum()
---
P = np.eye(4)
m = np.zeros(4)
ll = 0.0
for t in range(n):
    S = P + 0.1 * np.eye(4)
    Kg = P @ np.linalg.inv(S)
    v = x[t] - m
    ll += v @ np.linalg.solve(S, v) + np.linalg.slogdet(S)[1]
    m = m + Kg @ v
    P = (np.eye(4) - Kg) @ P * np.exp(y[0])
return ll
---
def rhs(s, t):
    return np.array([s[1], -y[0] * s[0] - y[1] * s[1]])
s = np.array([1.0, 0.0])
for k in range(4):
    k1 = rhs(s, 0)
    k2 = rhs(s + 0.05 * k1, 0)
    s = s + 0.1 * k2
return s @ s
---
f = lambda v: np.sum(v ** 2) * y[0]
return sum(f(r) for r in x)
---
t = np.arange(n) / n
pred = y[0] * np.exp(-y[1] * t) + y[2]
return np.sum((pred - x[:, 0]) ** 2)
---
lw = np.log(y) - np.log(y.sum())
return -np.sum(np.exp(lw) * lw)
---
z = np.empty((n, 4))
for i, r in enumerate(x):
    z[i] = r * y if i % 2 == 0 else r + y
return np.sum(z ** 2)
---
z = np.full(4, np.nan)
for i in range(4):
    z[i] = y[i] ** 2 + x[0, i]
return np.sum(z * y)
---
z = [y[0]]
for i in range(1, 4):
    z.append(z[-1] * 0.9 + y[i])
return np.sum(np.array(z) ** 2)
---
best = -1.0
for v in y:
    if v > best:
        best = v
return best ** 2 * x.sum()
---
try:
    L = np.linalg.cholesky(x @ x.T + np.eye(n))
except np.linalg.LinAlgError:
    return np.inf
return np.sum(np.log(np.diag(L)))
---
g = np.gradient(y)
return np.sum(np.sqrt(1 + g ** 2))
---
c = np.cumsum(np.concatenate(([0.0], y)))
return np.sum(np.diff(c) ** 2) + c[-1]
---
rows = np.vsplit(x, n)
return sum(np.sum(r * y) for r in rows)
---
e = np.einsum("ij,j->i", x, y)
return e @ e
---
z = x.reshape(2, 6)
w = z.sum(axis=1)
return np.prod(w)
---
order = np.argsort(y)
s = y[order]
return np.sum(s * np.arange(1, len(s) + 1))
---
z = x[:, :2] @ x[:2, :2].T
return np.sum(z)
---
total, count = 0.0, 0
for r in x:
    if r[0] < 0.5:
        continue
    total += np.sum(r * y)
    count += 1
return total / max(count, 1)
---
v = y
for W in (np.eye(4), 2 * np.eye(4)):
    v = np.maximum(W @ v, 0.1 * v)
return np.sum(v)
---
J = np.array([[y[0], y[1]], [-y[1], y[0]]])
s = np.array([1.0, 0.5])
for _ in range(n):
    s = J @ s
return s[0]
---
a = y[:, None] * y[None, :]
np.fill_diagonal(a, 0.0)
return a.sum()
---
z = y + 1j * x[0]
return np.abs(z).sum() + np.real(z * np.conj(z)).sum()
---
F = np.fft.rfft(y)
return np.sum(np.abs(F) ** 2)
---
e = 0.0
for i in range(n):
    for j in range(i + 1, n):
        rij = x[i] - x[j]
        r2 = rij @ rij
        e += 1 / r2 ** 3 - 1 / r2
return e
---
force = np.zeros_like(x)
for i in range(n):
    for j in range(n):
        if i != j:
            rij = x[i] - x[j]
            force[i] += rij / (rij @ rij + 0.1)
return np.sum(force ** 2)
---
xs = [r for r in x]
m = sum(xs) / len(xs)
return np.sum((m - y) ** 2)
---
grid = np.meshgrid(np.linspace(0, 1, 3), np.linspace(0, 1, 4), indexing="ij")
f = np.sin(grid[0] * y[0]) * np.cos(grid[1] * y[1])
return np.trapezoid(np.trapezoid(f, axis=1)) * x[0, 0]
---
z = np.tile(y, (n, 1)) + x
return np.sum(z.max(axis=0) - z.min(axis=0))
---
st = (y[0], y[1], np.zeros(2))
for k in range(3):
    a, b, c = st
    st = (a * 0.9 + b, b * 0.8, c + np.array([a, b]))
return st[0] + np.sum(st[2] ** 2)
---
V = np.zeros(4)
for _ in range(n):
    Q = np.array([y + 0.9 * np.roll(V, 1), y + 0.9 * np.roll(V, -1)])
    V = np.log(np.sum(np.exp(Q), axis=0))
return V.sum()
---
A = np.diag(y) + np.diag(y[:-1], 1) + np.diag(y[:-1], -1)
return np.linalg.eigvalsh(A)[0]
---
x0 = y[0]
for _ in range(6):
    x0 = x0 - (x0 ** 3 - y[1]) / (3 * x0 ** 2)
return x0
---
buf = np.zeros((n + 1, 4))
buf[0] = y
for t in range(n):
    buf[t + 1] = buf[t] + 0.1 * x[t] * buf[t]
return np.sum(buf[-1])
---
alpha = np.log(np.array([0.5, 0.3, 0.1, 0.1]))
for t in range(n):
    alpha = np.logaddexp.reduce(alpha[:, None] + np.log(np.abs(x.T @ x) + 0.1), axis=0) + y
return np.logaddexp.reduce(alpha)
---
D = np.zeros((n + 1, 5))
for i in range(1, n + 1):
    for j in range(1, 5):
        c = (x[i - 1, 0] - y[j - 1]) ** 2
        D[i, j] = c + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
return D[-1, -1]
---
coef = np.linalg.lstsq(x.T, y, rcond=None)[0]
res = x.T @ coef - y
return res @ res
---
z = np.array([max(v, 0.3) for v in y])
return z @ y
---
shape = (len(x),) + y.shape
z = np.zeros(shape)
z[...] = x * y
return np.sum(z ** 2)
---
pad = np.pad(x, 1)
k = y[:3]
out = np.zeros_like(x)
for i in range(3):
    out += k[i] * pad[1:-1, i:i + 4]
return np.sum(out ** 2)
---
B, N = x.shape
z = x.reshape(B, 2, N // 2)
q = z.transpose(0, 2, 1)
return np.sum(q @ z * y[0])
""".strip().split("\n---\n")
BODIES = [f"z = {e}\nw = np.exp(z) + z\nreturn np.sum(w * np.sin(z))" for e in EXPRESSIONS]
HELPERS = re.compile(r"\b(unbroadcast|split_like)\(")


@pytest.mark.parametrize(
    "body", [pytest.param(b, id=b[:60], marks=pytest.mark.one_of(4)) for b in (*BODIES, *PROGRAMS)]
)
@pytest.mark.filterwarnings("ignore")
def test_no_sum_over_axes(body):
    """The text has none of the helpers that are there for lengths that may differ."""
    rng = np.random.default_rng(zlib.crc32(body.encode()))
    text = HEAD + textwrap.indent(body, "    ") + "\n"
    f = execute(text, f"<lengths {zlib.crc32(body.encode())}>", {})["f"]
    x, y = rng.uniform(0.1, 1, (3, 4)), rng.uniform(0.1, 1, 4)
    rest = 3, 1, np.array([2, 0, 1])
    derivative = grad(f, wrt=(0, 1), recorded="refuse")
    x_bar, y_bar = derivative(x, y, *rest)
    x_dot, y_dot = rng.normal(size=x.shape), rng.normal(size=y.shape)
    up, down = (f(x + h * x_dot, y + h * y_dot, *rest) for h in (1e-6, -1e-6))
    slope = np.sum(x_bar * x_dot) + np.sum(y_bar * y_dot)
    np.testing.assert_allclose(slope, (up - down) / 2e-6, rtol=1e-4, atol=1e-5)
    assert not HELPERS.findall(source(derivative))
