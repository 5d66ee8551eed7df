"""Measure problems, each in a process of its own, and write the page of the results.

``python -m tests.benchmarks [PROBLEM ...] [--sizes S ...] [--tools T ...] [--resume] [--page]``.
Without names of problems, all of them, and what ``startup`` measures.
"""

import argparse
import subprocess

from tests.benchmarks import page, startup
from tests.benchmarks.problems import PROBLEMS
from tests.benchmarks.results import installed, kept, measure


def line(problem, size, results):
    """Return one line for the results of a problem."""
    text = f"{problem.name + ', ' + size:<38}hand {page.duration(results['hand']['median']):>8}  "
    for tool in ("objective", *page.OTHERS):
        text += f"{tool} {page.shown(page.ratio(results, tool)):>5}  "
    return text + f"memory {page.shown(page.ratio(results, 'srcgrad', key='memory'))}"


def main():
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("problems", nargs="*", help="names, or the beginnings of names")
    parser.add_argument("--sizes", nargs="+", default=page.SIZES, choices=page.SIZES)
    parser.add_argument("--tools", nargs="+", default=installed(), choices=installed())
    parser.add_argument("--resume", action="store_true", help="leave what is measured as it is")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--no-firsts", action="store_true", help="no first results")
    given = parser.parse_args()
    chosen = [
        problem
        for problem in PROBLEMS
        if not given.problems or problem.name.startswith(tuple(given.problems))
    ]
    if not given.page:
        if not given.problems:
            startup.main()
        tools = [tool for tool in ("objective", "hand") if tool not in given.tools] + given.tools
        for problem in chosen:
            done = [size for size in given.sizes if given.resume and kept(problem.name, size)]
            sizes = [size for size in given.sizes if size not in done]
            if not sizes:
                continue
            try:
                measured = measure(problem.name, sizes, tools, firsts=not given.no_firsts)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                print(f"{problem.name}: {error}", flush=True)
                continue
            for size, results in measured.items():
                print(line(problem, size, results), flush=True)
    if given.page or not given.problems:
        page.write()


if __name__ == "__main__":
    main()
