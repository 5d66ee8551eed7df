"""Statements that have no derivative and must go on working: print, assert, with, del, …"""

import logging
import math

import numpy as np

from tests.programs.table import program

logger = logging.getLogger(__name__)


@program(args=(0.7,))
def printing(x):
    print("starting at", x)
    y = math.sin(x)
    print(f"sin: {y:.3f}", end="\n", sep=" ")
    return y * x


@program(args=(0.7,))
def printing_in_a_loop(x):
    for k in range(3):
        x = x * 1.1 + k
        if k % 2 == 0:
            print(k, "->", x)
    return x**2


@program(args=(0.7, 1.2), wrt=(0, 1))
def logging_of_active_values(x, y):
    z = x * y
    logger.debug("z is %g", z)
    logger.info("x=%s y=%s", x, y)
    logging.debug(f"{z!r}")
    return z * z


@program(args=(0.7,))
def assertions(x):
    assert x > 0
    y = math.log(x)
    assert y < 0 < x, f"{y} must be negative"
    return y * x


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def assertions_on_arrays(a):
    assert a.ndim == 2 and a.shape[1] == 3
    assert np.all(np.isfinite(a)), "not finite"
    assert isinstance(a, np.ndarray)
    return np.sum(a**3)


@program(args=(0.7, 3))
def formatted_text(x, n):
    label = f"x = {x:8.3f}, n = {n:>3}"
    key = "n=%d" % n
    text = "{} {}".format(label, key) + "!"
    return x**2 * len(text)


@program(args=lambda rng: (np.array([0.5, -0.2, 1.3]),))
def errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / np.abs(x)
        z = y * x**2
    return np.sum(z)


@program(args=(1.4,), label="goes on")
def return_in_a_with(x):
    with np.errstate(over="ignore"):
        y = np.exp(x)
        if y < 2:
            return y * x
        y = y / 2
    return y


@program(args=(0.4,))
def loop_in_a_with(x):
    with np.errstate(over="ignore"):
        for k in range(4):
            x = x * 1.5
            if x > 1:
                break
    return x + k


@program(args=(0.7, 1.2), wrt=(0, 1))
def deleted_names(x, y):
    a = x * y
    b = a * a
    del a
    c = b + x
    del b, y
    return c * c


@program(args=(0.7,))
def deleted_in_a_loop(x):
    for k in range(3):
        t = math.sin(x) * k
        x = x + t
        del t
    return x


@program(args=(0.7, True), label="pass")
@program(args=(0.7, False), label="work")
def pass_statements(x, skip):
    pass
    if skip:
        pass
    else:
        x = x * x
    for _ in range(2):
        pass
    return x**2


@program(args=(0.7,))
def annotated_assignments(x):
    y: float = x * x
    n: int = 3
    z: "float"
    z = y**n
    w: np.ndarray | float = z + y
    return w * x


@program(args=(0.7, 2))
def annotated_parameters(x: float, n: int = 2, *, scale: float = 1.5) -> float:
    return scale * x**n


@program(args=(0.7,))
def documented(x):
    """Return something simple.

    The docstring has "quotes", a percent sign % and braces {x}.
    """
    "A string on its own."
    1 + 1
    ...
    return x**2


@program(args=lambda rng: (rng.normal(size=4),))
def rounding_is_flat(x):
    return np.sum(x * np.floor(3 * x) + np.sign(x) * x**2 + np.round(x, 1) * x)


@program(args=(0.7, 4))
def static_comprehension(x, n):
    exponents = [k for k in range(n) if k % 2]
    total = 0.0
    for k in exponents:
        total = total + x**k
    return total * sum(j * j for j in range(n))


@program(args=lambda rng: (rng.normal(size=3), 0.3), wrt=(0, 1))
def random_draws_with_a_seed(x, scale):
    rng = np.random.default_rng(3)
    noise = rng.normal(size=3)
    return np.sum((x + scale * noise) ** 2)


@program(args=(0.7, 1.3), wrt=(0, 1))
def semicolons_and_one_liners(x, y):
    a = x * y; b = a + x  # fmt: skip
    if b > 0: a = a * b  # fmt: skip
    for _ in range(2): a = a + b; b = b * y  # fmt: skip
    return a * b
