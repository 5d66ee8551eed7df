"""`match` on what is not differentiated."""

import numpy as np

from tests.programs.table import program

X = np.array([0.5, -1.2, 0.8])


@program(args=(X, "tanh"), label="first")
@program(args=(X, "sin"), label="one of two")
@program(args=(X, None), label="none")
@program(args=(X, "other"), label="any")
def by_name(x, kind):
    # the activation
    match kind:
        case "tanh":
            y = np.tanh(x)
        case "sin" | "cos":
            y = np.sin(x)
        case None:
            y = x * x
        case _:
            y = x**3
    return np.sum(y)


@program(args=(X, 3), label="guard")
@program(args=(X, 1), label="no guard")
@program(args=(X, -1), label="value")
def with_guards(x, n):
    match n:
        case -1:
            return np.sum(x**2)
        case k if k > 2:
            x = x * k
        case other:
            x = x / (other + 1)
    return np.sum(x**3)


@program(args=(X,), label="vector")
@program(args=(np.ones((2, 2)) * 0.7,), label="matrix")
def by_shape(x):
    match x.shape:
        case (n,):
            return np.sum(x**2) * n
        case (m, n) if m == n:
            return np.sum(x @ x) * m
        case _:
            return np.sum(x)


@program(args=(X, "a", 2))
def of_two(x, kind, n):
    total = 0.0
    for k in range(3):
        match kind, n:
            case ("b", _):
                total += x[k]
            case ("a", 1 | 2 as m):
                if k == 1:
                    continue
                total += x[k] ** m
    return total
