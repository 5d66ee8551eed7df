"""Measure one problem, in this process: ``python -m tests.benchmarks.one``.

Prints one line of JSON: for each size and tool its median, quartiles and memory, or why it has
none. With ``--first``, one size and tool: the time to its first result, and the memory of its
second.
"""

import argparse
import json
import re
import time
import warnings
from pathlib import Path

import numpy  # noqa: ICN001 the clock of --first starts behind it

START = time.process_time()

from tests.benchmarks.problems import PROBLEMS  # noqa: E402
from tests.benchmarks.timing import peak, turns  # noqa: E402
from tests.benchmarks.tools import TOOLS, agree  # noqa: E402

COUNTED = {"hand", "srcgrad", "speed"}  # whose memory is compared


def measured(problem, size, names):
    """Return what is measured of each tool, all of which take turns."""
    expected = problem.by_hand(*problem.at(size))
    candidates, results = {}, {}
    for name in names:
        try:
            candidate = TOOLS[name](problem, problem.at(size))
            if name != "objective":
                agree(candidate(), expected)
        except Exception as error:  # noqa: BLE001 what a tool cannot do is a result
            results[name] = {"refused": reason(error)}
        else:
            candidates[name] = candidate
    for name, times in turns(candidates).items():
        low, median, high = numpy.quantile(times, (0.25, 0.5, 0.75))
        results[name] = {"median": median, "low": low, "high": high, "turns": len(times)}
    for name in COUNTED & set(candidates):
        results[name]["memory"] = peak(candidates[name])
    return results


def reason(error):
    """Return the first line of an error, without the colours of terminals."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line for line in text.splitlines() if not line.startswith("Failed in nopython")]
    return f"{type(error).__name__}: {lines[0][:150] if lines else ''}"


def resident(key):
    """Return a number of bytes that Linux knows of this process."""
    text = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"{key}:\s+(\d+)", text)[1])


def first(problem, size, name):
    """Return the processor's seconds behind the import of NumPy, and the memory of a call."""
    arguments = problem.at(size)
    candidate = TOOLS[name](problem, arguments)
    candidate()
    seconds = time.process_time() - START
    candidate()
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    candidate()
    return {"first": seconds, "resident": max(0, resident("VmHWM") - before)}


def main():
    """Print the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", action="store_true")
    parser.add_argument("problem")
    parser.add_argument("--sizes", nargs="+", required=True)
    parser.add_argument("--tools", nargs="+", required=True)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # what a tool says of the layout of arrays
    (problem,) = [p for p in PROBLEMS if p.name == given.problem]
    if given.first:
        result = first(problem, given.sizes[0], given.tools[0])
    else:
        result = {size: measured(problem, size, given.tools) for size in given.sizes}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
