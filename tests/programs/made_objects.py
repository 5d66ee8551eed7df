"""Objects that are made inside of the function, and written to by their methods."""

import dataclasses

import numpy as np

from tests.programs.table import program

X = (np.array([0.5, -1.2, 0.8]),)
W = np.array([[0.3, -0.2, 0.5], [0.7, 0.1, -0.4]])
B = np.array([0.1, 0.2])

class Dense:
    """A layer."""

    def __init__(self, w, b, activation=np.tanh):
        """Hold the weights."""
        self.w = w
        self.b = b
        self.activation = activation

    def __call__(self, x):
        return self.activation(self.w @ x + self.b)

    def penalty(self):
        return np.sum(self.w**2)

class Network:
    """Layers, one behind the other."""

    def __init__(self, params):
        self.layers = [Dense(w, b) for w, b in params]
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        for layer in self.layers:
            x = layer(x)
        return x


@dataclasses.dataclass
class State:
    """A particle, and what is known about it."""

    position: np.ndarray
    velocity: np.ndarray
    t: float = 0.0
    trace: list = dataclasses.field(default_factory=list)

    def kick(self, dt):
        self.velocity = self.velocity - dt * self.position

    def drift(self, dt):
        self.position = self.position + dt * self.velocity
        self.t += dt


class Early:
    """Its constructor returns early."""

    def __init__(self, x, n):
        self.y = x
        if n > 2:
            self.y = x * 2
            return
        self.y = x**2

@program(args=([(W, B), (W.T, X[0])], X[0]), wrt=(0, 1))
def network(params, x):
    net = Network(params)
    return np.sum(net(x) ** 2) * net.calls

@program(args=([(W, B), (W.T, X[0])], X[0]), wrt=(1,))
def network_of_constants(params, x):
    layers = [Dense(w, b) for w, b in params]
    for layer in layers:
        x = layer(x)
    return np.sum(x**2)


@program(args=(X[0], 0.1), wrt=(0, 1))
def particle(x, dt):
    state = State(x, np.zeros(3))
    for _ in range(5):
        state.kick(dt)
        state.drift(dt)
    return np.sum(state.position * state.velocity) + state.t


@program(args=X)
def constructors(x):
    return Early(x[0], 3).y * Early(x[1], len(x) - 2).y

# one object, several names

class Box:
    """Holds a value."""

    def __init__(self, v):
        self.v = v

    def scale(self, k):
        self.v = self.v * k

    def keep(self, other):
        self.other = other

    def put(self, v):
        self.v = v
        return v * 2

class Two:
    """Holds two boxes."""

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def bump(self, x):
        self.a.v = self.a.v + x
        self.b.v = self.b.v * x

@program(args=X)
def held_twice(x):
    a = Box(x[0])
    pair = Two(a, a)
    pair.bump(x[1])
    return a.v * x[2]

# who else may have written to an object

class Bumped:
    """Counts."""

    def __init__(self, v):
        self.v = v

    def bump(self):
        self.v += 1

    def __enter__(self):
        self.v = self.v + 1
        return self

    def __exit__(self, *error):
        self.v = self.v * 2

class Derived(Bumped):
    """Inherits all."""


@program(args=X)
def changed_by_a_method_of_a_base(x):
    s = Derived(x[0])
    s.bump()
    Bumped.bump(s)
    bump = s.bump
    bump()
    return s.v * x[1] + isinstance(s, Bumped)

