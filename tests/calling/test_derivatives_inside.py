"""Derivatives inside of functions that are differentiated, in every way to ask for them.

Each stands in a function as text and in one that is recorded, and is compared with differences.
"""

import functools
import itertools
import linecache
import zlib

import numpy as np
import pytest

import srcgrad
from srcgrad import differentiate, grad, hvp, jacobian, jvp, tape, vjp
from srcgrad.errors import ArgumentError
from tests.rotation import by_turns, has_its_turn


def power(x):
    """A number."""
    return np.sum(x**3)


def powers(x):
    """An array."""
    return x**3


def beside(x):
    """A number, and something beside it."""
    return np.sum(x**3), {"k": x * 2.0}


def pair(x):
    """Two parts."""
    return x**2, np.sum(x**3)


def record(x):
    """Two parts with names."""
    return {"a": x**2, "b": np.sum(x**3)}


def both(x, y):
    """An array of two arrays."""
    return np.sum(x * y) * y * x


def product(x, y):
    """A number of two arrays."""
    return np.sum(x * x * y * y)


def parts(p):
    """An array of a dict."""
    return p["a"] * p["b"] ** 2


def of_parts(p):
    """A number of a dict."""
    return np.sum(p["a"] ** 2 * p["b"] ** 2)


def scaled(x, *, k):
    """A number, with an argument that is given by name."""
    return np.sum(x**3 * k)


def all_scaled(x, *, k):
    """An array, with an argument that is given by name."""
    return x**3 * k


class Model:
    """Has methods, one of them decorated."""

    k = 2.0

    @differentiate(wrt="x")
    def f(self, x):
        """A number."""
        return np.sum(x**3 * self.k)

    def m(self, x):
        """A number."""
        return np.sum(x**3) * self.k

    def v(self, x):
        """An array."""
        return x**3 * self.k


