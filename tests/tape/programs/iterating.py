"""Programs that go through arrays with iterators of NumPy's, and that write with its functions."""

import operator
import numpy as np

def nditer_plain(x):
    s = 0.0
    for v in np.nditer(np.outer(x, x)):
        s += v * v
    return s
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
def nditer_write_out(x):
    y = np.zeros(3)
    for a, b in np.nditer([x, y], op_flags=[["readonly"], ["writeonly"]]):
        b[...] = a * a
    return y @ x
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
def put(x):
    y = x * 2; np.put(y, [0, 0, 2], x); np.put(y, [4], x[0] ** 2, mode="wrap"); np.put(a=y, ind=[2, -1], v=x[0] * x[1], mode="raise")
    return y @ y
def place(x):
    y = np.outer(x, x); np.place(y, y > 1, x[:2]); np.place(arr=y, mask=y < 0.6, vals=[x[1]])
    return np.sum(y * y)
def fill_diag(x):
    y = np.outer(x, x); np.fill_diagonal(y, x ** 3); z = np.zeros((5, 2)); np.fill_diagonal(z, x[:2], wrap=True); np.fill_diagonal(a=y[1:, 1:], val=x[0])
    return np.sum(y * y) + np.sum(z * z)
def put_along(x):
    y = np.outer(x, x); np.put_along_axis(y, np.array([[0], [2], [1]]), x[:, None] ** 2, 1)
    return np.sum(y * y)
def einsum_path(x):
    path = np.einsum_path("ij,j->i", np.outer(x, x), x)[0]
    return np.sum(np.einsum("ij,j->i", np.outer(x, x), x, optimize=path))
def ix(x):
    y = np.outer(x, x)
    y[np.ix_([0, 2], [1, 2])] *= x[0]
    return np.sum(y * y)
def swap(x):
    y = x * 2
    y[0], y[1] = y[1], y[0]
    y[[0, 2]] = y[[2, 0]]
    return y @ np.arange(3.)
def choose(x):
    return np.sum(np.choose([0, 1, 0], [x, x ** 2])) + np.sum(np.array([0, 1, 1]).choose([x, x * 3]))
def iter_(x):
    it = iter(x); a = next(it); b = next(it)
    return a * b + next(it) ** 2 + next(it, 5.0)
def add_at(x):
    y = np.zeros(3); np.add.at(y, [0, 0, 2], x); np.subtract.at(y, [1, 1], x[0]); np.multiply.at(y, [2, 2], x[1]); return y @ x
def max_at(x):
    y = np.zeros(3); np.maximum.at(y, [0, 0, 2], x ** 2); return y @ x
def nditer_const_write(x):
    y = np.ones(3)
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = v * x[0]
    return y @ x
def nditer_order(x):
    y = np.outer(x, x ** 2)
    return sum(k * v for k, v in enumerate(np.nditer(y.T))) + sum(k * v for k, v in enumerate(np.nditer(y.T, order="C")))
def nditer_ext(x):
    y = np.outer(x, x ** 2)
    return sum(np.sum(v * v) for v in np.nditer(y[:, ::2], flags=["external_loop"], order="F"))
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
def row_later(x):
    y = np.zeros((2, 3))
    rows = [r for r in y]; a, b = y; c = list(y); d = tuple(y); e = np.split(y, 2); f = y.T; g = np.atleast_2d(y)
    y[:] = x ** 2
    return np.sum(rows[0] * b * x) + np.sum(c[1] * d[0]) + np.sum(e[0] * x) + np.sum(f[0]) + np.sum(g)
def for_written(x):
    y = np.zeros(3); s = 0.0
    for v in y:
        s = s + v * x[0]; y[2] = x[0] * x[1]
    return s
def for_written2(x):
    y = np.zeros(3); t = []
    def put(k): y[k] = x[0] * x[1]; return 1.0
    t = [put(2) * v for v in y]
    return sum(t)
def gen_written(x):
    y = np.zeros(3)
    g = (v * v for v in y)
    y[:] = x
    return sum(g)
def yield_from(x):
    y = np.zeros(3)
    def gen():
        yield from y
    g = gen(); a = next(g); y[1:] = x[1:]
    return a + next(g) * next(g)
def sorted_keys(x):
    return sum(v * k for k, v in enumerate(sorted(x * [3., 1., 2.], key=operator.neg)))
def mapped(x):
    y = np.zeros(3); m = map(operator.mul, y, x); y[:] = x ** 2
    return sum(m)
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
