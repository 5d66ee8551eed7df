"""Reading arrays and writing into them."""

import numpy as np

from tests.language.rows import shows

X = np.array([0.3, 0.7, 1.1, 0.5])
M = np.arange(12.0).reshape(3, 4) / 10 + 0.1

@shows("subscripts", args=(M,))
def subscripts(m):
    a = m[0, 1] * m[-1][2]
    b = np.sum(m[1:, ::2] ** 2) + np.sum(m[..., 0] * m[:, None, 1])
    c = np.sum(m[[0, 2, 0]] ** 2) + np.sum(m[np.array([0, 1]), np.array([2, 3])] ** 3)
    d = np.sum(m[m > 0.55] ** 2) + np.sum(m[:, 1:3][::-1] * m[:3, :2])
    return a + b + c + d

@shows("attributes of arrays", args=(M,))
def attributes(m):
    n, k = m.shape
    y = np.sum(m @ m.T) / m.size + m.ndim * n * k
    z = np.zeros(m.shape, dtype=m.dtype) + m
    return y * np.sum(z.real**2) + np.sum(m.imag) + len(m) * m[0, 0] + m.nbytes * 0

@shows("methods of arrays", args=(M,))
def methods(m):
    y = m.reshape(-1).copy()
    return y.sum() * m.mean(axis=0).max() + m.ravel().dot(y) + m.transpose().astype(float).std()

@shows("writes into arrays", args=(X,))
def written(x):
    y = x.copy()
    y[0] = x[1] * x[2]
    y[1:] *= x[0]
    y[[0, 2]] -= x[:2]
    y[x > 0.6] = 2.0
    y[...] += x
    y /= x
    return np.sum(y**3)

@shows("functions that write into arrays", args=(X,))
def filled(x):
    y = np.zeros_like(x)
    np.copyto(y, x * x)
    np.add.at(y, [0, 0, 1], x[:3])
    np.multiply(y, x, out=y)
    z = np.outer(x, x)
    np.fill_diagonal(z, x)
    z[0].fill(x[1])
    y.sort()
    return np.sum(y**2 * np.arange(4)) + np.sum(z**2)

@shows("views", args=(M,))
def views(m):
    u = m.copy()
    inner = u[1:, 1:]
    inner *= 2
    u[0, 0] = m[1, 1]
    read = u.T[0] * u.reshape(-1)[3] + np.swapaxes(u, 0, 1)[1] * u.ravel()[5]
    return np.sum(inner**2) + np.sum(u**3) + np.sum(read)

@shows("several names of one array", args=(X,))
def named_twice(x):
    y = x * 2
    z = y
    pair = (y, x)
    z[0] = x[1]
    pair[0][1] *= x[2]
    return np.sum(y**2)

def scale_in_place(u, factor):
    u *= factor

@shows("functions that write into their arguments", args=(X,))
def in_callee(x):
    y = x.copy()
    scale_in_place(y, x[0])

    def shift():
        y[1:] += x[0]

    shift()
    return np.sum(y**2)

@shows("writes into arguments", args=(X,))
def argument(x):
    return overwritten(x.copy())

def overwritten(x):
    x[0] = x[1] * x[2]
    x *= 2
    return np.sum(x**2)