class Checked:
    def __init__(self, rate, size):
        self.rate, self.size = rate, size

    def validated(self):
        for name in ("rate", "size"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be positive")
        return self

    def scaled(self, factor):
        for name, power in (("rate", 1), ("size", 2)):
            setattr(self, name, getattr(self, name) * factor**power)

@program(args=(0.7, 1.3), wrt=(0, 1))
def attributes_by_names_that_a_loop_goes_through(x, y):
    checked = Checked(x, 2.0).validated()
    checked.scaled(y)
    return checked.rate * checked.size + sum(getattr(checked, name) for name in ("rate", "size"))

class Cell:
    def __init__(self, level, flow):
        self.level, self.flow = level, flow
        self.notes = []

    def step(self, force):
        self.flow = self.flow + 0.1 * force * self.level
        self.level = self.level + 0.1 * self.flow

class Channel:
    """Cells that know each other by their numbers."""

    def __init__(self, cells, rate):
        self.cells, self.rate = cells, rate
        self.by_number = {k: cell for k, cell in enumerate(cells)}

    def force(self, i):
        behind, ahead = self.cells[i - 1], self.cells[(i + 1) % len(self.cells)]
        return self.rate * (behind.level + ahead.level - 2.0 * self.cells[i].level)

    def run(self, steps):
        for _ in range(steps):
            forces = [self.force(i) for i in range(len(self.cells))]
            for cell, force in zip(self.cells, forces):
                cell.step(force)
        return sum(cell.level * cell.flow for cell in self.by_number.values())

@program(args=X, recorded=True)
def cells_by_their_numbers(x):
    return Channel([Cell(x[0], x[1]), Cell(x[1], x[2]), Cell(x[2], 0.3)], x[0]).run(3)

@program(args=X)
def cells_that_pull_at_each_other(x):
    cells = [Cell(x[0], x[1]), Cell(x[2], x[0])]
    for _ in range(4):
        for i in range(len(cells)):
            for j in range(len(cells)):
                if i != j:
                    cells[i].flow += 0.1 * (cells[j].level - cells[i].level)
        for k in range(len(cells)):
            cells[k].step(x[1])
    return cells[0].level * cells[1].flow

# methods as values


class Own:
    """Holds itself, and a method of its own."""

    def __init__(self, rate):
        self.rate, self.me, self.rules = rate, self, {"scale": self.scale}
        self.rate = rate * rate

    def scale(self, w):
        return self.rate * w

@program(args=X, recorded=True)
def object_that_holds_itself(x):
    own = Own(x[0])
    return np.sum(own.rules["scale"](x)) * own.me.rate

# lists of objects that become longer in loops and branches


@program(args=X)
def list_of_a_dataclass_that_grows(x):
    state = State(x, x[::-1])
    names = state.trace
    for k in range(3):
        state.kick(0.1)
        if state.velocity[0] > 0.6:
            names.append((k, state.velocity[k]))
            continue
        state.drift(0.1)
        state.trace.append((k, np.sum(state.position)))
    return sum(v * (k + 1) for k, v in state.trace) * len(names)

@dataclasses.dataclass
class Found:
    a: float
    b: float


@program(args=X)
def of_the_iteration_before(x):
    total = 0.0
    for k, v in enumerate(x):
        if k > 0:
            total += before.a * v + number * before.b  # noqa: F821 -- there is one by now
        before, number = Found(np.sin(v), v), v**2
    return total

@program(args=X)
def of_the_last_arm_that_was_taken(x):
    total = 0.0
    for v in x:
        if v > 0:
            made = {"a": v**2, "b": np.cos(v)}
        total += np.sin(made["a"]) * made["b"]
    return total

@program(args=X)
def closest_of_several(x):
    total = 0.0
    for t in (0.3, 1.0):
        least = np.inf
        for v in x:
            found = Found((v - t) ** 2, v)
            if found.a < least:
                least = found.a
                best = found
        total += best.b**2 * np.sqrt(best.a) + least
    return total + best.b

@program(args=X)
def nearest_or_none(x):
    total = 0.0
    for c in (0.35, 1.0, 5.0):
        best = None
        for v in x:
            if v**2 > c and (best is None or v < best.a):
                best = Found(v, v**2)
        if best is not None:
            total += best.a**2 * np.sin(best.b)
    return total + x[0]

@program(args=X)
def none_before_the_first(x):
    before, total = None, 0.0
    for v in x:
        now = Found(np.sin(v), v)
        if before is not None:
            total += (now.a - before.a) ** 2 * before.b
        before = now
    return total

@program(args=X)
def running_pair(x):
    state = None
    for v in x:
        if state is None:
            state = (v, v**2)
        else:
            m, s = state
            state = (m + 0.5 * s * v, s + np.sin(m))
    return state[0] * state[1]

@program(args=X)
def begun_and_reset(x):
    held = None
    total = x[0]
    for k, v in enumerate(x):
        if k % 2 == 0:
            if v > 0:
                held = Found(v, v**2)
        elif held is not None:
            total += held.a * v
            held = Found(held.b * v, held.a) if v > 1 else None
    return total + (held.b if held is not None else 0.0)

@program(args=X)
def sum_of_arrays_from_none(x):
    out = None
    for v in x:
        if out is None:
            out = {"a": x * v, "b": v}
        else:
            out = {"a": out["a"] * v + x, "b": out["b"] * np.sum(out["a"])}
    return np.sum(out["a"]) * out["b"]
