"""Numbers and arrays that are None before a loop, or on some ways."""

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])


@program(args=(X,))
def smallest(x):
    best = None
    for v in x:
        w = v * np.sin(3 * v)
        if best is None or w < best:
            best = w
    return best


@program(args=(X,))
def largest_with_its_place(x):
    best = place = None
    for k in range(3):
        v = x[k] * np.cos(x[k] * 2)
        if best is None or v > best:
            best, place = v, k
    return best * x[place]


@program(args=(X,))
def value_before(x):
    previous, k, total = None, 0, 0.0
    while k < 3:
        current = x[k] ** 2
        if previous is not None:
            total = total + current * previous
        previous = current
        k += 1
    return total


@program(args=(X,))
def range_of_values(x):
    low = high = None
    for v in x:
        w = v * np.cos(4 * v)
        low = w if low is None else min(low, w)
        high = w if high is None else max(high, w)
    return (high - low) ** 2


def first_above(x, bound):
    for v in x:
        if v > bound:
            return v * v
    return None


@program(args=(X, 0.5), label="found")
def result_that_may_be_none(x, bound):
    found = first_above(x, bound)
    if found is None:
        return x[0] * x[1]
    return found * x[0]


class Best:
    """The largest value that was seen."""

    def __init__(self):
        self.value = None

    def see(self, v):
        if self.value is None or v > self.value:
            self.value = v


@program(args=(X,))
def in_an_object(x):
    best = Best()
    for v in x:
        best.see(v * v)
    return best.value * x[0]


@program(args=(X,))
def none_again(x):
    last, terms = None, []
    for v in x:
        if last is not None:
            terms.append(v * last)
        last = v * v
        if v > 1:
            last = None
    return sum(terms)


@program(args=(X,))
def states_with_names(x):
    state, y = "start", x[0]
    for v in x:
        if state == "start":
            state = "middle"
        elif state == "middle":
            y, state = y * v, "end"
        else:
            y = y + v
    return y


VECTOR = np.array([0.7, 0.2])


@program(args=(VECTOR, 4))
def largest_array_so_far(x, n):
    best = None
    for k in range(n):
        y = np.sin(x * k)
        if best is None or np.sum(y) > np.sum(best):
            best = y
    return np.sum(best**2)


@program(args=(VECTOR,))
def array_beside_the_best_loss(x):
    best, found = None, None
    for k in range(4):
        z = x * k - 1
        loss = np.sum(z**2)
        if best is None or loss < best:
            best, found = loss, z
    return best * np.sum(found)


@program(args=(np.array([[0.1, 0.2], [0.4, 0.1]]), VECTOR), wrt=(0, 1))
def state_that_is_none_at_first(w, x):
    h = None
    for _ in range(3):
        h = np.tanh(x) if h is None else np.tanh(w @ h + x)
    return np.sum(h)


@program(args=([np.array([0.1, 0.2]), np.array([0.3, 0.1])], VECTOR), wrt=(0, 1))
def previous_array(rows, x):
    previous = None
    total = 0.0
    for row in rows:
        h = np.tanh(row * x)
        if previous is not None:
            h = h + 0.5 * previous
        previous = h
        total = total + np.sum(h**2)
    return total + np.sum(previous)


@program(args=(VECTOR,))
def array_that_stays_none(x):
    best = None
    for k in range(3):
        if x[0] > 5:
            best = x * k
    return np.sum(x) ** 2 if best is None else np.sum(best)


@program(args=(VECTOR,), order2=False)  # second order is refused: it may have another name
def sum_that_is_none_at_first(x):
    total = None
    for k in range(3):
        part = x * k
        if total is None:
            total = part.copy()
        else:
            total += part
    return np.sum(total**2)


@program(args=(0.7, 4))
def table_of_none(x, n):
    table = [None, None, None, None, None]
    for k in range(n):
        table[k] = x * k
    total = 0.0
    for k in range(n + 1):
        if table[k] is not None:
            total = total + table[k] ** 2
    return total
