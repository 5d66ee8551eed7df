"""Programs that were differentiated wrongly once, found by ``make fuzz`` and made small."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(np.array([-1.2, 1.3]),))
def result_made_by_an_iteration_that_returns(x):
    """The iteration that leaves the loop hands on a value of a shape of its own."""
    for _ in (3,):
        w = np.full((3, 2), x).max(axis=0)
        if np.any(w > -5.0):
            return w[1]
    return 0.5

@program(args=(0.4, np.array([1.0, -1.0])), wrt=(0, 1), vector=True)
def tuple_returned_early(x, y):
    if x > 0:
        return x, y * x
        x = 0.5
    return 0.5, y


@program(args=(-0.4,))
def call_in_an_arm_of_an_expression(y):
    """It is made only where the condition holds: math.sqrt would raise."""

    def root(p):
        return math.sqrt(-p)

    return root(y) * 2.0 if y < 0 else y

@program(args=(0.8,))
def lists_of_several_kinds_of_values(y):
    """What a loop keeps is partly without a cotangent, and a list itself."""
    for e in np.ones(3) * y:
        for k in (3,):
            e = np.einsum("ii->i", np.ones((k, k)) * e)
        else:
            y = e[2]
        y = np.sin(y)
    return y


OTHER = np.ones(3)

@program(args=(np.array([0.3, 0.7, -0.4]), 1), recorded=True)
def element_of_a_list_that_is_replaced(x, k):
    """The array is not found in the list any more when its own name has another meaning."""
    b = np.full(3, 0.5)
    rows = [1.0, b]
    c = b
    for _ in range(2):
        c[:] = 0.1
        c = np.zeros(3) + OTHER
    rows[k] = 0.7
    y = x * b * x
    for b in [1.0, 2.0]:
        y = y * b
    return np.sum(y)

@program(args=(0.89,))
def index_of_a_number_as_an_array(y):
    """The tangent of an array is one, where the array was made of a number."""
    a = np.asarray(y)
    return a[()] * a[None][0] + np.asarray(y * y)[...] * 2.0

@program(args=(np.array([0.3, 0.7, -0.4]), 0), label="not read", recorded=True)
def array_from_outside_that_a_branch_reads(x, k):
    """What stands outside of the function has its value there, and no placeholder."""
    OTHER[:] = 1.0
    y = x
    if k:
        y = OTHER * x
    return np.sum(y * y)

@program(args=(0.3, 5), label="after")
def left_from_three_places_before_a_nest_of_loops(x, k):
    y, z, items = x, 0.5 * x, [x, 0.3]
    w = np.array([x, 0.2, 0.7])
    v = w
    y = 0.5 * y + w[k % 3]
    if k != 6:
        y = 0.5 * y + w[k % 3]
        y += x * x
        if k % 4 == 2 and k % 4 == 2:
            y += x * x
            y = 0.5 * y + w[k % 3]
            for j1 in range(1):
                if k % 4 == 1 or k > 0:
                    z = x
                    if k % 3 == 0:
                        return y
                    if k > 7:
                        break
                if k != 1 and k != 1:
                    if k > 0 or j1 == 2:
                        return y * z
        else:
            if k != 6:
                return y * z
    else:
        raise ArithmeticError("stopped")
    y += x * x
    z = x
    if k != 4:
        y = z
        for j2 in range(k % 3):
            j3 = 0
            while j3 < 3:
                j3 += 1
                if j3 == 0:
                    if k != 7 and k != 7:
                        break
                    if k != 7:
                        raise ArithmeticError("stopped")
    else:
        raise ArithmeticError("stopped")
    return y * x

FACTOR = 1.5

def handed_on(p):
    return p

@program(args=(0.7,))
def global_number_under_a_name_of_an_arm(x):
    """The name that a global number has in one arm only has a placeholder."""
    return handed_on((FACTOR or 0.1) * x if FACTOR > 2 else 0.5) * x

def _first(v, n):
    return v[:n]

def _through(v, n):
    return v if n else _through(v, 1)

@program(args=(np.array([0.84, 0.63, 0.51]), 2), label="called", recorded2=True)
def call_in_an_arm_that_keeps_what_it_is_given(x, k):
    y = x
    if k:
        y = _first(x, k)
    return np.sum(_through(y, k) ** 2)

class _Weighted:
    def __init__(self, a, b=2.0):
        self.a, self.b = a, b

def _deep(depth, x):
    if depth:
        return _deep(depth - 1, x)
    else:
        return x[1] * _Weighted(a=x[0]).b * _Weighted(x[2], x[0]).a

@program(args=(np.array([0.8, 1.2, -0.5]),))
def attribute_of_an_object_made_in_an_arm(x):
    return _deep(2, x)
