"""Programs that call through objects of operator and np.vectorize, and functions of np.frompyfunc."""

import operator
import numpy as np

def methodcaller(x):
    f = operator.methodcaller("sum", axis=0)
    return f(np.outer(x, x) * x) @ x + operator.methodcaller("dot", x)(x)
def methodcaller_write(x):
    y = x * 1
    operator.methodcaller("fill", x[0] ** 2)(y)
    return y @ x
def itemgetter_sort(x):
    rows = [(x[0], x[1]), (x[2], x[0] * 2)]
    rows = sorted(rows, key=operator.itemgetter(1))
    return rows[0][0] * rows[1][1] + max(rows, key=operator.itemgetter(0))[1]
class Obj:
    def __init__(self, v): self.v = v; self.w = np.zeros(3); self.w[1] = v[0]
    @property
    def twice(self): return self.v * 2
    def of(self, k): return self.v[0] * k
def attr_map(x):
    return sum(map(operator.attrgetter("twice"), [Obj(x), Obj(x**2)])) @ x
def attr_real(x):
    return operator.attrgetter("real")(np.sum(x * (1 + 1j)) ** 2)
def frompy_accumulate(x):
    f = np.frompyfunc(lambda a, b: a * b + a, 2, 1)
    return np.sum(f.accumulate(x) * x)
def frompy_accumulate_dtype(x):
    f = np.frompyfunc(lambda a, b: a * b + a, 2, 1)
    return np.sum(f.accumulate(x, dtype=object).astype(float) * x)
def frompy_astype(x):
    f = np.frompyfunc(lambda a: a * a, 1, 1)
    return np.sum(np.sin(f(x).astype(float))) + np.sum(np.array(f(x), dtype=float) * x)
def vec_sig(x):
    f = np.vectorize(lambda a, b: a @ b, signature="(n),(n)->()")
    return np.sum(f(np.outer(x, x), x) ** 2)
def vec_sig_mat(x):
    f = np.vectorize(lambda a, b: (np.outer(a, b), a), signature="(n),(m)->(n,m),(n)")
    p, q = f(np.outer(x, x), x[:2])
    return np.sum(p * q[..., None])
def vec_otypes(x):
    f = np.vectorize(lambda a: a * a if a > 1 else 0, otypes=[float])
    g = np.vectorize(lambda a: (a * a, a), otypes="dd")
    return np.sum(f(x) * x) + np.sum(g(x)[0] * g(x)[1])
def vec_cache(x):
    f = np.vectorize(lambda a: a * a, cache=True)
    return np.sum(f(x) * x)
def vec_otypes_deco(x):
    @np.vectorize(otypes=[float])
    def f(a): return a ** 3
    return f(x) @ x
def vec_int_first(x):
    f = np.vectorize(lambda a: 0 if a < 1 else a * 2)  # otype from first: int, truncates!
    return np.sum(f(x) * x)
