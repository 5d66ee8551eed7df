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
def factorised(a):
    a = 0.5 * (a + a.T)
    # not definite: add to the diagonal
    try:
        factor = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(a + 3.0 * np.eye(2))
    return np.sum(np.log(np.diag(factor)))


@program(args=(TABLE,), label="body")
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


@program(args=(TABLE,), label="body")
def left_in_the_handler(a):
    try:
        low = np.linalg.cholesky(a @ a.T + a)
        z = np.linalg.solve(low, a[0])
    except np.linalg.LinAlgError:
        return np.sum(a**3)
    return z @ z + np.sum(np.log(np.diag(low)))


@program(args=(X,))
def left_in_both(x):
    return root_or_cube(x[0]) * x[2] + root_or_cube(x[1] ** 2)


def root_or_cube(v):
    try:
        if v > 1.0:
            raise ValueError("too large")
        return v**3
    except (ValueError, TypeError):
        return v * 0.5


@program(args=(X,))
def passed_over(x):
    total = 0.0
    for v in x:
        try:
            w = v**3
            assert w < 1.0
        except AssertionError:
            continue
        w = w * v
        total += w
    return total


@program(args=(X,))
def tried_again(x):
    total = 0.0
    for v in x:
        scale = 1.0
        while True:
            try:
                w = v**3 * [scale][int(v * scale > 1.0)]
                break
            except IndexError:
                scale *= 0.5
        total += w
    return total


@program(args=(X,))
def one_after_the_other(x):
    total = 0.0
    for v in x:
        y = v * 2.0
        try:
            a = np.sin(y)
            b = a * v
            if b > 0.8:
                raise ValueError("large")
            y = a * b
        except ValueError as error:
            print(str(error)[:0], end="")
            total += y
        else:
            total += y * a * b
        total += y
    return total


@program(args=(X, 2.0), label="goes on")
def stopped_in_the_body(x, limit):
    y = x
    for k in range(4):
        try:
            y = y * 1.2
            if np.max(y) > limit:
                raise OverflowError
        except OverflowError:
            y = x * x
            break
    return np.sum(y)


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
def an_array_of_its_own(x):
    total = 0.0
    for v in x:
        try:
            y = np.zeros(2)
            y[0] = v * v
            y[1] = v**3
            if y[1] > 1.0:
                raise ValueError("too large")
            w = np.sum(y)
        except ValueError:
            w = v
        total += w
    return total


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
