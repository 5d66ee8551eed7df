"""Programs from the desks of users: networks, kernels with tables, optimisers over lists."""

import numpy as np
from scipy.special import logsumexp

from tests.programs.table import program


def affine(weights, *columns):
    ones = np.ones((columns[0].shape[0], 1))
    return np.hstack((*columns, ones)) @ weights


@program(
    args=lambda rng: (
        {
            "first state": 0.3 * rng.normal(size=(1, 2)),
            "update gate": 0.3 * rng.normal(size=(5, 2)),
            "candidate": 0.3 * rng.normal(size=(5, 2)),
            "read-out": 0.3 * rng.normal(size=(3, 3)),
        },
        rng.normal(size=(3, 2, 2)),
        np.array([[0, 2], [1, 1], [2, 0]]),
    ),
)
def gated_sequence(params, inputs, labels):
    """A recurrent network whose parameters have names with spaces, in a local function."""

    def update(state, x):
        gate = 1 / (1 + np.exp(-affine(params["update gate"], x, state)))
        return gate * state + (1 - gate) * np.tanh(affine(params["candidate"], x, state))

    state = np.repeat(params["first state"], inputs.shape[1], axis=0)
    scores = []
    for x in inputs:
        state = update(state, x)
        out = affine(params["read-out"], state)
        scores.append(out - logsumexp(out, axis=1, keepdims=True))
    total = 0.0
    for t in range(labels.shape[0]):
        total -= np.mean(scores[t][np.arange(2), labels[t]])
    return total


class Dense:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def forward(self, x):
        return x @ self.W + self.b

    __call__ = forward


class Chain:
    def __init__(self, *layers):
        self.layers = layers

    def predict(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    __call__ = predict


@program(
    args=lambda rng: (
        Chain(
            Dense(rng.normal(size=(2, 3)), rng.normal(size=3)),
            Dense(rng.normal(size=(3, 1)), rng.normal(size=1)),
        ),
        rng.normal(size=(4, 2)),
    ),
    wrt=(0, 1),
)
def calls_under_another_name(model, x):
    """Classes whose __call__ is one of their other methods."""
    return np.mean(np.tanh(model(x)) * model.predict(x))


@program(args=(np.array([0.3, -0.2]), 0.05, 0.9), wrt=(0, 1, 2))
def momentum_over_lists(start, rate, decay):
    """Parameters and velocities in lists, made anew in each step."""
    weights = [start, 2 * start]
    velocities = [np.zeros_like(w) for w in weights]
    for _ in range(3):
        slopes = [4 * (w - 1) ** 3 for w in weights]
        velocities = [decay * v - rate * s for v, s in zip(velocities, slopes, strict=True)]
        weights = [w + v for w, v in zip(weights, velocities, strict=True)]
    return sum(np.sum(w**2) for w in weights)


@program(args=lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(2, 2))), wrt=(0, 1))
def joined_rows(x, W):
    """Rows that are collected in a loop and put together in all ways that NumPy has."""
    rows, blocks, norms = [], [], []
    for k in range(x.shape[0]):
        rows.append(np.tanh(W @ x[k]))
        blocks.append(np.outer(x[k], x[0]))
        norms.append(x[k] @ x[k])
    top = np.vstack(rows) @ np.hstack(blocks)
    flat = np.hstack(rows) * np.column_stack(rows).ravel()
    return np.sum(top**2) + np.sum(flat) + np.hstack(norms) @ top[:, 0] + np.vstack(blocks)[4, 1]


@program(
    args=lambda rng: (rng.uniform(size=(5, 5)), np.array([0, 1, 3, 2, 0])),
    wrt=(0,),
)
def best_folding(bonus, sequence):
    """A table of the best pairings of all parts of a sequence."""
    n = len(sequence)
    best = np.zeros((n, n))
    for i in range(n - 2, -1, -1):
        for j in range(i + 1, n):
            best[i, j] = max(best[i + 1, j], best[i, j - 1])
            paired = bonus[sequence[i], sequence[j]]
            inside = best[i + 1, j - 1] if j - i > 1 else 0.0
            best[i, j] = max(best[i, j], inside + paired**2)
            for k in range(i + 1, j):
                best[i, j] = max(best[i, j], best[i, k] + best[k + 1, j])
    return best[0, n - 1]


def smooth(p, source, sweeps):
    for _ in range(sweeps):
        old = p.copy()
        p[1:-1, 1:-1] = (
            0.25 * (old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1])
            - source[1:-1, 1:-1]
        )
        p[:, 0] = p[:, 1]
        p[:, -1] = p[:, -2]
        p[0, :] = 0


@program(
    args=lambda rng: (0.1 * rng.normal(size=(4, 4)), rng.normal(size=(4, 4)), 0.1),
    wrt=(0, 1, 2),
)
def driven_box(u, p, viscosity):
    """A field that is carried along by itself, and a pressure that is smoothed in place."""
    u, p = u.copy(), p.copy()
    for _ in range(2):
        old = u.copy()
        source = np.zeros_like(p)
        source[1:-1, 1:-1] = (old[1:-1, 2:] - old[1:-1, :-2]) ** 2
        smooth(p, source, 2)
        lap = old[1:-1, 2:] - 2 * old[1:-1, 1:-1] + old[1:-1, :-2]
        u[1:-1, 1:-1] -= 0.1 * old[1:-1, 1:-1] * (old[1:-1, 1:-1] - old[1:-1, :-2])
        u[1:-1, 1:-1] += viscosity * lap - 0.05 * (p[1:-1, 2:] - p[1:-1, :-2])
        u[-1, :] = 1.0
    return np.sum(u**2) + np.sum(p)


class Cell:
    """A battery: its charge, and the voltages that were measured."""

    def __init__(self, capacity, resistance):
        self.capacity, self.resistance = capacity, resistance
        self.charge, self.trace = 0.8, []

    def step(self, current):
        self.charge -= current / (360 * self.capacity)
        voltage = np.interp(self.charge, [0.0, 0.5, 1.0], [3.0, 3.5, 4.5])
        voltage = voltage - self.resistance * current
        self.trace.append(voltage)
        return voltage


@program(args=lambda rng: (np.array([2.3, 0.05]), np.arange(4.0)))
def discharge(theta, load):
    """A state that is augmented by a number of which it is not known whether it is an array."""
    cell = Cell(*theta)
    total = 0.0
    for current in load:
        total += cell.step(current) ** 2
    return total + max(cell.trace)


def augmented(s, x):
    s += x[1]
    return 2 * s


@program(args=lambda rng: (rng.uniform(0.5, 1.5, 3),))
def number_given_to_what_augments_it(x):
    """A number whose tangent NumPy gives as an array without dimensions."""
    s = np.polyval(x, 0.5)
    t = augmented(s, x)
    return s * t + s**2
