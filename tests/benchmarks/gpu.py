"""Gradients on a GPU: CuPy by hand, srcgrad, PyTorch and JAX, measured in one process.

``python -m tests.benchmarks.gpu`` needs CuPy and a GPU; PyTorch and JAX are measured where they
are installed. Each gradient is compared with that by hand before it is timed. Without CuPy,
everything runs with NumPy, as a trial.
"""

from __future__ import annotations

import functools
import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad import grad, source

SIZES = (10_000, 10_000_000)
TOOLS = ("by hand", "readable", "speed", "torch", "JAX jit")


def problems(xp: Any) -> dict[str, Callable[..., Any]]:
    """Return the functions, written with a module of arrays."""

    def options(s, k, t):
        d = (xp.log(s / k) + 0.065 * t) / (0.3 * xp.sqrt(t))
        p = 1 / (1 + xp.exp(-1.7 * d))
        q = 1 / (1 + xp.exp(-1.7 * (d - 0.3 * xp.sqrt(t))))
        return xp.sum(s * p - k * xp.exp(-0.02 * t) * q)

    def network(w, x):
        h = xp.tanh(x @ w)
        p = xp.exp(h)
        return -xp.mean(xp.log(p / p.sum(axis=1, keepdims=True))) + xp.sum(w * w)

    def waves(u, c):
        v = u
        for _ in range(8):
            v = v + c * (xp.roll(v, 1) - 2 * v + xp.roll(v, -1)) - 0.1 * xp.sin(v)
        return xp.sum(v * v)

    def chain(w, x):
        h = xp.tanh(x * w)
        e = xp.exp(-(h**2)) * xp.sin(h) + 1
        return xp.sum(xp.where(e > 1.1, e**2, 0.5 * e))

    return {f.__name__: f for f in (options, network, waves, chain)}


def by_hand(xp: Any) -> dict[str, Callable[..., Any]]:
    """Return the gradients with respect to the first argument, as an expert writes them."""

    def options(s, k, t):
        width = 0.3 * xp.sqrt(t)
        d = (xp.log(s / k) + 0.065 * t) / width
        p = 1 / (1 + xp.exp(-1.7 * d))
        q = 1 / (1 + xp.exp(-1.7 * (d - width)))
        paid = k * xp.exp(-0.02 * t)
        return p + 1.7 * (s * p * (1 - p) - paid * q * (1 - q)) / width / s

    def network(w, x):
        h = xp.tanh(x @ w)
        p = xp.exp(h)
        p /= p.sum(axis=1, keepdims=True)
        h_bar = (p * h.shape[1] - 1) / h.size
        return x.T @ (h_bar * (1 - h * h)) + 2 * w

    def waves(u, c):
        v, before = u, []
        for _ in range(8):
            before.append(v)
            v = v + c * (xp.roll(v, 1) - 2 * v + xp.roll(v, -1)) - 0.1 * xp.sin(v)
        bar = 2 * v
        for v in before[::-1]:
            flow = c * bar
            bar = bar * (1 - 0.1 * xp.cos(v)) - 2 * flow + xp.roll(flow, -1) + xp.roll(flow, 1)
        return bar

    def chain(w, x):
        h = xp.tanh(x * w)
        g = xp.exp(-(h * h))
        e = g * xp.sin(h) + 1
        e_bar = xp.where(e > 1.1, 2 * e, 0.5)
        return e_bar * g * (xp.cos(h) - 2 * h * xp.sin(h)) * (1 - h * h) * x

    return {f.__name__: f for f in (options, network, waves, chain)}


