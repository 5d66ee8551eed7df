"""Programs that go through arrays with iterators of NumPy's, and that write with its functions."""

import functools
import numpy as np

def nditer_flags(x):
    s = 0.0
    y = np.outer(x, x)
    with np.nditer(y, flags=["multi_index"]) as it:
        for v in it:
            i, j = it.multi_index
            s += v * (i + 2 * j)
    return s
def nditer_index(x):
    it = np.nditer(x, flags=["f_index"])
    s = 0.0
    while not it.finished:
        s += it[0] * it.index * x[0]
        it.iternext()
    return s
def nditer_alloc(x):
    it = np.nditer([x, None])
    for a, b in it:
        b[...] = 2 * a * x[0]
    return it.operands[1] @ x
def ndenumerate(x):
    s = 0.0
    for (i, j), v in np.ndenumerate(np.outer(x, x)):
        s += v * v * (i - 2 * j)
    return s
def broadcast(x):
    b = np.broadcast(x, np.outer(x, x))
    out = np.empty(b.shape)
    out.flat = [u * v for u, v in b]
    return np.sum(out * np.arange(9.).reshape(3, 3)) + b.ndim * x[0] + np.broadcast(x, 2.).size * x[1]
def fromiter(x):
    return np.sum(np.fromiter((v * v for v in x), float) * x) + np.fromiter(iter(x), dtype=np.float64, count=2) @ x[:2]
def fromiter_sub(x):
    return np.sum(np.fromiter(([v, v * v] for v in x), dtype=np.dtype((float, 2))))
def copyto(x):
    y = np.zeros((2, 3)); np.copyto(y, x); np.copyto(y, x[0] ** 2, where=y > 1)
    np.copyto(dst=y[0], src=x[::-1], where=[True, False, True])
    return np.sum(y * x)
def place(x):
    y = np.outer(x, x); np.place(y, y > 1, x[:2]); np.place(arr=y, mask=y < 0.6, vals=[x[1]])
    return np.sum(y * y)
def einsum_path(x):
    path = np.einsum_path("ij,j->i", np.outer(x, x), x)[0]
    return np.sum(np.einsum("ij,j->i", np.outer(x, x), x, optimize=path))
def choose(x):
    return np.sum(np.choose([0, 1, 0], [x, x ** 2])) + np.sum(np.array([0, 1, 1]).choose([x, x * 3]))
def max_at(x):
    y = np.zeros(3); np.maximum.at(y, [0, 0, 2], x ** 2); return y @ x
def nditer_const_write(x):
    y = np.ones(3)
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = v * x[0]
    return y @ x
def bcast_later(x):
    y = np.zeros(3)
    it = np.broadcast(y, np.ones((2, 3)))
    y[:] = x ** 2
    return sum(a * b for a, b in it)
def flat_later(x):
    y = np.zeros(3)
    it = y.flat
    y[:] = x ** 2
    return sum(v for v in it) + it[1] * x[0] + np.array(it)[2]
def ndenum_later(x):
    y = np.zeros(3)
    it = np.ndenumerate(y)
    y[:] = x ** 2
    return sum(v * k[0] for k, v in it)
def enum_later(x):
    y = np.zeros(3)
    it = enumerate(y); z = zip(y, [1, 2, 3]); r = reversed(y); m = map(lambda v: v, y)
    y[:] = x ** 2
    return sum(v * k for k, v in it) + sum(a * b for a, b in z) + next(r) * x[0] + next(m) * x[1]
def yield_from(x):
    y = np.zeros(3)
    def gen():
        yield from y
    g = gen(); a = next(g); y[1:] = x[1:]
    return a + next(g) * next(g)
def nditer_multi_write(x):
    y = np.zeros((2, 3))
    with np.nditer(y, flags=["multi_index"], op_flags=["writeonly"]) as it:
        for v in it:
            i, j = it.multi_index
            v[...] = x[j] ** (i + 1)
    return np.sum(y * np.arange(6.).reshape(2, 3))
def nditer_out(x):
    it = np.nditer([x, x[::-1], None], flags=["external_loop"])
    for a, b, c in it: c[...] = a * b
    return np.sum(it.operands[2] ** 2)
def reduced_from_an_array(x):
    return np.sum(functools.reduce(lambda y, f: f(y), [lambda v: v - 0.5, lambda v: v * x], np.ones(3)))
def reduced_to_a_list(x):
    parts = functools.reduce(lambda seen, v: [*seen, v * v], x, [2.0])
    return parts[0] * parts[1] * parts[-1]
