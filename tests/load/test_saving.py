"""Saved modules: they run where there is NumPy and no srcgrad."""

import importlib.util
import pickle
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import brentq

from srcgrad import grad, save, source, vjp
from srcgrad.errors import SaveError, SrcgradError
from tests import finite_differences as fd
from tests.programs.table import programs

PROGRAM = """
import importlib.util, pickle, sys
import numpy as np

assert importlib.util.find_spec("srcgrad") is None
for name, function, args, expected in pickle.load(open("calls", "rb")):
    derivative = getattr(importlib.import_module(name), function)
    np.testing.assert_array_equal(np.asarray(derivative(*args)), expected, err_msg=name)
    print("same:", name)
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A folder with NumPy, the programs' own modules, and nothing else that was installed."""
    folder = tmp_path_factory.mktemp("bare")
    installed = Path(np.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (installed / name).exists():
            (folder / name).symlink_to(installed / name)
    (folder / "tests").symlink_to(Path(__file__).parents[1])
    return folder


WITH_SCIPY = {"applications.gp_nll", "scipy_lists.filters_and_densities", "workshop.discharge"}


def run_in(folder, text):
    """Run a program that sees the standard library and one folder."""
    paths = [str(folder), sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    head = f"import sys; sys.path[:0] = {paths[:1]!r}\n"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", head + text],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_saved_gradients_need_numpy_only(bare):
    """The gradient of every thirtieth program gives the same numbers there, to the last bit."""
    calls, refused = [], []
    for case in programs()[::30]:
        if case.vector or case.name in WITH_SCIPY:
            continue
        args = case.make_args()
        derivative = grad(case.fn, wrt=case.wrt[0])
        name = "saved_" + "".join(c if c.isalnum() else "_" for c in case.name)
        try:
            expected = derivative(*args)
            if not fd.is_number(expected):  # a tree
                continue
            expected = np.asarray(expected)
            save(derivative, bare / f"{name}.py")
            pickle.dumps(args)
        except (SrcgradError, pickle.PicklingError, AttributeError) as error:
            refused.append((case.name, error))
            continue
        calls.append((name, derivative.__name__, case.make_args(), expected))
    (bare / "calls").write_bytes(pickle.dumps(calls))
    done = run_in(bare, PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("same: ") == len(calls)
    assert len(calls) > 9 * len(refused)


def test_saved_halves_of_a_product(bare):
    """`vjp` is saved as a function that runs forward and one that runs backward."""

    def scaled(x, k):
        return k * np.sin(x)

    vjp(scaled, np.ones(3), 2.0, wrt=(0, 1))
    save(scaled, bare / "scaled.py", kind="vjp", wrt=(0, 1))
    done = run_in(
        bare,
        "import numpy as np, scaled\n"
        "value, residuals = scaled.scaled_forward(np.ones(3), 2.0)\n"
        "x_bar, k_bar = scaled.scaled_backward(residuals, np.ones(3))\n"
        "assert np.allclose(x_bar, 2 * np.cos(1)) and np.isclose(k_bar, 3 * np.sin(1))\n",
    )
    assert done.returncode == 0, done.stderr


def test_what_no_import_can_reach_is_refused(tmp_path):
    """An array that only this process has cannot be written into a module."""
    weights = np.ones(3)

    def weighted(x):
        return np.sum(weights * x)

    with pytest.raises(SaveError, match="weights"):
        save(weighted, tmp_path / "weighted.py")


def head_and_rest(x):
    """Some entries of an argument, whose cotangents go into zeros."""
    return x[0] * x[1] + np.sum(x[1:] ** 2)


def test_a_saved_readable_module_takes_single_precision(tmp_path):
    """What ran in double precision makes its zeros of a shape; what is saved, as its argument."""
    gradient = grad(head_and_rest)
    gradient(np.ones(3))
    assert "np.zeros(x.shape)" in source(gradient)
    save(gradient, tmp_path / "parts.py")
    space = {}
    exec((tmp_path / "parts.py").read_text(), space)
    x = np.array([1, 2, 3], np.float32)
    found = space["head_and_rest_grad"](x)
    np.testing.assert_array_equal(found, np.array([2, 5, 6], np.float32), strict=True)
    np.testing.assert_array_equal(gradient(x), found, strict=True)


def path(theta, start, t):
    """Return the sum of squares of a path whose right-hand side reads four parameters."""
    a, b, c, d = theta

    def rate(_, u):
        return [a * u[0] - b * u[0] * u[1], -c * u[1] + d * u[0] * u[1]]

    return np.sum(solve_ivp(rate, (t[0], t[-1]), start, t_eval=t, rtol=1e-10).y ** 2)


def fallen(theta):
    """Return a root and an integral of functions with two parameters each."""
    a, b = theta
    root = brentq(lambda x: a * x**3 + b * x - 1.0, 0.0, 2.0)
    return root * quad(lambda x: np.exp(-a * x) * np.cos(b * x), 0.0, 1.0)[0]


def two_paths(theta):
    """Return the ends of paths whose changes have one name."""
    a, b = theta
    times, start = np.linspace(0.0, 1.0, 3), np.ones(1)
    first = odeint(lambda y, t: -a * y + b, start, times)[-1, 0]
    return first * odeint(lambda y, t: a * np.cos(b * t) * y, start, times)[-1, 0]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (two_paths, (np.array([0.7, 1.3]),)),
        (path, (np.array([1.0, 0.5, 1.2, 0.3]), np.array([1.0, 0.5]), np.linspace(0, 2, 4))),
        (fallen, (np.array([0.7, 1.3]),)),
    ],
)
def test_derivatives_of_what_is_solved_have_names_of_their_own(f, args, tmp_path):
    """Each parameter has a derivative of the right-hand side: the text tells them apart."""
    derivative = grad(f)
    found = derivative(*args)
    np.testing.assert_allclose(found, fd.gradient(f, args, 0), rtol=1e-4)
    text = source(derivative)
    assert not [line for line in text.splitlines() if len(line) > 104]
    heads = re.findall(r"^def (\w+)", text, flags=re.M)
    assert len(set(heads)) == len(heads)
    save(derivative, tmp_path / "saved.py")
    given = importlib.util.spec_from_file_location("saved", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(given)
    given.loader.exec_module(module)
    np.testing.assert_array_equal(getattr(module, f"{f.__name__}_grad")(*args), found)
