"""What is read from outside is what it was there, whoever writes into it afterwards."""

import linecache

import numpy as np
import pytest

from srcgrad import grad, source, tape, value_and_grad
from srcgrad.errors import MutationError
from tests import finite_differences as fd
from tests.in_memory import execute

X = np.array([0.3, 1.2, -0.7])
READING = {
    "its name": "S",
    "a view": "V",
    "an attribute": "G.S",
    "an entry": "D['k']",
    "an item": "L[0]",
    "a part": "S[0:3]",
}
WRITING = {
    "an entry": "S[1] = 7.0",
    "a product": "S[:2] *= 2.0",
    "another name": "t = S\n    t += 1.0",
    "the view": "V[2] = -4.0",
    "the attribute": "G.S[0] += 2.0",
    "an out": "np.multiply(S, 3.0, out=S)",
    "a method": "S.fill(5.0)",
    "a call": "change()",
    "a call of a call": "change_by(1.5)",
}
PROGRAMS = {
    "here": "a = x * {R}\n    {W}\n    return np.sum(a ** 2)",
    "called": "a = read(x)\n    {W}\n    return np.sum(a ** 2)",
    "called by a called": "a = reads(x)\n    {W}\n    return np.sum(a ** 2)",
    "before": "{W}\n    return np.sum(read(x) ** 2)",
    "given": "{W}\n    a = taking(x, {R})\n    return np.sum(a ** 2)",
    "twice": "a = read(x)\n    {W}\n    return np.sum(a * read(x) ** 2)",
    "number": "a = np.sum(read(x))\n    {W}\n    return a ** 2",
    "comprehension": "a = [read(x * k) for k in range(2)]\n    {W}\n    return np.sum(a[1] ** 2)",
    "loop": """s = 0.0
    for k in range(3):
        s = s + np.sum(read(x) ** 2)
        change()
    {W}
    return s""",
    "branch": """a = read(x)
    if np.sum(x) > 0.0:
        {W}
    return np.sum(a ** 2)""",
    "both": "return np.sum(both(x) ** 2) + np.sum(read(x) ** 3)",
}
HEAD = """
import numpy as np

S = np.array([1.0, 2.0, 3.0])
V = S[0:]

class Holder:
    pass

G = Holder()
G.S = S
D = {{"k": S}}
L = [S]

def change():
    S[1] += 0.5
    return 0.0

def change_by(k):
    t = k * change()
    S[0] = t + k
    return t

def read(p):
    return p * {R}

def taking(p, w):
    return p * w

def reads(p):
    return 2.0 * read(p) - p

def both(p):
    a = p * {R}
    {W}
    return a

def f(x):
    {BODY}
"""


@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_read_is_what_was_there_before_the_write(program, reading):
    texts = 0
    for number, writing in enumerate(WRITING):
        read, write = READING[reading], WRITING[writing]
        inner = write.replace("\n", "\n    ") if program == "branch" else write
        body = PROGRAMS[program].format(R=read, W=inner)
        file = f"<{program}, {reading}, {number}>"
        names = execute(HEAD.format(R=read, W=write, BODY=body), file)
        f, outside = names["f"], names["S"]

        def restored(x, f=f, outside=outside):
            outside[:] = 1.0, 2.0, 3.0
            return f(x)

        want = fd.gradient(restored, (X,), 0)
        for make in (
            lambda f: grad(f, recorded="refuse"),
            lambda f: lambda x: value_and_grad(f, recorded="refuse")(x)[1],
            tape.grad,
        ):
            try:
                derivative = make(f)
                for _ in range(2):
                    outside[:] = 1.0, 2.0, 3.0
                    np.testing.assert_allclose(derivative(X), want, atol=1e-5, err_msg=writing)
                texts += make is not tape.grad
            except MutationError:
                assert make is not tape.grad
        linecache.cache.pop(file, None)
    assert texts or program in ("before", "twice", "loop", "both")


@pytest.mark.parametrize(
    ("body", "copied"),
    [
        ("return np.sum(read(x) ** 2)", False),
        ("a = read(x)\n    change()\n    return np.sum(a ** 2)", True),
        ("a = x * S\n    S[1] = 7.0\n    return np.sum(a ** 2)", True),
    ],
)
def test_a_copy_is_kept_only_where_something_is_written_afterwards(body, copied):
    names = execute(HEAD.format(R="S", W="S[1] = 7.0", BODY=body), "<copied>")
    assert ("S_0 = S.copy()" in source(grad(names["f"]))) == copied
