"""Programs that write through views, look at memory in other ways, or hold records."""

import operator
import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

def imag_2d(x):
    z = np.outer(x, x) * (1 - 1j)
    z[1].imag = x * 3
    z.T.imag[2] = x[0] * x
    np.imag(z)[0, 1] = x[2]
    return np.sum(np.abs(z) ** 2 * np.arange(9.).reshape(3, 3))
def flat_cycle(x):
    y = np.outer(x, x)
    y.flat = x
    return np.sum(y * y * np.arange(9.).reshape(3, 3))
def flat_aug_repeat(x):
    y = np.outer(x, x)
    y.flat[[1, 1, 2]] += x
    return np.sum(y * y * np.arange(9.).reshape(3, 3))
def flat_name(x):
    y = np.outer(x, x)
    it = y.flat
    it[3] = x[0]
    t = next(it) + next(it) * 2
    return np.sum(y * y) + t + it.index + len(it) + it[5] * x[0]
def flat_array(x):
    y = np.outer(x, x)
    return np.sum(np.array(y.flat)[1:] * np.arange(8.)) + sum(y.flat) + np.sum(np.asarray(y.T.flat)) + np.sum(list(y.flat)) + np.sum(y.flat * np.arange(9.)) + y.flat.copy()[2]
def flat_const(x):
    y = np.zeros((2, 3))
    y.flat[1:4] = x
    y.flat[[0, 0, 5]] = x ** 2
    return np.sum(y * y)
def shape_assign(x):
    y = x * 2
    y.shape = (3, 1)
    return np.sum(y @ y.T)
def shape_assign_view(x):
    y = np.outer(x, x)
    w = y.ravel()
    w.shape = (3, 3)
    w[0, 1] = x[2]
    return np.sum(y * y)
def shape_assign_written(x):
    y = np.zeros(4); y[1:] = x
    y.shape = (2, 2)
    y[0, 0] = x[0]
    return np.sum(y @ y)
def require(x):
    y = np.require(x, requirements="C")
    z = np.require(np.outer(x, x), float, ["F", "W"])
    z[0] = x
    return np.sum(y ** 2) + np.sum(z ** 2)
def contiguous_scalar(x):
    return np.sum(np.ascontiguousarray(x[0]) ** 2) + np.require(x[1], requirements="O") * x[2]
def structured(x):
    a = np.zeros(3, dtype=[("v", float), ("n", int)])
    a["v"] = x ** 2
    a["n"] = 2
    return np.sum(a["v"] * x * a["n"])
def structured_item(x):
    a = np.zeros(3, dtype=[("v", float), ("w", float, (2,))])
    a["v"][1] = x[0]
    a[2]["v"] = x[1] * x[0]
    a["w"][0] = x[:2]
    a[1]["w"][1] = x[2]
    a["v"] *= x
    return np.sum(a["v"] * x) + np.sum(a["w"] ** 2) + a[2]["v"] * a["v"][1]
def structured_tuplewrite(x):
    a = np.array([(1.0, 2.0), (3.0, 4.0)], dtype=[("v", float), ("w", float)])
    for row in a:
        row["v"] += x[0] * x[1]
    return np.sum(a["v"] ** 2 * a["w"])
def structured_from_boxes(x):
    a = np.array([(x[0], 2.0), (x[1], 4.0)], dtype=[("v", float), ("w", float)])
    return np.sum(a["v"] ** 2 * a["w"])
def windows_2d(x):
    w = sliding_window_view(np.outer(x, x), (2, 2))
    return np.sum(w.sum(axis=(2, 3)) ** 2) + np.sum(np.lib.stride_tricks.sliding_window_view(x, window_shape=2, axis=0)[:, 1] ** 2)
def windows_write(x):
    y = np.concatenate([x, x ** 2])
    w = sliding_window_view(y, 3, writeable=True)
    w[1, 2] = x[0] * 5
    return np.sum(np.prod(w, axis=-1)) + y[3] * x[1]
def strided(x):
    y = np.concatenate([x, x ** 2])
    w = as_strided(y, (4, 3), (y.strides[0], y.strides[0]))
    return np.sum(np.prod(w, axis=1))
def strided_x(x):
    w = as_strided(x, shape=(2, 2), strides=(x.itemsize, x.itemsize))
    return np.sum(np.prod(w, axis=1))
def setflags(x):
    y = x * x
    y.flags.writeable = False
    y.setflags(write=False)
    try:
        y[0] = 1.0
    except ValueError:
        return np.sum(y)
    return np.sum(y) * 3
def shares(x):
    y = x * 2; w = y[1:]
    s = np.shares_memory(y, w) + 2 * np.may_share_memory(x, y) + 4 * np.may_share_memory(y, w)
    return np.sum(y * y) * s
