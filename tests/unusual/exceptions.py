"""Statements that are left half way, with effects before, behind and in between."""

from random import Random
from textwrap import indent

EFFECTS = [
    "y[0] *= a",
    "y += c",
    "LOG.append(float(len(LOG)))",
    "STATE['n'] += 1.0",
    "t = t + y[1] * 2.0",
    "OBJ.v = y[0] * 2.0\nt = t + OBJ.v",
    "rows.append(y[0] * a)",
    "y = y * a",
    "y[1:] = y[:-1] * a",
    "d['k'] = y[1] * 3.0",
    "t += STATE['n'] * y[0]",
    "np.multiply(y, a, out=y)",
    "z = y\nz[1] += a",
    "rows[-1] = rows[-1] * y[2]",
    "t += y[0] * len(LOG)",
    "c[0] += 1.0",
    "t = y[0] * y[1]",
]
RAISING = [
    "raise ValueError('x')", "raise Carry(y[0] * 2.0)", "{}['k']", "[][1]", "1 // 0",
    "next(iter(()))", "assert False, 'no'", "int('q')", "np.linalg.inv(np.zeros((2, 2)))",
    "fail(y)", "fail_after(y)", "y[7]", "raise KeyError", "None.attr", "np.zeros(2) + np.zeros(3)",
    "y.reshape(7)", "check(y[0])", "Obj.raises(y)", "undefined_name",
    "float('nan') and math.sqrt(-1.0)", "a, b_ = [1.0]",
]  # fmt: skip
CATCHING = [
    "except Exception",
    "except (ValueError, LookupError, ArithmeticError, TypeError, Carry)",
    "except BaseException as err",
    "except Exception as err",
]
# E1 to E4 are effects, R raises, C catches
FRAMES = """try:
    E1
    R
    E2
C:
    E3
E4
---
try:
    E1
    R
C:
    E3
else:
    E2
finally:
    E4
---
try:
    try:
        E1
        R
    finally:
        E2
C:
    E3
---
with contextlib.suppress(Exception):
    E1
    R
    E2
E3
---
for i in range(3):
    try:
        E1
        if i == 1:
            R
        E2
    C:
        E3
        continue
    E4
---
for i in range(3):
    try:
        E1
        if i == 1:
            R
    C:
        E2
        break
    finally:
        E3
else:
    E4
---
for i in range(3):
    try:
        E1
        if i == 1:
            break
    finally:
        E3
else:
    E4
---
for i in range(4):
    try:
        if i == 2:
            continue
        E1
    finally:
        E2
else:
    E3
---
i = 0
while True:
    i += 1
    try:
        E1
        if i > 2:
            R
        E2
    C:
        E3
        break
---
def go(q):
    nonlocal t, y
    try:
        E1
        return t * q
    finally:
        E2
t = t + go(y[0])
---
def go(q):
    nonlocal t, y
    try:
        E1
        R
    finally:
        E2
        return t * q
t = t + go(y[0])
---
def go(q):
    nonlocal t, y
    for i in range(3):
        try:
            E1
            R
        finally:
            E2
            if i == 1: break
            continue
    return q * t
t = go(y[0])
---
with Swallow() as s:
    E1
    R
    E2
E3
---
with Swallow() as s, Swallow() as s2:
    E1
    with Swallow():
        R
    E2
    R
E3
---
with contextlib.ExitStack() as st:
    st.callback(LOG.append, 2.0)
    st.push(lambda *e: True)
    E1
    R
E3
---
@contextlib.contextmanager
def cm():
    nonlocal t, y
    E1
    try:
        yield y
    C:
        E2
    finally:
        E3
with cm() as v:
    t = t + v[0]
    R
---
def gen():
    nonlocal t, y
    try:
        yield y[0] * 2.0
        E1
        yield y[1]
    finally:
        E2
g = gen()
t = t + next(g)
E3
g.close()
E4
---
def gen():
    nonlocal t, y
    try:
        yield y[0] * 2.0
    C:
        E1
        yield y[1]
g = gen()
t = t + next(g)
E3
t = t + g.throw(ValueError)
E4
---
for q in y:
    try:
        E1
        if q > 0.5:
            R
        t = t + q
    C:
        E2
        t = t - q * 2.0
---
try:
    for q in y.copy():
        E1
        if q > 0.5:
            R
C:
    E2
else:
    E3
E4
---
try:
    t = t + sum(check(q) * q for q in y)
C:
    E1
E2
---
try:
    E1
    try:
        R
    except Exception as inner:
        E2
        raise Carry(y[1]) from inner
except Carry as err:
    t = t + err.args[0]
    E3
---
try:
    E1
    try:
        R
    except Exception:
        E2
        raise
C:
    E3
E4
---
n = 0
while n < 3:
    try:
        n += 1
        if n == 2:
            R
        E1
    C:
        E2
    else:
        E3
else:
    E4
---
try:
    y[0], y[1] = bump(y), check(y[1])
C:
    E1
E2
---
try:
    rows.append(bump(y) * check(y[2] + 5.0))
C:
    E1
E2
---
try:
    t = bump(y) + check(y[2] + 5.0)
C:
    E1
E2
---
try:
    y[bump_i()] += check(9.0)
C:
    E1
E2
---
try:
    d['k'] = d['m'] = check(9.0)
C:
    E1
E2
---
try:
    y[:2] = [bump(y), check(9.0)]
C:
    E1
E2
---
try:
    E1
    if y[0] > 0:
        R
except KeyError:
    E2
C:
    E3
---
for attempt in range(3):
    try:
        t = t + retry(y)
        E1
        break
    C:
        E2
else:
    E3
---
err = None
try:
    R
except Exception as e:
    err = e
if err is not None:
    E1
E2""".split("\n---\n")
RESULTS = [
    "return t * np.sum(y * y) + d['k'] * OBJ.v + sum(rows) * STATE['n'] + c @ y",
    "return np.sum(y * y) * t + rows[-1] + d['k']",
    "return t + y @ y",
]
HEAD = """LOG = []
STATE = {'n': 1.0}
COUNT = [0]
class Carry(Exception):
    pass
class Obj:
    v = 0.0
    @staticmethod
    def raises(y):
        y[0] += 1.0
        raise TypeError
class Holder:
    def __init__(self): self.v = 0.5
OBJ = Holder()
class Swallow:
    def __enter__(self): LOG.append(7.0); return self
    def __exit__(self, kind, value, tb): STATE['n'] += 1.0; return True
def fail(y):
    raise ArithmeticError
def fail_after(y):
    y *= 1.5
    raise LookupError
def check(q):
    if q > 0.6:
        raise ValueError(q)
    return q * 2.0
def bump(y):
    y[1] *= 1.3
    return y[1]
def bump_i():
    LOG.append(5.0)
    return 1
def retry(y):
    COUNT[0] += 1
    y[2] *= 1.1
    if COUNT[0] % 3:
        raise OSError
    return y[2] * y[0]
def f(x, a):
    y = x.copy()
    c = np.array([0.1, 0.2, 0.3, 0.4])
    t = 1.0
    d = {'k': 0.3, 'm': 0.4}
    rows = [x[0] * 1.5]
"""
ARGUMENTS = """
def args1(): return np.array([0.31, 0.72, 0.53, 0.44]), 1.3
def args2(): return np.array([0.71, 0.22, 0.93, 0.84]), 0.7
"""


def drawn(draw: Random) -> str:
    """Return a program: a statement that may be left, with one effect or with effects all over."""
    only = draw.choice(["E1", "E2", "E3", "E4", "", "", "", ""])
    raising, catching = draw.choice(RAISING), draw.choice(CATCHING)
    lines = []
    for line in draw.choice(FRAMES).splitlines():
        word = line.strip()
        text = {"R": raising, "C:": f"{catching}:"}.get(word, word)
        if word in ("E1", "E2", "E3", "E4"):
            text = draw.choice(EFFECTS) if only in ("", word) else "pass"
        lines.append(indent(text, line[: len(line) - len(word)]))
    body = "\n".join([*lines, draw.choice(RESULTS)])
    return HEAD + indent(body, "    ") + ARGUMENTS
