"""Measure what gradients allocate: under budgets, and with checkpoints over the steps of a loop.

``python -m tests.benchmarks.memory [--steps N ...]`` prints the tables of docs/memory.md. Peaks
are those of ``tracemalloc``; times are medians, as ratios of one run.
"""

import argparse
import statistics
import time
import tracemalloc

import numpy as np

from srcgrad import checkpointed, grad
from srcgrad.errors import ArgumentError
from srcgrad.runtime.snapshots import Snapshots, backwards, enough

STEPS = (100, 1_000, 10_000, 100_000)


def network(x, w1, w2, w3, w4, w5, w6, w7, w8):
    """Eight layers."""
    h1 = np.tanh(x @ w1)
    h2 = np.tanh(h1 @ w2)
    h3 = np.tanh(h2 @ w3)
    h4 = np.tanh(h3 @ w4)
    h5 = np.tanh(h4 @ w5)
    h6 = np.tanh(h5 @ w6)
    h7 = np.tanh(h6 @ w7)
    h8 = np.tanh(h7 @ w8)
    return np.mean(h8**2)


def waves(u, c, steps):
    """A string with damping, through time."""
    v = np.zeros_like(u)
    for _ in range(steps):
        lap = u[2:] - 2 * u[1:-1] + u[:-2]
        force = np.sin(lap) * c[1:-1]
        damp = np.exp(-0.1 * v[1:-1] ** 2)
        v = np.concatenate((v[:1], v[1:-1] + 0.1 * force * damp, v[-1:]))
        u = u + 0.1 * np.tanh(v)
    return np.sum(u**2)


def attention(x, wq, wk, wv, wo, w1, w2):
    """A layer of attention, and one of a network."""
    q = x @ wq
    k = x @ wk
    v = x @ wv
    scores = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    a = x + (p @ v) @ wo
    h = np.maximum(a @ w1, 0)
    out = a + h @ w2
    return np.mean(out**2)


def pendulum(x, stiffness, steps):
    """Many pendulums; what is kept grows with the steps."""
    v = np.zeros_like(x)
    for _ in range(steps):
        v = v - 0.01 * stiffness * np.sin(x)
        x = x + 0.01 * v
    return np.sum(x**2)


def checkpointed_pendulum(x, stiffness, steps):
    """The same with as many snapshots as let each step run once more."""
    v = np.zeros_like(x)
    for _ in checkpointed(range(steps)):
        v = v - 0.01 * stiffness * np.sin(x)
        x = x + 0.01 * v
    return np.sum(x**2)


def programs():
    """The programs that get budgets, with what is differentiated, and their arguments."""
    rng = np.random.default_rng(0)
    layers = [rng.normal(size=(100, 100)) / 10 for _ in range(8)]
    yield network, range(1, 9), [rng.normal(size=(2000, 100)), *layers]
    yield waves, (0, 1), [rng.normal(size=10_000), rng.normal(size=10_000), 100]
    shapes = (*[(64, 64)] * 4, (64, 256), (256, 64))
    rest = [rng.normal(size=shape) / 8 for shape in shapes]
    yield attention, range(1, 7), [rng.normal(size=(1000, 64)), *rest]


def peak(derivative, args):
    """Return the most that a call allocates at a time, in MB."""
    derivative(*args)
    tracemalloc.start()
    derivative(*args)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 1e6


def seconds(derivative, args, count):
    """Return how long a call takes: the median of some."""
    found = []
    for _ in range(count):
        start = time.perf_counter()
        derivative(*args)
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def budgets(shares=(1.0, 0.7, 0.55, 0.45, 0.4, 0.35, 0.3)):
    """Yield the lines of the table of budgets: shares of what a gradient takes without one."""
    yield "| program | budget, MB | peak, MB | time, without a budget 1 |"
    yield "|---|---|---|---|"
    for f, wrt, args in programs():
        plain = grad(f, tuple(wrt))
        whole, last = peak(plain, args), None
        yield f"| {f.__name__} | none | {whole:.1f} | 1 |"
        for share in shares:
            gradient = grad(f, tuple(wrt), memory_budget=share * whole * 1e6)
            try:
                found = peak(gradient, args)
            except ArgumentError as error:
                yield f"| {f.__name__} | {share * whole:.1f} | {error.why} | |"
                break
            if found == last:
                continue
            last = found
            ratios = [seconds(gradient, args, 1) / seconds(plain, args, 1) for _ in range(15)]
            ratio = statistics.median(ratios)
            yield f"| {f.__name__} | {share * whole:.1f} | {found:.1f} | {ratio:.2f} |"


def curve(counts):
    """Yield the lines of the table over the steps of a loop."""
    yield (
        "| steps | snapshots | steps that run again, for each step | time more, in functions "
        "| peak, MB | peak of the plain loop, MB |"
    )
    yield "|---|---|---|---|---|---|"
    x = np.linspace(0.1, 1, 100)
    few, plain = grad(checkpointed_pendulum, (0, 1)), grad(pendulum, (0, 1))
    for steps in counts:
        args = (x, 0.5, steps)
        states, again = Snapshots(range(steps)), [0]
        for at in range(steps):
            states.keep(at)

        def advance(_, again=again):
            again[0] += 1
            return ()

        for _ in backwards(states, advance):
            again[0] += 1
        few(*args), plain(*args)
        rows = [
            [seconds(f, args, 1) for f in (pendulum, few, plain)]
            for _ in range(max(3, min(15, 20_000 // steps)))
        ]
        more = statistics.median((a - b) / forward for forward, a, b in rows)
        row = f"| {steps:,} | {enough(steps)} | {again[0] / steps:.2f} | {more:.1f} "
        yield row + f"| {peak(few, args):.2f} | {peak(plain, args):.1f} |"


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.memory")
    parser.add_argument("--steps", nargs="+", type=int, default=STEPS)
    parser.add_argument("--only", choices=("budgets", "curve"))
    given = parser.parse_args()
    for name, lines in (("budgets", budgets), ("curve", lambda: curve(given.steps))):
        if given.only in (None, name):
            for line in lines():
                print(line, flush=True)
            print()


if __name__ == "__main__":
    main()
