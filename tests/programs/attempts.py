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


TABLE = np.array([[2.0, 0.3], [0.3, 1.0]])


@program(args=(TABLE,), label="body")
@program(args=(TABLE + np.array([[0.0, 2.0], [2.0, 0.0]]),), label="handler")
def factorised(a):
    a = 0.5 * (a + a.T)
    # not definite: add to the diagonal
    try:
        factor = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(a + 3.0 * np.eye(2))
    return np.sum(np.log(np.diag(factor)))


@program(args=(TABLE,), label="body")
@program(args=(TABLE - np.array([[1.8, 0.0], [0.0, 0.0]]),), label="both")
def factorised_in_a_loop(a):
    a = 0.5 * (a + a.T)
    total = 0.0
    for k in range(3):
        try:
            factor = np.linalg.cholesky(a + 0.1 * k * np.eye(2))
        except (ValueError, KeyError):
            factor = a
        except np.linalg.LinAlgError:
            factor = a * a
        else:
            total += np.sum(factor)
        finally:
            total += 1.0
        total += np.sum(np.diag(factor) ** 2)
    return total


@program(args=(X,))
def cleaned_up(x):
    y = x[0]
    try:
        y = y * x[1]
        for _ in range(2):
            y = y * x[2] + y
    finally:
        z = y**2; w = 2  # fmt: skip
    return y * z * w


@program(args=(X,))
def handler_that_raises(x):
    try:
        y = np.linalg.norm(x)
    except ValueError:
        raise RuntimeError("no norm") from None
    return y