SPACE = {
    **{name: getattr(srcgrad, name) for name in srcgrad.__all__},
    **{f.__name__: f for f in (power, powers, beside, pair, record, both, product)},
    **{f.__name__: f for f in (parts, of_parts, scaled, all_scaled)},
    "np": np,
    "functools": functools,
    "model": Model(),
    "Model": Model,
    "second": differentiate(product, wrt="y"),
    "two": differentiate(both, wrt=("x", "y")),
    "fast": differentiate(product, wrt=1, optimize="speed"),
    "with_aux": differentiate(beside, has_aux=True),
    "OPTIONS": {"optimize": "speed"},
}
CALLS = """
jacobian(pair)(x)[0]
jacobian(pair)(x)[1]
jacobian(record)(x)["b"]
jacobian(both, wrt=(0, 1))(x, x)[1]
jacobian(both, wrt=("x", "y"))(x, x)[0]
jacobian(both, wrt=["x", "y"])(x, x)[0]
jacobian(parts)(dict(a=x, b=x))["b"]
jacobian(both, wrt="y")(x, x)
jacobian(both, wrt=1)(x, y=x)
jacobian(both, wrt=-1)(x, x)
jacobian(all_scaled)(x, k=2.0)
jacobian(grad(product))(x, x)
jacobian(grad(product, wrt=(0, 1)), wrt=1)(x, x)[0]
jacobian(functools.partial(both, x))(x)
jacobian(lambda *a: a[0] ** 2 * a[1], wrt=1)(x, x)
jacfwd(jacrev(product), wrt=1)(x, x)
hessian(beside, has_aux=True)(x)
hessian(product, wrt=(0, 1))(x, x)[0][1]
hessian(of_parts)(dict(a=x, b=x))["a"]["b"]
hessian(scaled)(x, k=2.0)
hessian(product, wrt="y")(x, x)
hessian(product)(x, y=x)
hessian(functools.partial(product, y=x))(x)
hessian(lambda y: np.sum(jacobian(both)(x, y) @ y))(x)
hessian(lambda *a: np.sum(a[0] ** 2 * a[1] ** 2), wrt=(0, 1))(x, x)[1][0]
hvp(beside, has_aux=True)(x, x)
hvp(product, wrt=(0, 1))(x, x, (x, x))[1]
hvp(product, wrt="y")(x, x, x)
hvp(product, wrt=1)(x, x, x)
hvp(product, wrt=-1)(x, x, x)
hvp(of_parts)(dict(a=x, b=x), dict(a=x, b=x))["a"]
hvp(scaled)(x, x, k=2.0)
hvp(lambda y, z=x: np.sum(y**3 * z))(x, x)
hvp(lambda *a, **k: np.sum(a[0] ** 3 * k["y"]))(x, x, y=x)
grad(product, wrt="y")(x, x)
grad(product, wrt=("x", "y"))(x, x)[1]
grad(product, wrt=["x", "y"])(x, x)[1]
grad(product, -1)(x, x)
grad(beside, 0, True)(x)[0]
grad(beside, has_aux=True)(x)[1]["k"]
value_and_grad(beside, has_aux=True)(x)[0][1]["k"]
grad(scaled, wrt="k")(x, k=x)
grad(of_parts)(dict(a=x, b=x))["b"]
grad(lambda y: np.sum(hvp(product)(x, y, x)))(x)
vjp(both, x, x, wrt=(0, 1))[1](x)[0]
vjp(both, x, x, wrt="y")[1](x)
vjp(both, x, y=x)[1](x)
vjp(record, x)[1](dict(a=x, b=1.0))
vjp(pair, x)[1]((x, None))
vjp(parts, dict(a=x, b=x))[1](x)["b"]
vjp(all_scaled, x, k=x, wrt=("x", "k"))[1](x)[1]
vjp(grad(product, wrt=(0, 1)), x, x)[1]((x, x))
jvp(both, (x, x), (x, None))[1]
jvp(both, [x, x], [None, x])[1]
jvp(record, (x,), (x,))[1]["a"]
jvp(parts, (dict(a=x, b=x),), (dict(a=x, b=x),))[1]
jvp(parts, (dict(a=x, b=x),), (dict(a=x, b=None),))[1]
jvp(grad(product), (x, x), (None, x))[1]
jvp(lambda x: vjp(record, x)[1](dict(a=x, b=1.0)), (x,), (x,), recorded="allow")[1]
grad(second)(x, x)
second.grad(x, x)
second.hessian(x, x)
hessian(second)(x, x)
second.jacobian(x, x)
second.hvp(x, x, x)
hvp(second)(x, x, x)
second.vjp(x, x)[1](1.0)
vjp(second, x, x)[1](1.0)
second.jvp((x, x), (x, None))[1]
value_and_grad(second)(x, x)[1]
two.jacobian(x, x)[1]
jacobian(two)(x, x)[0]
two.vjp(x, x)[1](x)[1]
vjp(two, x, x, wrt=1)[1](x)
with_aux.grad(x)[1]["k"]
grad(with_aux)(x)[0]
with_aux.hessian(x)
hessian(with_aux)(x)
with_aux.hvp(x, x)
with_aux.value_and_grad(x)[1]
fast.grad(x, x)
fast.vjp(x, x)[1](1.0)
fast.hvp(x, x, x)
grad(model.f)(x)
model.f.hvp(x, x)
model.f.vjp(x)[1](1.0)
hvp(model.m)(x, x)
jacobian(model.v)(x)
jvp(model.v, (x,), (x,))[1]
hessian(model.m)(x)
grad(Model.m, wrt=1)(model, x)
hvp(Model.m, wrt="x")(model, x, x)
""".strip().split("\n")
OPTIONS = [
    "optimize='speed'", "recorded='allow'", "memory_budget='1GB'", "jit=None",
    "**{'optimize': 'speed'}", "**OPTIONS",
]  # fmt: skip
WITH_OPTIONS = [
    "grad(power, OPTION)(x)", "value_and_grad(power, OPTION)(x)[1]",
    "vjp(powers, x, OPTION)[1](x * 2.0)", "jvp(powers, (x,), (x,), OPTION)[1]",
    "jacobian(powers, OPTION)(x)", "jacfwd(powers, OPTION)(x)", "jacrev(powers, OPTION)(x)",
    "hessian(power, OPTION)(x)", "hvp(power, OPTION)(x, x * 2.0)",
]  # fmt: skip
CALLS += [
    call.replace("OPTION", option) for call, option in itertools.product(WITH_OPTIONS, OPTIONS)
]
AS_TEXT = """
def g(x):
    return np.sum(CALL * np.arange(1.0, 3.0))
"""
RECORDED = """
class Kept: pass

def g(x):
    kept = Kept()
    setattr(kept, "k" + str(1), CALL)
    return np.sum(kept.k1 * np.arange(1.0, 3.0))
"""
X, U = np.array([0.3, 0.7]), np.array([1.0, -2.0])
MODES = {
    "grad": lambda g: grad(g, recorded="allow")(X) @ U,
    "speed": lambda g: grad(g, recorded="allow", optimize="speed")(X) @ U,
    "vjp": lambda g: vjp(g, X, recorded="allow")[1](1.0) @ U,
    "jvp": lambda g: jvp(g, (X,), (U,), recorded="allow")[1],
    "jacobian": lambda g: jacobian(g, recorded="allow")(X) @ U,
    "tape": lambda g: tape.vjp(g, X)[1](1.0) @ U,
}


