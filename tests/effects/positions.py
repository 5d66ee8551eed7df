"""Programs that call a helper beside what was read before, at every position of an expression."""

import numpy as np


def affine(a, b, c=1.0):
    """Give ``a * b + c``."""
    return a * b + c


def positions(w):
    """Return programs that call a helper at different positions.

    Args:
        w: a function of an array, into which it may write, that gives a number.
    """

    def beside_a_product(x):
        y = x * 1.0
        return np.sum(y * y) * w(y) + np.sum(y)

    def in_a_list(x):
        y = x * 1.0
        t = [np.sum(y * y), w(y), np.prod(y)]
        return t[0] * t[1] * t[2]

    def beside_items(x):
        y = x * 1.0
        return y[0] * w(y) * y[1]

    def among_arguments(x):
        y = x * 1.0
        return affine(y[0], w(y), np.sum(y))

    def in_a_tuple(x):
        y = x * 1.0
        a, b = y[0] * 2, w(y)
        return a * b + y[1]

    def added(x):
        y = x * 1.0
        t = np.sum(y)
        t += w(y)
        return t * np.sum(y * y)

    def by_itself(x):
        y = x * 1.0
        a = np.sum(y**2)
        w(y)
        return a * np.sum(y)

    def in_a_condition(x):
        y = x * 1.0
        return np.sum(y * y) * (w(y) if y[0] > -5 else 1.0) * y[1]

    def in_a_comparison(x):
        y = x * 1.0
        return (1.0 if y[0] < w(y) else 2.0) * np.sum(y * y)

    def in_a_loop(x):
        y = x * 1.0
        t = 0.0
        for k in range(2):
            t = t + y[k] * w(y) + np.sum(y)
        return t

    def after_what_is_kept(x):
        y = x * 1.0
        z = y * y
        u = np.sin(y)
        w(y)
        return np.sum(z * u * y)

    def after_a_view(x):
        y = x * 1.0
        v = y[:2]
        a = np.sum(v * v)
        b = w(y)
        return a * b + np.sum(v)

    def in_a_dict(x):
        y = x * 1.0
        d = {"a": np.sum(y), "b": w(y), "c": y[0]}
        return d["a"] * d["b"] * d["c"]

    def by_keyword(x):
        y = x * 1.0
        return affine(b=y[1], a=w(y), c=np.sum(y))

    def in_an_index(x):
        y = x * 1.0
        a = np.arange(3.0)
        a[int(w(y) > -99)] = y[0]
        return np.sum(a * y)

    def in_an_array(x):
        y = x * 1.0
        return np.sum(np.array([y[0], w(y), y[1]]) * y)

    def in_a_comprehension(x):
        y = x * 1.0
        return sum([v * w(y) for v in (1.0, 2.0)]) * y[0]

    found = dict(locals())
    return {name: f for name, f in found.items() if name != "w"}
