"""Clocks: candidates that take turns, and programs in fresh processes."""

import os
import subprocess
import sys
import time
import tracemalloc
from statistics import median


def interleaved(candidates, repetitions, calls=1):
    """Return the median seconds of one call of each candidate.

    Args:
        candidates: a dict from names to functions without arguments.
        repetitions: how many turns each candidate takes.
        calls: calls in one turn; more for faster functions.

    Returns:
        A dict from the names to seconds.
    """
    times = {name: [] for name in candidates}
    for function in candidates.values():
        function()  # generation, and caches of the processor, are not counted
    for _ in range(repetitions):
        for name, function in candidates.items():
            start = time.perf_counter()
            for _ in range(calls):
                function()
            times[name].append((time.perf_counter() - start) / calls)
    return {name: median(record) for name, record in times.items()}


def turns(candidates, seconds=0.3, least=5, most=200):
    """Return the times of candidates that take turns, each until it has had its share.

    The processor's time is taken: that of the clock on the wall depends on what else runs.

    Args:
        candidates: a dict from names to functions without arguments.
        seconds: the share of each candidate, of which a turn takes a millisecond or one call.
        least: how many turns each candidate takes; three, if they take more than that many
            shares, and one, if it alone does.
        most: how many turns each candidate takes, however fast it is.

    Returns:
        A dict from the names to lists of seconds for one call.
    """
    calls, times = {}, {name: [] for name in candidates}
    for name, function in candidates.items():
        function()  # generation, and caches of the processor, are not counted
        start = time.process_time()
        function()
        taken = time.process_time() - start
        calls[name] = max(1, int(1e-3 / taken))
        if taken > least * seconds:
            times[name].append(taken)
    waiting = [name for name in candidates if not times[name]]
    while waiting:
        for name in tuple(waiting):
            function = candidates[name]
            start = time.process_time()
            for _ in range(calls[name]):
                function()
            record = times[name]
            record.append((time.process_time() - start) / calls[name])
            spent = sum(record) * calls[name] / seconds
            enough = least if spent < least else 3
            if (spent > 1 and len(record) >= enough) or len(record) >= most:
                waiting.remove(name)
    return times


def peak(function):
    """Return the bytes that a function without arguments needs beyond those that are there."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - before


def fresh(program, repetitions, *arguments):
    """Return the medians of the numbers that a program prints in fresh processes.

    Args:
        program: Python source that prints numbers, with spaces between them.
        repetitions: how many processes to start.
        *arguments: the arguments of the program.

    Returns:
        A list with one median for each number.
    """
    runs = []
    for _ in range(repetitions):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},  # as where it is installed
        )
        runs.append([float(word) for word in done.stdout.split()])
    return [median(column) for column in zip(*runs, strict=True)]
