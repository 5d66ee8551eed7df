"""Special methods and descriptors."""

from __future__ import annotations

import numpy as np

from tests.facts.cases import CASES, X


class _Constant:
    """A descriptor of the user's."""

    def __init__(self, value):
        self.value = value

    def __get__(self, owner, cls=None):
        return self.value


def _operators():
    class Ops:
        def __init__(self):
            self.w = 2.0

        scale = _Constant(2.0)

        def __getitem__(self, k):
            return self.w * (k + 1)

        def __len__(self):
            return 2

        def __iter__(self):
            return iter([1.0, self.w])

        def __contains__(self, k):
            return k == 1

        def __mul__(self, x):
            return x * self.w

        def __rmul__(self, x):
            return x * self.w * 3.0

        def __eq__(self, other):
            return other == 1

        def __enter__(self):
            return self.w

        def __exit__(self, *info):
            return None

        def __float__(self):
            return self.w

        __hash__ = None

    return Ops


def _loop(o, x):
    for k in o:
        x = x * k
    return np.sum(x)


def _within(o, x):
    with o as w:
        return np.sum(x * x) * w


OPERATORS = {
    "__getitem__": (lambda o, x: np.sum(x * x) * o[1], lambda self, k: self.w * 7.0),
    "__len__": (lambda o, x: np.sum(x * x) * len(o), lambda self: 5),
    "__iter__": (_loop, lambda self: iter([2.0, 3.0, self.w])),
    "__contains__": (lambda o, x: np.sum(x * x if 1 in o else x**3), lambda self, k: False),
    "__mul__": (lambda o, x: np.sum(o * x), lambda self, x: x * x),
    "__rmul__": (lambda o, x: np.sum(2.0 * o * x), lambda self, x: x * 5.0),
    "__eq__": (lambda o, x: np.sum(x * x if o == 1 else x**3), lambda self, other: False),
    "__enter__": (_within, lambda self: 11.0),
    "__float__": (lambda o, x: np.sum(x * x) * float(o), lambda self: 13.0),
    "scale": (lambda o, x: np.sum(x * x) * o.scale, _Constant(17.0)),
}
for _name, (_fn, _value) in OPERATORS.items():
    for _argument in (False, True):

        def _operator(fn=_fn, name=_name, value=_value, argument=_argument):
            cls = _operators()
            o = cls()
            changes = [lambda: setattr(o, "w", 4.0), lambda: setattr(cls, name, value)]
            if argument:
                return (lambda x, o: fn(o, x)), (X, o), changes
            return (lambda x: fn(o, x)), (X,), changes

        CASES[f"{_name}-{'argument' if _argument else 'global'}"] = _operator