def arguments(name: str, n: int) -> list[np.ndarray]:
    """Return the arguments of a problem with about ``n`` entries, in double precision."""
    rng = np.random.default_rng(0)
    if name == "options":
        return [rng.uniform(50, 150, n), rng.uniform(50, 150, n), rng.uniform(0.2, 2.0, n)]
    if name == "network":
        width = 64 if n < 1_000_000 else 512
        rows = max(n // width, 1)
        return [rng.normal(size=(width, width)) * 0.1, rng.normal(size=(rows, width))]
    return [rng.normal(size=n), np.full(n, 0.2) if name == "waves" else rng.normal(size=n)]


def median_time(run: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """Return the median time of a call in seconds, each waited for."""
    for _ in range(3):
        run()
    wait()
    times: list[float] = []
    started = time.perf_counter()
    while len(times) < 7 or (len(times) < 200 and time.perf_counter() - started < 0.3):
        begun = time.perf_counter()
        run()
        wait()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _gradients(
    xp: Any, name: str, host: list[np.ndarray]
) -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any], Callable[[Any], Any]]]:
    """Yield each tool's gradient, what waits for it, and what brings it back to the host."""
    on_device = xp is not np
    wait = xp.cuda.Device().synchronize if on_device else lambda: None
    back = xp.asnumpy if on_device else np.asarray
    args = [xp.asarray(x) for x in host]
    f = problems(xp)[name]
    yield "function", functools.partial(f, *args), wait, back
    yield "by hand", functools.partial(by_hand(xp)[name], *args), wait, back
    yield "readable", functools.partial(grad(f), *args), wait, back
    yield "speed", functools.partial(grad(f, optimize="speed"), *args), wait, back
    torch = _module("torch")
    if torch is not None:
        where = "cuda" if torch.cuda.is_available() else "cpu"
        given = [torch.tensor(x, device=where) for x in host]
        given[0].requires_grad_()
        loss = problems(torch)[name]
        pause = torch.cuda.synchronize if where == "cuda" else lambda: None
        slope = lambda: torch.autograd.grad(loss(*given), given[0])[0]  # noqa: E731
        yield "torch", slope, pause, lambda x: x.detach().cpu().numpy()
    jax = _module("jax")
    if jax is not None:
        compiled = jax.jit(jax.grad(problems(jax.numpy)[name]))
        put = [jax.numpy.asarray(x) for x in host]
        yield "JAX jit", lambda: compiled(*put).block_until_ready(), lambda: None, np.asarray


def measure(xp: Any, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Measure all tools, and return a row for each problem, size and precision."""
    rows: list[dict[str, Any]] = []
    for name in problems(xp):
        for n in sizes:
            for dtype in (np.float64, np.float32):
                host = [x.astype(dtype) for x in arguments(name, n)]
                row: dict[str, Any] = {"problem": name, "entries": n, "dtype": dtype.__name__}
                wanted = None
                for tool, run, wait, back in _gradients(xp, name, host):
                    if tool == "by hand":
                        wanted = back(run())
                    elif tool != "function":
                        difference = np.max(np.abs(back(run()) - wanted))
                        bound = 1e-9 if dtype is np.float64 else 2e-3
                        assert difference <= bound * np.max(np.abs(wanted)), (row, tool)
                    row[tool] = median_time(run, wait)
                rows.append(row)
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """Write rows as a table: microseconds by hand, and ratios to it."""
    tools = [tool for tool in TOOLS[1:] if all(tool in row for row in rows)]
    head = ["problem", "entries", "precision", "by hand", *tools]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        base = row["by hand"]
        cells = [row["problem"], f"{row['entries']:,}", row["dtype"], f"{base * 1e6:,.0f} µs"]
        cells += [f"{row[tool] / base:.2f}" for tool in tools]
        lines.append("| " + " | ".join(cells) + " |")
    means = [statistics.geometric_mean(row[t] / row["by hand"] for row in rows) for t in tools]
    lines.append("| all | | | | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure with the sizes of the command line, and print the table."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    sizes = tuple(int(float(size)) for size in sys.argv[1:]) or SIZES
    xp = _module("cupy") or np
    print(table(measure(xp, sizes)))
    gradient = grad(problems(xp)["chain"], optimize="speed")
    gradient(*(xp.asarray(x) for x in arguments("chain", 3)))
    print(source(gradient))


if __name__ == "__main__":
    main()
