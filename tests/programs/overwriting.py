"""Names that are assigned more than once: what backward reads must be the old value."""


import numpy as np

from tests.programs.table import program


@program(args=(0.7, 2.4), wrt=(0, 1))
def overwritten_in_a_while(x, y):
    while y > 1:
        t = x
        x = y * 0.4
        y = t + x * x
    return x * y * t


@program(args=(0.77,))
def loop_variable_read_afterwards(x):
    t = 1.0
    for v in [1.0, x]:
        t = t * v
    return t * v * x


@program(args=(0.3, 0.4), wrt=(0, 1))
def overwritten_by_what_it_is_computed_from(x, y):
    x = np.sinh(x if x > 0 else x * 1.0)
    y = np.cosh(y if y > 0.1 else +y) + x
    return x * y


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

@program(args=(0.7, 2.5), wrt=(0, 1), recorded=True)
def masked_write_into_an_array_without_axes(x, y):
    a, b = np.where(x < 1, x * x, 1.0), np.where(y < 1, y, y**3)
    a[x >= 2] = 0
    b[y >= 2] = x
    return 0.5 * a + 3.0 * b
