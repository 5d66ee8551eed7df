"""Derivatives of derivatives of programs with recorded calls, which are recorded as a whole."""

import sys
import types
from pathlib import Path

import numpy as np
import pytest

from srcgrad import (
    errors,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    tape,
    value_and_grad,
    vjp,
)

X = np.array([0.3, 0.5, 0.7])
U = np.array([1.0, 2.0, 3.0])

# what is recorded: a definition, and a call of it with the array y and the number c
CALLEES = {
    "array": (
        (
            "def bent(x, n=2):\n    try:\n        return np.sin(x) * x * n\n"
            "    except ValueError:\n        return x\n"
        ),
        "np.sum(bent(y) * bent(y * c, n=3))",
    ),
    "number": (
        (
            "def bent(x):\n    try:\n        return np.sum(x**3)\n"
            "    except ValueError:\n        return 0.0\n"
        ),
        "bent(y) * c",
    ),
    "linear": (
        (
            "def bent(x):\n    try:\n        return 3.0 * x[::-1] + 1.0\n"
            "    except ValueError:\n        return x\n"
        ),
        "np.sum(bent(y) * y)",
    ),
    "several arguments": (
        (
            "def bent(a, b, *, c):\n    try:\n        return a * b + np.exp(b * c)\n"
            "    except ValueError:\n        return a\n"
        ),
        "np.sum(bent(y, y * 2.0, c=c))",
    ),
    "tuple": (
        (
            "def bent(x):\n    try:\n        return np.sin(x), np.sum(x * x), 3\n"
            "    except ValueError:\n        return x, 0.0, 0\n"
            "def taken(r):\n    return np.sum(r[0]) * r[1] * r[2]\n"
        ),
        "taken(bent(y))",
    ),
    "dicts": (
        (
            "def bent(p, k):\n    try:\n"
            "        return {'at': p['at'] * p['to'], 'to': np.sum(p['at'])**2 + k}\n"
            "    except KeyError:\n        return p\n"
        ),
        "np.sum(bent(bent({'at': y, 'to': c, 'n': 3}, c), 2.0)['at'])",
    ),
    "dataclass": (
        (
            "from dataclasses import dataclass\n"
            "@dataclass\nclass State:\n    at: object\n    to: float\n"
            "def bent(s):\n    try:\n        return State(s.at**2 * s.to, s.to + np.sum(s.at))\n"
            "    except ValueError:\n        return s\n"
        ),
        "bent(bent(State(y, c))).to",
    ),
    "method": (
        (
            "class Model:\n    def __init__(self, a):\n        self.a = a\n"
            "    def bent(self, x):\n        try:\n            return self.a * np.sin(x) * x\n"
            "        except ValueError:\n            return x\n"
            "MODEL = Model(np.array([1.0, 2.0, 0.5]))\n"
        ),
        "np.sum(MODEL.bent(y) * c)",
    ),
    "function with a derivative in it": (
        (
            "def inner(x, c):\n    return np.sum(np.tanh(x) * c)\n"
            "def bent(x, c):\n    try:\n        return grad(inner)(x, c) * x\n"
            "    except ValueError:\n        return x\n"
        ),
        "np.sum(bent(y, c))",
    ),
    "recursion": (
        (
            "def bent(x, n):\n    try:\n        return x * bent(np.sin(x), n - 1) if n else x\n"
            "    except ValueError:\n        return x\n"
        ),
        "np.sum(bent(y, 2)) * c",
    ),
}

# where it stands: a program of the array x
PLACES = {
    "straight": "def program(x):\n    y = x * x\n    c = x[0] + 1.0\n    return {call}\n",
    "loop": (
        "def program(x):\n    y, c, t = x * 1.0, x[1], 0.0\n    for k in range(2):\n"
        "        t = t + {call}\n        y = y * c\n    return t * t\n"
    ),
    "branch": (
        "def program(x):\n    y, c = x * 2.0, x[2]\n    if c > 0.0:\n        t = {call}\n"
        "    else:\n        t = np.sum(y)\n    return t * c\n"
    ),
    "helper": (
        "def helper(y, c):\n    s = {call}\n    return s * c\n"
        "def program(x):\n    return helper(x, x[0]) + helper(x * 2.0, 0.5)\n"
    ),
    "written array": (
        "def program(x):\n    y = np.zeros(3)\n    c = 1.5\n    y[0] = x[0]\n    t = {call}\n"
        "    y[1:] = x[1:] * x[0]\n    return t + {call}\n"
    ),
    "derivative": (
        "def energy(y, c):\n    return {call}\n"
        "def program(x):\n    return np.sum(grad(energy)(x, 2.0) * x)\n"
    ),
    "pushforward": (
        "def energy(y, c):\n    return {call}\n"
        "def program(x):\n    value, dot = jvp(energy, (x, 1.5), (x * x, None))\n"
        "    return value * dot\n"
    ),
}
CASES = [f"{callee}, {place}" for callee in CALLEES for place in PLACES]


