"""Statements that have no derivative and must go on working: print, assert, with, del, …"""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.7, 3))
def formatted_text(x, n):
    label = f"x = {x:8.3f}, n = {n:>3}"
    key = "n=%d" % n
    text = "{} {}".format(label, key) + "!"
    return x**2 * len(text)

@program(args=(1.4,), label="goes on")
def return_in_a_with(x):
    with np.errstate(over="ignore"):
        y = np.exp(x)
        if y < 2:
            return y * x
        y = y / 2
    return y

@program(args=(0.7,))
def deleted_in_a_loop(x):
    for k in range(3):
        t = math.sin(x) * k
        x = x + t
        del t
    return x

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


@program(args=(0.7, 1.3), wrt=(0, 1))
def semicolons_and_one_liners(x, y):
    a = x * y; b = a + x  # fmt: skip
    if b > 0: a = a * b  # fmt: skip
    for _ in range(2): a = a + b; b = b * y  # fmt: skip
    return a * b
