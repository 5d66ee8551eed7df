"""Programs of users: functions with effects that are handed over, kept, or chosen."""

import contextlib
import functools

import numpy as np


def bump(y):
    y += 1.0
    return y


def bound_arguments(x):
    y = x * x
    act = functools.partial(np.add, 1.0, out=y)
    return np.sum(y) * np.sum(act(y))


class Kept:
    made = 1.0

    def __init__(self, y, act=bump):
        self.values, self.act, self.calls = act(y), act, 1.0

    def tick(self, v):
        self.calls += 1.0
        return v * self.calls

    def __add__(self, other):
        self.calls += other
        return self.calls


def method_as_a_value(x):
    kept = Kept(x * x)
    act = kept.tick
    return kept.calls * x[0] + act(x[1]) + kept.calls * act(x[2])


def method_mapped(x):
    kept = Kept(x * x)
    return kept.calls * sum(map(kept.tick, x)) * kept.calls


def mapped_beside(x):
    y = x * x

    def act(v):
        y[0] += v
        return v

    return y[0] + sum(map(act, [x[0], x[1]])) * y[0]


def in_turn(y, n):
    return in_turn_too(y, n - 1) if n else y


def in_turn_too(y, n):
    made = in_turn(y, n - 1) if n > 0 else y
    y *= 2.0
    return made


def recursion_through_another(x):
    y = x * x
    return np.sum(y) + np.sum(in_turn(y, 4)) * y[0]


def inner_function_handed_on(x):
    y = x * x

    def act(v):
        y[0] *= 2.0
        return v

    def around(g, v):
        return y[0] + g(v) + y[0]

    return around(act, x[1]) * 2.0 + y[0] * around(act, x[2])


def head_of_a_while(x):
    y, calls = x * x, [0]

    def more():
        calls[0] += 1
        y[0] *= 1.1
        return calls[0] < 4

    total = 0.0
    while more():
        total += y[0]
    return total * calls[0]


def heads_of_statements(x):
    y = x * x
    for v in bump(y):
        y[1] += v
    if bump(y)[0] > 100.0:
        return y[0]
    with contextlib.nullcontext(bump(y)) as z:
        y = z * x
    return [v for v in bump(y)][1] * y[0]


def popped_beside_the_list(x):
    stack = [1.0, x[0], x[1]]
    longer, pair = stack + [stack.pop()], (stack, stack.pop())
    return len(longer) * longer[1] * len(pair[0]) + pair[1]


def reverse_polish_notation(x):
    stack = [1.0]
    for token in ["0", "1", "*", "2", "+"]:
        if token == "*":
            stack.append(stack.pop() * stack.pop())
        elif token == "+":
            stack.append(stack.pop() + stack.pop())
        else:
            stack.append(x[int(token)])
    return stack[-1] * len(stack)