def program(case, folder):
    """Return the program of a case, in a module of its own."""
    callee, place = case.split(", ")
    text, call = CALLEES[callee]
    text = "import numpy as np\nfrom srcgrad import grad, jvp\n" + text
    text += PLACES[place].format(call=call)
    file = Path(folder) / f"program_{CASES.index(case)}.py"
    file.write_text(text)
    module = types.ModuleType(file.stem)
    sys.modules[module.__name__] = module
    exec(compile(text, str(file), "exec"), vars(module))
    return module.program


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    """Recording is allowed here."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")


def slopes(f, x, h=1e-5):
    """Return differences of what a function gives, a column for each entry of its argument."""
    steps = h * np.eye(len(x))
    return np.stack([(f(x + s) - f(x - s)) / (2 * h) for s in steps], axis=-1)


@pytest.mark.one_of(12)
@pytest.mark.parametrize("case", CASES)
def test_second_derivatives(case, tmp_path):
    """Each callee at each place: all ways to the second derivative are right."""
    f = program(case, tmp_path)
    first = tape.grad(f)(X)
    gradient = grad(f)
    np.testing.assert_allclose(gradient(X), first, rtol=1e-9)
    np.testing.assert_allclose(value_and_grad(f)(X)[1], first, rtol=1e-9)
    wanted = slopes(tape.grad(f), X)
    ways = {
        "hessian": (hessian(f), wanted),
        "jacrev": (jacrev(gradient), wanted),
        "jacfwd": (jacfwd(gradient), wanted),
    }
    for name, (way, expected) in ways.items():
        for _ in range(2):
            np.testing.assert_allclose(way(X), expected, rtol=1e-5, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(hvp(f)(X, U), wanted @ U, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jvp(gradient, (X,), (U,))[1], wanted @ U, rtol=1e-5, atol=1e-6)
    value, backward = vjp(gradient, X)
    np.testing.assert_allclose(value, first, rtol=1e-9)
    np.testing.assert_allclose(backward(U), U @ wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.one_of(28)
@pytest.mark.parametrize("case", CASES)
def test_third_derivatives(case, tmp_path):
    """The third derivative is right as well."""
    f = program(case, tmp_path)
    product = hvp(f)
    along = grad(lambda x: np.sum(product(x, U) * U))
    wanted = slopes(lambda x: np.array(U @ hessian(f)(x) @ U), X)
    np.testing.assert_allclose(along(X), wanted, rtol=1e-4, atol=1e-5)


SCALE = 2.0
WRITTEN = []


class Owner:
    """Hold what a recorded method reads."""

    def __init__(self, a):
        self.a = a

    def bent(self, x):
        try:
            return self.a * np.sin(x) * x
        except ValueError:
            return x


def bent(x):
    """Read a global number."""
    try:
        return SCALE * np.sin(x) * x
    except ValueError:
        return x


def cubed(x):
    """Stand for another function."""
    try:
        return SCALE * x**3
    except ValueError:
        return x


def noting(x):
    """Have an effect."""
    try:
        WRITTEN.append(1)
        return x**2
    except ValueError:
        return x


def of_global(x, owner):
    """A recorded call of a function."""
    return np.sum(bent(x * x) ** 2)


def of_owner(x, owner):
    """A recorded call of a method."""
    return np.sum(owner.bent(x * x) ** 2)


def second(f, owner):
    """Return a Hessian by differences of gradients on the tape."""
    return slopes(lambda x: tape.grad(f)(x, owner), X)


@pytest.mark.parametrize("f", [of_global, of_owner])
def test_what_has_changed_between_two_calls(f, monkeypatch):
    """Numbers, attributes and the code of what is called: a Hessian is that of the moment."""
    owner = Owner(2.0)
    curvature = hessian(f)

    def agree():
        np.testing.assert_allclose(curvature(X, owner), second(f, owner), rtol=1e-5, atol=1e-6)

    agree()
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    owner.a = 5.0
    agree()
    owner.a = np.array([1.0, 2.0, 3.0])
    agree()
    owner.a = 1.0
    monkeypatch.setattr(bent, "__code__", cubed.__code__)
    monkeypatch.setattr(Owner, "bent", lambda self, x: self.a * x**2)
    agree()
    WRITTEN.clear()
    monkeypatch.setattr(bent, "__code__", noting.__code__)
    count = len(WRITTEN)
    agree()
    assert (len(WRITTEN) > count) == (f is of_global)


def test_arrays_that_are_written_behind_a_recorded_call():
    """The program's own, at each order, and those of an object between ``vjp`` and its backward."""

    def program(x):
        y = x * x
        y = y.copy()
        first = bent(y)
        out = np.zeros(3)
        out[:] = first
        out[0] = x[1]
        second = bent(out)
        out[1:] = 2.0
        return np.sum(second * out) + np.sum(first)

    wanted = slopes(tape.grad(program), X)
    np.testing.assert_allclose(hessian(program)(X), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(vjp(grad(program), X)[1](U), U @ wanted, rtol=1e-5, atol=1e-6)
    owner = Owner(np.ones(3))
    _, backward = vjp(grad(of_owner), X, owner)
    owner.a[0] = 7.0
    with pytest.raises(errors.OverwrittenError):
        backward(U)
