"""Names that a loop gives an object: it may be written under another name in a later iteration."""

import re

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp
from tests.finite_differences import gradient
from tests.in_memory import execute

HEAD = """
import numpy as np

class C:
    def __init__(self, v):
        self.v = v

    def bump(self):
        self.v = self.v + 1.0

class Other(C):
    pass

def f(x):
    a = x * 1.0
"""
PROGRAMS = {
    "outside": """    c = C(2.0)
    t = None
    for k in range(3):
        if t is not None:
            c.v = 4.0
            a = a * t[0].v
        t = (c,)
    return np.sum(a ** 2) * c.v""",
    "outside_obj": """    c = C(2.0)
    t = None
    for k in range(3):
        if t is not None:
            c.v = c.v * 2
            a = a * t.v
        t = c
    return np.sum(a ** 2) * c.v""",
    "bump": """    c = C(x[0])
    t = None
    for k in range(3):
        if t is not None:
            c.bump()
            a = a * t.v
        t = c
    return np.sum(a ** 2) * c.v""",
    "cur": """    cur = C(1.0)
    t = None
    for k in range(3):
        if t is not None:
            cur.v = 4.0
            a = a * t[0].v
        cur = C(2.0 * x[0])
        t = (cur,)
    return np.sum(a ** 2)""",
    "cur_nonone": """    cur = C(1.0)
    t = (cur,)
    for k in range(3):
        cur.v = 4.0 * x[1]
        a = a * t[0].v
        cur = C(2.0)
        t = (cur,)
    return np.sum(a ** 2)""",
    "items": """    items = [C(v) for v in x]
    hit = None
    for k, s in enumerate(items):
        if hit is not None:
            items[0].v = 3.0
            a = a * hit.v
        if s.v > 0.5:
            hit = s
    return np.sum(a ** 2)""",
    "items_that_are_written": """    items = [C(x[0]), C(x[1]), C(x[2])]
    hit = None
    for k, s in enumerate(items):
        s.v = s.v * 2
        if hit is not None:
            a = a * hit.v
        if s.v > 0.5:
            hit = s
    items[0].v = 7.0
    return np.sum(a ** 2) * hit.v""",
    "after": """    c = C(x[0])
    t = None
    for k in range(3):
        if k > 0:
            t = c
    c.v = x[1]
    return np.sum(a ** 2) * t.v""",
    "dict": """    d = {"v": 2.0}
    t = None
    for k in range(3):
        if t is not None:
            d["v"] = 4.0
            a = a * t["v"]
        t = d
    return np.sum(a ** 2)""",
    "list": """    d = [2.0, x[0]]
    t = None
    for k in range(3):
        if t is not None:
            d[0] = 4.0 * x[1]
            a = a * t[0]
        t = (d, k)[0]
    return np.sum(a ** 2)""",
    "while": """    c = C(x[0])
    t = None
    k = 0
    while k < 3:
        if t is not None:
            c.v = c.v + x[1]
            a = a * t.v
        t = c
        k += 1
    return np.sum(a ** 2)""",
    "array": """    w = np.ones(3)
    t = None
    for k in range(3):
        if t is not None:
            w[0] = 4.0
            a = a * t[0]
        t = (w, 1.0)
        t = t[0], 2.0
    return np.sum(a ** 2)""",
    "array2": """    w = x * 1.0
    t = None
    for k in range(3):
        if t is not None:
            w[0] = 4.0 * x[1]
            a = a * t[0]
        t = (w, 1.0)
    return np.sum(a ** 2)""",
    "branch": """    c = C(2.0)
    t = None
    if x[0] > 0:
        t = (c,)
    c.v = x[1]
    return np.sum(a ** 2) * (t[0].v if x[0] > 0 else 1.0)""",
    "tuple_with_a_list": """    c = [x[1], 1.0]
    t = None
    for k in range(3):
        if t is not None:
            a = a * t[1][0]
        t = (k, c)
    c[0] = 1.5
    return np.sum(a ** 2) * t[1][0] * c[0]""",
    "none_again": """    t = None
    for k in range(3):
        n = [x[k], 1.0]
        if t is not None:
            n[0] = n[0] + 2.0 * t[0]
        t = n
        if x[k] > 10.0 or k == 1:
            t = None
        if k == 1:
            break
    b = 1.0 if t is None else t[0]
    return np.sum(a ** 2) * b""",
    "none_in_between": """    hit = None
    for k in range(3):
        n = C(x[k] + x[0])
        if hit is not None:
            a = a + hit[1].v * x[1]
            n.v = 2.0
        if x[k] > 1.5:
            hit = (k, n)
        if k == 1:
            hit = None
    b = 1.0 if hit is None else hit[1].v
    return np.sum(a ** 2) * b""",
    "none_behind_others": """    hit = None
    s = 0.0
    items = [C(x[0]), Other(x[1]), C(x[2])]
    for k, o in enumerate(items):
        if hit is not None:
            s += hit.v * x[1]
        hit = o
        if k == 1:
            hit = None
            break
    if hit is not None:
        s = s + hit.v
    s = s + sum(o.v for o in items)
    return s * a[0]""",
}


@pytest.mark.parametrize(
    ("name", "unassigned"),
    [(n, late) for n in PROGRAMS for late in (False, True) if not (late and "none" in n)],
)
def test_the_object_is_that_of_the_write(name, unassigned):
    """Text or recorded, in both modes."""
    body = PROGRAMS[name]
    if unassigned:
        body = re.sub(r"^    (t|hit) = None\n", "", body, flags=re.MULTILINE)
        body = body.replace("if t is not None:", "if k > 0:").replace(
            "if hit is not None:", "if k > 1:"
        )
    f = execute(HEAD + body + "\n", f"<kept {name} {unassigned}>", {})["f"]
    x = np.array([1.0, 2.0, 3.0])
    expected = gradient(f, (x,), 0)
    found = grad(f, recorded="allow")(x)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(vjp(f, x, recorded="allow")[1](1.0), expected, rtol=1e-6)
    along = jvp(f, (x,), (x,), recorded="allow")[1]
    assert np.shape(along) == ()
    np.testing.assert_allclose(along, np.dot(expected, x), rtol=1e-6)
