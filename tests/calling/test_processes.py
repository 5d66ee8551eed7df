"""Threads and processes that generate code at once, and processes that begin meanwhile."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = '''
import concurrent.futures
import linecache
import multiprocessing
import sys
import threading
import warnings

import numpy as np

import srcgrad

warnings.simplefilter("ignore")  # of functions that are recorded, and of forks beside threads

TEXT = """
def f(x):
    h = {k} * np.sin(x)
    for _ in range(3):
        {way}
    return np.sum(h)
"""
WAYS = ["h = np.tanh(h * x) + h", "h = list({0: np.tanh(h * x) + h}.values())[0]; exec('')"]


def made(k):
    """Return a function of its own text; each second one is recorded."""
    name = f"<made {k}>"
    text = TEXT.format(k=k, way=WAYS[k % 2])
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    space = {"np": np}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def right(k):
    """Tell whether the gradient, the tangent and the Hessian of a new function agree."""
    f, x, v = made(k), np.array([0.3, 0.7]), np.array([1.0, -2.0])
    slope = srcgrad.grad(f)(x)
    h = 1e-6
    tangent = srcgrad.jvp(f, (x,), (v,))[1]
    curved = srcgrad.hvp(f)(x, v)
    changed = (srcgrad.grad(f)(x + h * v) - srcgrad.grad(f)(x - h * v)) / (2 * h)
    along = (f(x + h * v) - f(x - h * v)) / (2 * h)
    agree = abs(slope @ v - tangent) < 1e-12 * abs(tangent), abs(along - tangent) < 1e-6 * k
    return bool(all(agree) and np.allclose(curved, changed, rtol=1e-5, atol=1e-6 * k))


def answer(queue, k):
    queue.put(right(k))


def forked():
    """Begin processes while a thread generates, and see that each of them can, too."""
    busy, seen = [True], []

    def work():
        k = 1
        while busy:
            seen.append(right(k))
            k += 1

    thread = threading.Thread(target=work)
    thread.start()
    context, found = multiprocessing.get_context("fork"), []
    for k in range(4):
        queue = context.Queue()
        process = context.Process(target=answer, args=(queue, 1000 + k))
        process.start()
        found.append(queue.get(timeout=100))
        process.join()
    busy.clear()
    thread.join()
    return found + seen


if __name__ == "__main__":
    count = range(1, 9)
    right(1)
    if sys.argv[1] == "threads":
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(right, count))
    elif sys.argv[1] == "fork":
        found = forked()
    else:
        context = multiprocessing.get_context(sys.argv[1])
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            found = list(pool.map(right, count))
    assert all(found), found
    print("agreed")
'''


@pytest.mark.parametrize("way", ["threads", "spawn", "forkserver", "fork"])
@pytest.mark.one_of(2)
def test_at_once(tmp_path, way):
    """Derivatives of new functions, as text and recorded, are right wherever they are made."""
    if way.startswith("fork") and sys.platform == "win32":
        pytest.skip("there is no fork")
    assert output(sys.executable, tmp_path, way) == "agreed\n"


@pytest.mark.skipif(shutil.which("python3.13t") is None, reason="there is no python3.13t")
def test_threads_without_a_global_lock(tmp_path):
    """So it is where threads run at the same time."""
    assert output(shutil.which("python3.13t"), tmp_path, "threads") == "agreed\n"


def output(python, folder, way):
    """Return what the program prints."""
    (folder / "program.py").write_text(PROGRAM)
    place = {**os.environ, "PYTHONPATH": str(ROOT), "SRCGRAD_RECORDED": "allow"}
    words = [python, "program.py", way]
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, timeout=240, env=place
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