def struct_nested(x):
    a = np.zeros(2, dtype=[("p", [("v", float), ("w", float)]), ("m", float, (2, 2))])
    a["p"]["v"] = x[:2]
    a["p"]["w"][1] = x[2]
    a[0]["p"]["w"] = x[1] ** 2
    a["m"][1] = np.outer(x[:2], x[1:])
    a[1]["m"][0, 0] *= x[0]
    return np.sum(a["p"]["v"] * a["p"]["w"]) + np.sum(a["m"] ** 2)
def struct_copy_row(x):
    a = np.zeros(3, dtype=[("v", float), ("w", float)])
    a["v"] = x; a["w"] = x ** 2
    a[0] = a[1]
    a[2], b = (x[1], 2.0), a[1]
    v, w = b
    return np.sum(a["v"] * a["w"]) + v * w * x[0] + b[0] * b["w"]
def struct_mask(x):
    a = np.zeros(3, dtype=[("v", float), ("k", int)])
    a["k"] = [1, 2, 1]
    a["v"] = x
    sel = a[a["k"] == 1]
    return np.sum(sel["v"] ** 2)
def struct_tolist(x):
    a = np.zeros(3, dtype=[("v", float), ("k", int)])
    a["v"] = x; a["k"] = [2, 0, 1]
    return sum(v * k for v, k in a.tolist())
def struct_multi(x):
    a = np.zeros(3, dtype=[("v", float), ("w", float), ("k", int)])
    a[["v", "w"]] = [(x[0], x[1]), (x[1], x[2]), (0.0, 1.0)]
    return np.sum(a["v"] * a["w"])
def struct_list(x):
    a = np.zeros(2, dtype=[("v", float), ("w", float)])
    a[:] = [(x[0], 1.0), (x[1] * x[2], 3.0)]
    return np.sum(a["v"] * a["w"] ** 2)
def struct_rec_get(x):
    a = np.rec.fromarrays([np.zeros(3), np.ones(3)], names="v,w")
    a["v"] = x
    return np.sum(a.v * a.w * x) + a[1].v * x[0]
def fft_parts(x):
    z = np.fft.fft(x); z.imag[0] = x[1]; z.real *= 2
    return np.sum(np.abs(np.fft.ifft(z)) ** 2)
def imag_slices(x):
    z = np.outer(x, x) * (1 + 2j); z[::-1].imag[0, ::2] = x[:2]; z.imag[:, 1] += z.real[:, 0]
    return np.sum(np.abs(z) ** 2)
def shape_const(x):
    y = np.ones(4); s = x[0] * y; y.shape = (2, 2); y *= 3.0
    return np.sum(s) * x[1] + np.sum(y * x[2])
def resize_shape(x):
    y = np.arange(6.0) * x[0]; y.shape = -1, 2
    return np.sum(y[1] * y[2]) + y.shape[0]
def windows_2nd(x):
    y = np.concatenate([x, x]); w = np.lib.stride_tricks.sliding_window_view(y, 2)
    y[1] = x[2] ** 2
    return np.sum(np.exp(w[:, 0] * 0.3) * w[:, 1])
def item_write(x):
    y = x * 1; operator.setitem(y, slice(0, 2), x[1]); operator.iadd(y, x)
    return y @ y
def rec_swap(x):
    a = np.zeros(2, [("v", float), ("m", float)]); a[0] = (x[0], x[1]); a[1] = (x[2], 1.0)
    b = a.copy(); a[0], a[1] = b[1], b[0]
    return a["v"][0] * a["m"][1] + b[0]["v"] ** 2
def vec_2d(x):
    f = np.vectorize(lambda m: np.linalg.det(m), signature="(n,n)->()")
    return np.sum(f(np.stack([np.outer(x, x) + np.eye(3), np.diag(x)])))
def put_parts(x):
    z = np.zeros(3, complex); np.put(z.imag, [0, 2], x[:2]); z.imag.fill(x[0]); z.real.sort()
    return np.sum(np.abs(z) ** 2)
def matmul_out(x):
    z = np.zeros((3, 3), complex); np.matmul(np.outer(x, x), np.outer(x, x), out=z.imag); np.add.at(z.real, (0, [0, 0]), x[:2])
    return np.sum(np.abs(z) ** 2) * 1e-3
def differences(x):
    y = x * 1.0
    z = np.diff(y, n=0)
    z[0] = 7.0
    return np.sum(y * x) + np.sum(np.diff(x, append=0.5) ** 2) + np.sum(np.diff(x, 2, -1, 1.0) ** 2)