def central(f):
    """Return the slope of a function of a number at 0."""
    one, two = ((f(h) - f(-h)) / (2 * h) for h in (1e-4, 2e-4))
    return (4 * one - two) / 3


def function(source):
    """Return the function ``g`` of a text."""
    filename = f"<inside {zlib.crc32(source.encode())}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space = dict(SPACE)
    exec(compile(source, filename, "exec"), space)
    return space["g"]


@pytest.mark.parametrize("call", [call for call in CALLS if has_its_turn(call, 8)])
@pytest.mark.parametrize("frame", [AS_TEXT, RECORDED], ids=["text", "recorded"])
def test_derivatives_of_derivatives(call, frame):
    """They are those of differences, in all modes, and to second order."""
    g = function(frame.replace("CALL", call))
    expected = central(lambda t: g(X + t * U))
    for mode in by_turns(call, list(MODES)):
        np.testing.assert_allclose(MODES[mode](g), expected, 1e-6, 1e-7, err_msg=mode)
    slopes = grad(g, recorded="allow")
    expected = central(lambda t: slopes(X + t * U) @ U)
    np.testing.assert_allclose(hvp(g, recorded="allow")(X, U) @ U, expected, 1e-5, 1e-6)


def test_as_many_tangents_as_arguments():
    """A tangent that is missing is refused, as everywhere."""
    with pytest.raises(ArgumentError, match="2 arguments, and 1 tangents"):
        tape.grad(lambda x: np.sum(jvp(both, (x, x), (x,))[1]))(X)
    with pytest.raises(ArgumentError, match="has not a part for each"):
        tape.grad(lambda x: hvp(product, wrt=(0, 1))(x, x, (x,)))(X)


def first_there(h, y):
    for v in (h, y):
        if v is not None:
            return v
    return None


def with_what_was_there(x):
    h = None
    for _ in range(2):
        h = first_there(h, x)
    return np.sum(h * x**2)


def test_a_tuple_that_a_loop_goes_through_is_kept():
    """The derivative of a derivative keeps a tuple as it is, which has no method that copies."""
    slope = grad(with_what_was_there)
    x = np.array([0.4, -0.3, 1.1])
    found = grad(lambda *args, u: np.sum(slope(*args) * u), 0)(x, u=np.ones(3))
    np.testing.assert_allclose(found, 6 * x)
