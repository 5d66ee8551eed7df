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


@program(args=(X, "4"), label="body")
@program(args=(X, "many"), label="handler")
def option_read(x, text):
    try:
        # how many
        n = int(text)
    except ValueError:
        n = 3
    finally:
        m = 2.0
    return np.sum(x**n) * m


@program(args=(X, ["3", "a", "2"]))
def options_read_in_a_loop(x, texts):
    total = 0.0
    for k in range(3):
        weight = 1.0
        try:
            weight = float(texts[k])
        except ValueError:
            pass
        else:
            weight = weight + 1.0
        total += x[k] ** 2 * weight
    return total


@program(args=(X,))
def around_active_code(x):
    with Timer(), section("first") as name:
        y = np.sin(x) * len(name)
        with np.errstate(divide="ignore"):
            z = y / x
    return np.sum(z)
