"""Tables of a module: lists and dicts of tuples, functions and names, and stars before them."""

import numpy as np

from tests.programs.table import program

TABLE = [("a", 2.0, np.sin), ("b", 3.0, np.cos)]
WEIGHTS = {"q": (2.0, 3.0), "list": [1.5, 0.5]}
ROWS = [("sin", [0.5, 2.0]), ("cos", [1.5, 1.0])]


def rotation(t):
    return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])


def scaling(t):
    return np.array([[t, 0.0], [0.0, 1.0]])


GATES = {"rotation": rotation, "scaling": scaling}
CIRCUIT = [("rotation", 0), ("scaling", 1), ("rotation", 2)]


@program(args=(np.array([0.3, 0.7]),))
def rows_of_a_table(x):
    total = 0.0
    for _, weight, f in TABLE:
        total = total + weight * np.sum(f(x))
    return total


@program(args=(np.array([0.3, 0.7, 0.4]),))
def gates_of_a_circuit(x):
    state = np.array([1.0, 0.5])
    for gate, k in CIRCUIT:
        state = GATES[gate](x[k]) @ state
    return np.sum(state**2)


def quadratic(x, a, b):
    return a * np.sum(x) + b * np.sum(x**2)


@program(args=(np.array([0.3, 0.7]),))
def entry_with_a_star(x):
    return quadratic(x, *WEIGHTS["q"]) * quadratic(x, *WEIGHTS["list"])


@program(args=(np.array([0.3, 0.7]), "sin"), label="sin")
@program(args=(np.array([0.3, 0.7]), "cos"), label="cos")
def function_by_name(x, name):
    return np.sum(getattr(np, name)(x) ** 2)


@program(args=(np.array([0.3, 0.7]),))
def rows_with_lists(x):
    total = 0.0
    for name, (scale, power) in ROWS:
        total = total + scale * np.sum(getattr(np, name)(x) ** power)
    return total
