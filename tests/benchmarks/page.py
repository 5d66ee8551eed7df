"""The page of the results, with its chart."""

import math
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.benchmarks.problems import PROBLEMS
from tests.benchmarks.results import kept

PAGE, CHART = Path("docs/benchmarks.md"), Path("docs/benchmarks.svg")
SIZES = ("small", "middle", "large")
OTHERS = ("srcgrad", "speed", "numba", "hand_numba", "autograd", "torch", "jax")
TITLES = {
    "srcgrad": "srcgrad",
    "speed": "srcgrad, speed",
    "numba": "srcgrad, Numba",
    "hand_numba": "by hand, Numba",
    "autograd": "autograd",
    "torch": "PyTorch",
    "jax": "JAX, compiled",
}
TEXT = Path(__file__).with_suffix(".md").read_text()
NONE = "\N{EN DASH}"


def mean(values):
    """Return the geometric mean of numbers, or none of none."""
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratio(results, tool, other="hand", key="median"):
    """Return how many times as much one tool takes as another, or none."""
    ours, theirs = (results.get(name, {}).get(key) for name in (tool, other))
    return ours / theirs if ours and theirs else None


def shown(value, unit=""):
    """Return a number in a table."""
    if value is None:
        return NONE
    return f"{value:.2f}{unit}" if value < 10 else f"{value:.0f}{unit}"


def duration(seconds):
    """Return a time in a table."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"


def spread(result):
    """Return half of the width of the middle half of the times, in percent of the median."""
    return f"{50 * (result['high'] - result['low']) / result['median']:.0f} %"


def row(*cells):
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |\n"


def table(size, measured):
    """Return the table of one size."""
    text = row("problem", "by hand", *(TITLES[tool] for tool in OTHERS), "spread", "memory")
    text += row("---", *["---:"] * (len(OTHERS) + 3))
    for problem in PROBLEMS:
        if results := measured[problem.name, size]:
            cells = [shown(ratio(results, tool)) if tool in results else "" for tool in OTHERS]
            text += row(
                problem.name,
                duration(results["hand"]["median"]),
                *cells,
                spread(results["srcgrad"]),
                shown(ratio(results, "srcgrad", key="memory")),
            )
    return text


def means(measured):
    """Return the table of geometric means."""
    text = row("geometric means", *SIZES, "all")
    text += row("---", *["---:"] * 4)
    lines = [("srcgrad over hand, time", "srcgrad", "hand", "median", False)]
    lines += [("srcgrad over hand, memory", "srcgrad", "hand", "memory", False)]
    lines += [("srcgrad over the function: loops", "srcgrad", "objective", "median", True)]
    lines += [("by hand over the function: loops", "hand", "objective", "median", True)]
    lines.insert(1, ("srcgrad, speed, over hand, time", "speed", "hand", "median", False))
    lines.insert(3, ("srcgrad, speed, over hand, memory", "speed", "hand", "memory", False))
    lines += [
        (f"{TITLES[tool]} over srcgrad", tool, "srcgrad", "median", False)
        for tool in OTHERS[2:]
        if tool != "hand_numba"
    ]
    title = f"{TITLES['numba']} over {TITLES['hand_numba']}"
    lines += [(title, "numba", "hand_numba", "median", False)]
    title = f"{TITLES['jax']} over {TITLES['numba']}"
    lines += [(title, "jax", "numba", "median", False)]
    for title, tool, other, key, loops in lines:
        columns = [
            [
                ratio(measured[problem.name, size], tool, other, key)
                for problem in PROBLEMS
                if problem.loops or not loops
            ]
            for size in SIZES
        ]
        text += row(
            title,
            *(
                shown(mean(column))
                for column in (*columns, [v for column in columns for v in column])
            ),
        )
    worst = max(
        ((ratio(results, "srcgrad") or 0, *where) for where, results in measured.items()),
        default=(0, "", ""),
    )
    return text + f"\nThe largest srcgrad over hand is {worst[0]:.2f}: {worst[1]}, {worst[2]}.\n"


def firsts(measured):
    """Return the table of first results."""
    tools = ("hand", *OTHERS)
    text = row("problem", *(TITLES.get(tool, "by hand") for tool in tools))
    text += row("---", *["---:"] * len(tools))
    for problem in PROBLEMS:
        results = measured[problem.name, "middle"]
        cells = [results.get(tool, {}).get("first") for tool in tools]
        if any(cells):
            text += row(problem.name, *(NONE if c is None else duration(c) for c in cells))
    return text if text.count("\n") > 2 else "Not measured this time.\n"


def resident(measured):
    """Return the table of the memory of processes."""
    tools = ("hand", *OTHERS)
    text = row("problem", *(TITLES.get(tool, "by hand") for tool in tools))
    text += row("---", *["---:"] * len(tools))
    for problem in PROBLEMS:
        results = measured[problem.name, "middle"]
        cells = [results.get(tool, {}).get("resident") for tool in tools]
        if max(cell or 0 for cell in cells) > 2e6:
            text += row(problem.name, *(NONE if c is None else f"{c / 1e6:.1f} MB" for c in cells))
    return text if text.count("\n") > 2 else "Not measured this time.\n"


def machine():
    """Return what the results come from."""
    names = ("numpy", "scipy", "numba", "autograd", "torch", "jax")
    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return f"Python {platform.python_version()}, {', '.join(found)}; {platform.machine()}."


def chart(measured):
    """Draw the times of all tools over those by hand at the middle size."""
    import matplotlib.pyplot as plt

    shownames = [p.name for p in PROBLEMS if measured[p.name, "middle"]]
    with plt.rc_context({"svg.hashsalt": "srcgrad", "font.size": 9}):
        figure, axes = plt.subplots(figsize=(8, 0.26 * len(shownames) + 1.2))
        for tool, mark in zip(OTHERS, "oPsX*v^D"[: len(OTHERS)], strict=True):
            ratios = [ratio(measured[name, "middle"], tool) for name in shownames]
            places = [k for k, value in enumerate(ratios) if value]
            axes.plot([ratios[k] for k in places], places, mark, label=TITLES[tool], alpha=0.8)
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_xscale("log")
        axes.set_yticks(range(len(shownames)), shownames)
        axes.invert_yaxis()
        axes.grid(axis="both", alpha=0.3)
        axes.set_xlabel("time of the gradient over the one by hand, middle size")
        axes.legend(loc="upper right")
        figure.tight_layout()
        figure.savefig(CHART, metadata={"Date": None})
        plt.close(figure)


def write():
    """Write the page and its chart from the results that are kept."""
    measured = {(p.name, size): kept(p.name, size) for p in PROBLEMS for size in SIZES}
    chart(measured)
    tables = {size: table(size, measured) for size in SIZES}
    text = TEXT.format(
        machine=machine(),
        means=means(measured),
        firsts=firsts(measured),
        resident=resident(measured),
        **tables,
    )
    PAGE.write_text(text)
