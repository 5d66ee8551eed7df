"""Code, defaults and cells of functions."""

from __future__ import annotations

import numpy as np

from srcgrad import grad
from tests.facts.cases import X, changing, copy_of


def _square(v):
    return v * v


def _exponential(v):
    return np.exp(v)


@changing
def _code_of_a_called_function():
    helper = copy_of(_square)

    def fn(x):
        return np.sum(helper(x))

    return (
        fn,
        (X,),
        [
            lambda: setattr(helper, "__code__", _exponential.__code__),
            lambda: setattr(helper, "__code__", _square.__code__),
        ],
    )


@changing
def _code_two_levels_deep():
    deep = copy_of(_square)

    def middle(v):
        return deep(v) * 2.0

    def fn(x):
        return np.sum(middle(x))

    return fn, (X,), [lambda: setattr(deep, "__code__", _exponential.__code__)]


@changing
def _code_of_the_function_itself():
    def fn(x):
        return np.sum(x * x)

    def other(x):
        return np.sum(np.exp(x))

    return fn, (X,), [lambda: setattr(fn, "__code__", other.__code__)]


@changing
def _code_with_other_parameters():
    def fn(x):
        return np.sum(x * x)

    def other(x, scale=2.0):
        return np.sum(np.exp(x)) * scale

    def change():
        fn.__defaults__ = (3.0,)
        fn.__code__ = other.__code__

    return fn, (X,), [change]


@changing
def _defaults_of_the_function_itself():
    def fn(x, k=2.0, mode="sin"):
        return np.sum(np.sin(x) if mode == "sin" else np.cos(x)) * k

    return (
        fn,
        (X,),
        [
            lambda: setattr(fn, "__defaults__", (3.0, "sin")),
            lambda: setattr(fn, "__defaults__", (3.0, "cos")),
            lambda: setattr(fn, "__defaults__", (np.array(2.0), "cos")),
        ],
    )


@changing
def _keyword_defaults_of_the_function_itself():
    def fn(x, *, k=2.0, mode="sin"):
        return np.sum(np.sin(x) if mode == "sin" else np.cos(x)) * k

    return (
        fn,
        (X,),
        [
            lambda: setattr(fn, "__kwdefaults__", {"k": 3.0, "mode": "sin"}),
            lambda: fn.__kwdefaults__.update(mode="cos"),
            lambda: fn.__kwdefaults__.update(k=5.0),
        ],
    )


@changing
def _defaults_of_a_called_function():
    def helper(v, k=2.0, *, mode="sin"):
        return (np.sin(v) if mode == "sin" else np.cos(v)) * k

    def fn(x):
        return np.sum(helper(x))

    return (
        fn,
        (X,),
        [
            lambda: setattr(helper, "__defaults__", (3.0,)),
            lambda: setattr(helper, "__kwdefaults__", {"mode": "cos"}),
            lambda: helper.__kwdefaults__.update(mode="sin"),
        ],
    )


@changing
def _default_list_of_a_called_function():
    def helper(v, fns=[np.sin]):
        for f in fns:
            v = f(v)
        return v

    def fn(x):
        return np.sum(helper(x))

    return fn, (X,), [lambda: helper.__defaults__[0].append(np.exp)]


@changing
def _defaults_that_only_their_place_knows():
    scale = [2.0]

    def helper(v, s=scale):
        return v * s[0]

    fns = [lambda v, k=k: v**k for k in (2, 3)]

    def fn(x):
        return np.sum(helper(x)) * 2.0 + np.sum(fns[0](x))

    return (
        fn,
        (X,),
        [
            lambda: scale.__setitem__(0, 5.0),
            lambda: setattr(helper, "__defaults__", ([7.0],)),
            lambda: setattr(fns[0], "__defaults__", (4,)),
            fns.reverse,
        ],
    )


@changing
def _defaults_of_a_method():
    class M:
        def run(self, x, k=2.0):
            return np.sum(x * x) * k

    m = M()
    return (lambda x: m.run(x)), (X,), [lambda: setattr(M.run, "__defaults__", (5.0,))]


@changing
def _cell_of_a_called_function():
    mode, scale = "sin", 2.0

    def helper(v):
        return (np.sin(v) if mode == "sin" else np.cos(v)) * scale

    def fn(x):
        return np.sum(helper(x))

    def set_mode(value):
        nonlocal mode
        mode = value

    def set_scale(value):
        nonlocal scale
        scale = value

    return (
        fn,
        (X,),
        [
            lambda: set_mode("cos"),
            lambda: set_scale(3.0),
            lambda: set_scale(np.array([1.0, 2.0, 3.0])),
        ],
    )


@changing
def _cell_with_a_function():
    helper = _square

    def fn(x):
        return np.sum(helper(x))

    def change():
        nonlocal helper
        helper = _exponential

    return fn, (X,), [change]


@changing
def _inactive_call_that_becomes_another():
    def size(v):
        return 2.0

    def fn(x, n):
        return np.sum(x * x * size(n))

    def other(v):
        return 3.0

    def array(v):
        return np.array([1.0, 2.0, 3.0])

    return (
        fn,
        (X, 3),
        [
            lambda: setattr(size, "__code__", other.__code__),
            lambda: setattr(size, "__code__", array.__code__),
        ],
    )


@changing
def _kept_call_that_begins_to_write():
    def look(v):
        return None

    def write(v):
        v[...] = 2.0

    def fn(x, a):
        t = a * 1.0
        y = np.sum(x * t)
        look(t)
        return y + np.sum(x * t)

    return fn, (X, np.ones(3)), [lambda: setattr(look, "__code__", write.__code__)]


@changing
def _function_as_argument():
    helper = copy_of(_square)

    def fn(x, f):
        return np.sum(f(x))

    return fn, (X, helper), [lambda: setattr(helper, "__code__", _exponential.__code__)]


@changing
def _derivative_inside():
    inner = copy_of(_cube_sum)

    def fn(x):
        return np.sum(grad(inner)(x) ** 2)

    return fn, (X,), [lambda: setattr(inner, "__code__", _exponential_sum.__code__)]


def _cube_sum(v):
    return np.sum(v**3)


def _exponential_sum(v):
    return np.sum(np.exp(v))


@changing
def _derivative_from_outside():
    inner = copy_of(_cube_sum)
    slope = grad(inner)

    def fn(x):
        return np.sum(slope(x) ** 2)

    return fn, (X,), [lambda: setattr(inner, "__code__", _exponential_sum.__code__)]


@changing
def _derivative_of_a_derivative():
    inner = copy_of(_number)
    return (
        grad(inner),
        (0.4,),
        [
            lambda: setattr(inner, "__defaults__", (3.0,)),
            lambda: setattr(inner, "__code__", _other_number.__code__),
        ],
    )


def _number(v, k=2.0):
    return np.sin(v) * k


def _other_number(v, k=2.0):
    return np.exp(v) * k
