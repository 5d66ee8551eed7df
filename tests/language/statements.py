"""Statements: assignments, branches, loops, and what stands beside them."""

import contextlib
import dataclasses
import logging
import math

import numpy as np

from tests.language.rows import shows

log = logging.getLogger(__name__)
X = np.array([0.3, 0.7, 1.1])

@shows("assignment", args=(0.7,))
def assigned(x):
    a = b = x * x
    c: float = a * b
    d: float
    d = c + x
    return d * c

@shows("unpacking", args=(X,))
def unpacked(x):
    a, b = x[0] * x[1], x[2]
    (c, [d, e]), f = (a, [b, a * b]), x[1]
    first, *rest = x[0], c, d
    *most, last = [e, f, a]
    p, q, r = x
    return first * rest[0] * rest[1] + most[0] * most[1] * last + p * q**2 * r

@shows("augmented assignment", args=(0.7, 1.9), wrt=(0, 1))
def augmented(x, y):
    x += y
    x -= y * y
    x *= x
    x /= y
    x **= 2
    y %= 1.5
    count = 7
    count //= 2
    return x * y * count

@shows("augmented assignment", args=(np.eye(3) + 0.3, X), wrt=(0, 1))
def matmul_assigned(m, x):
    y = m * 2.0
    y @= m
    z = x * 1.0
    z @= y
    return np.sum(z**2)

@shows("`:=`", args=(0.7,))
def walrus(x):
    if (y := x * x) < 1.0:
        return y * x
    return y

@shows("`del` of names", args=(0.7,))
def deleted(x):
    y = x * x
    z = y * x
    del y
    return z

@shows("statements that compute nothing", args=(0.7,))
def nothing(x):
    """A docstring."""
    pass
    ...
    print(f"x is {x:.3f}")
    log.debug("x is %s", x)
    return x * x

@shows("`if`", args=(0.7,))
@shows("`if`", args=(1.7,))
@shows("`if`", args=(2.7,))
def branched(x):
    if x < 1.0:
        y = x * x
    elif x < 2.0:
        y = x**3
    else:
        y = np.sin(x)
    if y > 5.0:
        y = 2 * y
    return y * x

@shows("conditional expressions", args=(0.7,))
@shows("conditional expressions", args=(-0.7,))
def conditional(x):
    return (x * x if x > 0 else -x) * (1.0 if x < 2.0 else x)

@shows("conditions", args=(0.7, 0.4), wrt=(0, 1))
def conditions(x, y):
    inside = 0.0 < x < 1.0 and not y > 1.0
    named = "a" in ("a", "b") and "c" not in {"a": 1}
    if (inside or x > 3.0) and named and x is not None and not (y is None):
        return x * y
    return x

@shows("`for` over `range`", args=(0.7, 3))
def counted(x, n):
    y = x
    for k in range(n):
        y = y * x + k
    for k in range(6, 1, -2):
        y = y + x**k
    return y

@shows("`for` over arrays", args=(np.arange(6.0).reshape(3, 2) / 5 + 0.1,))
def rows(m):
    total = 0.0
    for row in m:
        for entry in row:
            total = total + entry * row[0]
    return total

@shows("`for` over tuples and lists", args=(0.7,))
def listed(x):
    total = 0.0
    for scale, power in ((1.0, 2), (0.5, 3)):
        total = total + scale * x**power
    for part in [x, x * x, 1.0]:
        total = total * part
    for part in np.sin, np.cos:
        total = total + part(x)
    return total

@shows("`zip`, `enumerate`, `reversed`", args=(X, 2 * X), wrt=(0, 1))
def zipped(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total = total + a * b**2
    for a, b in zip(x, y, strict=True):
        total = total * a + b
    for k, a in enumerate(x, start=1):
        total = total + a**k
    for a in reversed(x):
        total = total * a
    return total

@shows("`while`", args=(2.0,))
def repeated(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x

@shows("`break` and `continue`", args=(0.7,))
def interrupted(x):
    y = x
    for k in range(10):
        if k % 2:
            continue
        y = y + x * k
        if y > 5.0:
            break
    while True:
        y = y * 0.5
        if y < 1.0:
            break
    return y * y

@shows("`else` of loops", args=(0.7,))
@shows("`else` of loops", args=(0.2,))
def exhausted(x):
    y = x
    for _ in range(3):
        y = y + x
        if y > 2.0:
            break
    else:
        y = y * y
    while y < 1.0:
        y = 2 * y
    else:
        y = y * x
    return y

@shows("`return`", args=(0.7,))
@shows("`return`", args=(1.7,))
@shows("`return`", args=(0.1,))
def early(x):
    if x > 1.0:
        return x * x
    for k in range(4):
        if k * x > 1.5:
            return x**k
    return np.sin(x)

@shows("`assert` and `raise`", args=(0.7,))
def guarded(x):
    assert x > 0, f"x is {x}"
    if x > 10:
        raise ValueError("too large")
    return x * x

class Mode:
    """Names with a dot."""

    square = "square"

@shows("`match` on values", args=(0.7, "square"))
@shows("`match` on values", args=(0.7, 3))
@shows("`match` on values", args=(0.7, "circle"))
@shows("`match` on values", args=(0.7, None))
def matched(x, kind):
    match kind:
        case Mode.square:
            return x * x
        case "circle" | "disc":
            return np.pi * x * x
        case 3:
            return x**3
        case None:
            return x
        case _:
            return 2 * x

@dataclasses.dataclass
class Disc:
    """A shape with a radius."""

    radius: float

class Box:
    """A shape that says what its patterns are about."""

    __match_args__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

@shows("`match` on classes", args=(0.7,))
def area_of_both(x):
    total = 0.0
    for shape in (Disc(x), Box(x, 2 * x)):
        match shape:
            case Disc(radius=r):
                total += np.pi * r * r
            case Box(a, b):
                total += a * b
    return total

@shows("`match` with captures and guards", args=(0.7, 3))
@shows("`match` with captures and guards", args=(0.7, -3))
def captured(x, k):
    match k:
        case n if n > 0:
            return x**n
        case 0 | 1 as small:
            return x * small
        case other:
            return x * other

@shows("`None` at first", args=(X,))
def smallest_of(x):
    best = place = None
    for k, v in enumerate(x):
        w = v * np.cos(2 * v)
        if best is None or w < best:
            best, place = w, k
    previous = None
    for v in x:
        if previous is not None:
            best = best * v
        previous = v
    return best * x[place]


@shows("`try`", args=(0.7, "2.5"))
@shows("`try`", args=(0.7, "many"))
def attempted(x, text):
    try:
        power = float(text)
    except ValueError:
        power = 3.0
    else:
        power = power + 1.0
    finally:
        log.debug("read")
    return x**power

@shows("`try` around what is differentiated", args=(0.7,))
@shows("`try` around what is differentiated", args=(-0.7,))
def root_or_square(x):
    try:
        y = math.sqrt(x)
        z = y * x
    except ValueError:
        return x * x
    return y + z

@shows("`finally` alone", args=(0.7,))
def finally_done(x):
    try:
        y = x * x
        y = y * math.sin(x)
    finally:
        log.debug("done")
    return y * x

@contextlib.contextmanager
def noted():
    """Do nothing on the way in, and nothing on the way out."""
    yield 2.0

@shows("`with`", args=(0.7,))
def within(x):
    with np.errstate(all="ignore"):
        y = x * x
    with noted() as factor, contextlib.nullcontext():
        y = y * factor
    return y * x

@shows("names assigned on some ways only", args=(0.7,))
def perhaps(x):
    if x > 0:
        y = x * x
    return y * x
