"""Names that are assigned more than once: what backward reads must be the old value."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.7,), tags=("third",))
def one_name_for_everything(x):
    x = x * x
    x = math.sin(x)
    x = x * x * x
    x = math.exp(x)
    return x

@program(args=(0.7, 1.2), wrt=(0, 1))
def every_augmented_operator(x, y):
    z = x
    z += y
    z *= x
    z -= y * z
    z /= x + y
    z **= 2
    z %= 5.0
    n = 7
    n //= 2
    z *= n
    return z + x

@program(args=(0.7,))
def augmented_by_itself(x):
    x += x
    x *= x
    x -= x * x
    return x * math.exp(x)

@program(args=(0.7, 2.4), wrt=(0, 1))
def overwritten_in_a_while(x, y):
    while y > 1:
        t = x
        x = y * 0.4
        y = t + x * x
    return x * y * t

@program(args=(0.37,))
def loop_that_ends_at_once(x):
    y = x
    for _ in range(3):
        y = y * 0.5 + x * x
        break
    for _ in range(2):
        y += x * x
        return y * x
    return y

@program(args=(0.77,))
def loop_variable_read_afterwards(x):
    t = 1.0
    for v in [1.0, x]:
        t = t * v
    return t * v * x

@program(args=(0.7, 2.0), label="left")
def read_in_the_else_of_a_loop(x, r):
    t = x
    for k in range(1, 4):
        t = t * k
        if t > r:
            break
        t = t + 0.5
    else:
        x = t
    return x * t

@program(args=(0.3,))
def written_by_the_function_it_is_given_to(x):
    q = np.full(2, x)
    w = _raised(q, np.exp(q))
    return np.sum(w * w)

def _raised(p, q):
    view = q
    view[...] += 0.5
    return view * p

@program(args=(0.3, 0.4), wrt=(0, 1))
def overwritten_by_what_it_is_computed_from(x, y):
    x = np.sinh(x if x > 0 else x * 1.0)
    y = np.cosh(y if y > 0.1 else +y) + x
    return x * y

@program(args=(0.3, 0.4), wrt=(0,), tags=("flat",))
def replaced_in_a_loop(x, y):
    for _ in range(2):
        z = x * y
        x = y * y
    return z + x

@program(args=(-1.166,), tags=("third",))
def array_without_dimensions_in_a_loop(x):
    for _ in range(2):
        x = np.where(x < 2.0, x, 0.5)
        x = np.cos(x) + x
    return x

@program(args=(2.3,))
def written_into_integers(x):
    y = np.arange(4)
    for k in range(3):
        y[k] = x * k
    z = np.zeros(2, dtype=int)
    z[0] = x * 2.0
    return np.sum(y * x) + z[0] * x

@program(args=(2.3,))
def filled_integers(x):
    y = np.full(3, 2)
    y.fill(x)
    y[1] += x
    return np.sum(y * x)

@program(args=(0.7, np.ones((2, 3)) / 6), wrt=(0, 1))
def one_value_under_names_that_come_and_go(x, y):
    late = 0.0
    for _ in range(3):
        parts = dict(a=x if x else 0.5, b=y)
        early = parts["a"]
        x = x + 0.1 * np.sum(early**3)
        early = parts["b"]
        x = x + np.sum(early) * late
        late = parts["a"]
    return x + late
