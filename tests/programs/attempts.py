"""`try` around what is not differentiated, and context managers around what is."""

import contextlib

import numpy as np

from tests.programs.table import program

X = np.array([0.5, 1.2, 0.8])

@contextlib.contextmanager
def section(name):
    yield name

class Timer:
    def __enter__(self):
        self.count = 0
        return self

    def __exit__(self, *error):
        self.count += 1
        return False


@program(args=(X,))
def around_active_code(x):
    with Timer(), section("first") as name:
        y = np.sin(x) * len(name)
        with np.errstate(divide="ignore"):
            z = y / x
    return np.sum(z)

TABLE = np.array([[2.0, 0.3], [0.3, 1.0]])


@program(args=(X,))
def handler_that_raises(x):
    try:
        y = np.linalg.norm(x)
    except ValueError:
        raise RuntimeError("no norm") from None
    return y


@program(args=(X,), order2=False, recorded=True)  # in forward mode
def one_inside_the_other(x):
    v = x[1]
    try:
        try:
            y = v**3
            if y > 1.0:
                raise ValueError("too large")
            z = y * v
        except ValueError:
            if v > 1.1:
                raise ZeroDivisionError from None
            z = v * 0.5
    except ZeroDivisionError:
        z = v * v
    return z * x[0]

@program(args=(X,))
def appended_last(x):
    kept = []
    for v in x:
        try:
            if v > 1.0:
                raise ValueError("too large")
            kept.append(v**3)
        except ValueError:
            kept.append(v)
    return sum(k * v for k, v in enumerate(kept))

@program(args=(TABLE,))
def factorised_at_last(a):
    for k in range(4):
        try:
            factor = np.linalg.cholesky(a - 2.5 * np.eye(2) + 2.0 * k * np.eye(2))
            break
        except np.linalg.LinAlgError:
            continue
    else:
        raise ValueError("not positive definite")
    return np.sum(np.log(np.diag(factor)))


class Missed(Exception):
    """What was looked for is not there."""

    def __init__(self, at):
        """Hold where it was looked for."""
        super().__init__(at)
        self.at = at

def sought(v):
    if v > 1.0:
        raise Missed(v * v)
    return np.sin(v)

@program(args=(X,), order2=False, recorded=True)  # in forward mode
def exception_that_is_only_written_down(x):
    found, lost = 0.0, []
    for v in x:
        try:
            here = sought(v)
        except Missed as missed:
            lost.append(f"{missed}")
            here = 0.1 * v
        found = found + here * x[0]
    return found + len(lost)
