"""Run all benchmarks and print one line for each figure."""

import math
from functools import partial
from types import FunctionType

import numpy as np

from srcgrad import grad, tape
from tests.benchmarks import programs
from tests.benchmarks.problems import problems
from tests.benchmarks.timing import fresh, interleaved, peak

try:
    import autograd
except ImportError:
    autograd = None

IMPORT = """
import sys, time
import numpy
start = time.perf_counter()
import srcgrad
from srcgrad import differentiate, grad, value_and_grad, vjp
print(1e3 * (time.perf_counter() - start))
late = {"libcst", "astor"} & set(sys.modules)
sys.exit(f"import srcgrad brings in {late}" if late else 0)
"""

# Every module is imported before the clock starts; no formula has been read.
TRANSFORM = """
import contextlib, importlib, pkgutil, sys, time
import numpy, numpy.fft
clock = [time.perf_counter()]
import astor, libcst, libcst.native
import srcgrad, srcgrad.formulas
for package in srcgrad, srcgrad.formulas:
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        with contextlib.suppress(ImportError):  # CuPy may not be installed
            importlib.import_module(module.name)
clock.append(time.perf_counter())
from tests.benchmarks import programs
arguments = getattr(programs, sys.argv[1] + "_arguments")()
function, wrt = getattr(programs, sys.argv[1]), tuple(range(int(sys.argv[2])))
clock.append(time.perf_counter())
gradient = srcgrad.grad(function, wrt=wrt)
gradient(*arguments)
clock.append(time.perf_counter())
gradient(*arguments)
clock.append(time.perf_counter())
again = getattr(programs, sys.argv[1] + "_again")  # another function of the same formulas
srcgrad.grad(again, wrt=wrt)(*arguments)
clock.append(time.perf_counter())
imports, _, first, second, other = (1e3 * (b - a) for a, b in zip(clock, clock[1:]))
print(imports, first - second, other - second)
"""


def with_autograd(function, wrt):
    """Return autograd's gradient of the same code, under its own NumPy."""
    import autograd.numpy as own

    names = {**function.__globals__, "np": own, "math": own}
    return autograd.grad(FunctionType(function.__code__, names), argnum=wrt)


def overhead(function, arguments):
    """Return the seconds of the generated function, and with the choice of it before."""
    dispatch = grad(function)
    dispatch(*arguments)
    (special,) = dispatch.__srcgrad__.specialisations
    candidates = {
        "direct": partial(special.run, *arguments),
        "dispatched": partial(dispatch, *arguments),
    }
    times = interleaved(candidates, repetitions=200, calls=1000)
    return times["direct"], times["dispatched"]


def against_hand(name, function, by_hand, wrt, arguments, goal, **clock):
    """Time the generated gradient of a function against one written by hand."""
    candidates = {
        "hand": partial(by_hand, *arguments),
        "srcgrad": partial(grad(function, wrt=wrt), *arguments),
    }
    if autograd is not None:
        candidates["autograd"] = partial(with_autograd(function, wrt), *arguments)
    times = interleaved(candidates, **clock)
    line = f"{name:<34}" + "".join(
        f"{who} {1e6 * seconds:9.1f} us   " for who, seconds in times.items()
    )
    ratios = [f"{who}/hand {times[who] / times['hand']:.2f}" for who in times if who != "hand"]
    print(line + ", ".join(ratios) + f"  (goal {goal})", flush=True)


def agree(found, expected):
    """Raise an error unless two gradients are the same to nine digits."""
    found, expected = (v if isinstance(v, tuple) else (v,) for v in (found, expected))
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.max(np.abs(theirs)))


def problems_against_hand():
    """Compare generated gradients of scientific problems with those by hand: time and memory."""
    ratios, peaks = [], []
    for problem in problems():
        made = problem.made or partial(grad, wrt=problem.wrt)
        for size, arguments in problem.sizes.items():
            candidates = {
                "hand": partial(problem.by_hand, *arguments),
                "srcgrad": partial(made(problem.function), *arguments),
            }
            agree(candidates["srcgrad"](), candidates["hand"]())
            (once,) = interleaved({"hand": candidates["hand"]}, repetitions=3).values()
            calls = max(1, int(1e-3 / once))
            repetitions = min(60, max(7, int(0.7 / (calls * once))))
            times = interleaved(candidates, repetitions, calls)
            hand, ours = map(peak, candidates.values())
            ratios.append(times["srcgrad"] / times["hand"])
            peaks.append(ours / hand)
            print(
                f"{problem.name + ', ' + size:<34}hand {1e6 * times['hand']:9.1f} us   "
                f"srcgrad/hand {ratios[-1]:.2f} (goal 1.4), memory {peaks[-1]:.2f} (goal 1.2)",
                flush=True,
            )
    mean, most = (math.exp(sum(map(math.log, v)) / len(v)) for v in (ratios, peaks))
    print(
        f"{'geometric mean':<34}srcgrad/hand {mean:.2f}  (goal 1.1), memory {most:.2f}", flush=True
    )


def tape_against_autograd():
    """Time gradients on the tape against autograd's, of all programs that both run."""
    ratios = []
    for name, function, wrt, arguments, clock in programs.for_engines():
        candidates = {
            "tape": partial(tape.grad(function, wrt=wrt), *arguments),
            "autograd": partial(with_autograd(function, wrt), *arguments),
        }
        times = interleaved(candidates, **clock)
        ratios.append(times["tape"] / times["autograd"])
        print(f"{name:<34}tape/autograd {ratios[-1]:.2f}  (goal 1.5)", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geometric mean':<34}tape/autograd {mean:.2f}  (goal 1.0)", flush=True)


def main():
    """Print every figure."""
    (seconds,) = fresh(IMPORT, 15)
    print(f"import srcgrad over import numpy   {seconds:.1f} ms  (goal 30)", flush=True)
    for name, wrt, goal in (("perceptron", 4, 20), ("twenty_lines", 3, 20), ("recurrent", 5, 50)):
        imports, cold, warm = fresh(TRANSFORM, 9, name, str(wrt))
        print(
            f"transform {name:<24} {cold:.1f} ms cold (goal {goal}), "
            f"{warm:.1f} ms with its formulas read; importing all modules {imports:.0f} ms",
            flush=True,
        )
    for name, function, arguments in programs.calls():
        direct, dispatched = overhead(function, arguments)
        print(
            f"call with {name:<24} {1e9 * (dispatched - direct):.0f} ns "
            f"over the generated function's own call (goal 1000)",
            flush=True,
        )
    mlp = partial(against_hand, wrt=(0, 1, 2, 3))
    mlp(
        "MLP, batch 8, 4-16-3",
        programs.mlp,
        programs.mlp_by_hand,
        arguments=programs.mlp_arguments(8, 4, 16, 3),
        goal=1.3,
        repetitions=2000,
        calls=10,
    )
    mlp(
        "MLP, batch 512, 784-512-10",
        programs.mlp,
        programs.mlp_by_hand,
        arguments=programs.mlp_arguments(512, 784, 512, 10),
        goal=1.1,
        repetitions=40,
    )
    against_hand(
        "pendulum, 100 scalar steps",
        programs.pendulum,
        programs.pendulum_by_hand,
        wrt=(0, 1),
        arguments=(1.0, 0.0, 0.05, 0.1),
        goal=1.3,
        repetitions=300,
        calls=3,
    )
    problems_against_hand()
    if autograd is not None:
        tape_against_autograd()


if __name__ == "__main__":
    main()
