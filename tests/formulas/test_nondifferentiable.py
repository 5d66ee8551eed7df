"""What is listed as constant between jumps is so: nothing that moves smoothly gets slope zero."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import fft, signal, special, stats
from scipy.spatial import distance

from srcgrad import grad
from srcgrad.errors import MissingFormulaError
from srcgrad.registry import is_nondifferentiable
from tests.coverage import LIBRARIES, classes_of
from tests.finite_differences import leaves

MOVE = 1e-6
NUMBERS = (0.613, 2.371, 5.0)
ARRAYS = (
    np.array([0.31, 1.27, 2.83, 0.77]),
    np.array([[0.6, 1.3, 0.2], [1.9, 0.8, 0.45], [0.7, 1.1, 1.7]]),
)
# What is in the memory that an empty array gets is anything
ANYTHING = {np.empty, np.empty_like}
# They have nothing to do with numbers, and print, or run for long on any
SILENT = {"show_options", "linprog_verbose_callback", "use_solver", "hadamard", "pascal"} | {
    "invpascal", "invhilbert", "mintypecode", "hilbert",
}  # fmt: skip


def listed():
    """The functions that are listed as nondifferentiable."""
    for library, things in LIBRARIES.items():
        if library == "numpy.ndarray":
            continue
        for name, classes in classes_of(library).items():
            fn = things()[name]
            if classes == ["nondifferentiable"] and name not in SILENT and fn not in ANYTHING:
                # those for images crash on anything else in the second place
                most = 1 if library == "scipy.ndimage" else 3
                yield pytest.param(fn, most, id=f"{library}.{name}")
    for module in (fft, signal, stats, distance):
        for name, fn in vars(module).items():
            if callable(fn) and is_nondifferentiable(fn):
                yield pytest.param(fn, 3, id=f"{module.__name__}.{name}")


def calls(most):
    """Arguments, and the place of the one that moves; the others stay, or are whole numbers."""
    for count, x in itertools.product(range(1, most + 1), (*NUMBERS, *ARRAYS)):
        for place, other in itertools.product(range(count), (x, 1, 2) if count > 1 else (x,)):
            yield [x if k == place else other for k in range(count)], place


def floats(z):
    """The numbers in a result that are no whole numbers and no truth values."""
    found = [np.asarray(x) for x in leaves(z) if isinstance(x, float | complex | np.ndarray)]
    return [x for x in found if x.dtype.kind in "fc"]


def moved_by(fn, args, place):
    """How far a result moves, beside how far an argument does; 0 where there is none, or a jump."""
    x = args[place]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            before = floats(fn(*args))
            shifted = x + MOVE * np.cos(np.arange(np.size(x)) + 0.5).reshape(np.shape(x))
            after = floats(fn(*args[:place], type(x)(shifted) if isinstance(x, float) else shifted,
                              *args[place + 1 :]))  # fmt: skip
        except Exception:  # noqa: BLE001 - whatever the library raises
            return 0.0
    if [x.shape for x in before] != [x.shape for x in after]:
        return 0.0
    steps = [np.abs(b - a) for a, b in zip(before, after, strict=True)]
    finite = [float(d) for step in steps for d in step.ravel() if np.isfinite(d)]
    return max((d for d in finite if d < 1e3 * MOVE), default=0.0) / MOVE


@pytest.mark.parametrize(("fn", "most"), [*listed()])
def test_constant_between_jumps(fn, most):
    """Its result stays, or jumps, as an argument moves a little, whatever the arguments are."""
    for args, place in calls(most):
        assert moved_by(fn, args, place) < 1e-4, f"{args}, {place}"


def test_what_depends_on_a_number_of_points():
    """A window is one of so many points, and goes smoothly where they are no whole number."""
    for window in (np.hanning, np.hamming, np.blackman, np.bartlett):
        assert grad(lambda x, w=window: np.sum(x * w(int(x))))(3.5) == np.sum(window(3))
        with pytest.raises(MissingFormulaError, match=r"int\(\.\.\.\)"):
            grad(lambda x, w=window: np.sum(w(x)))(3.5)


def test_factorials_of_any_number():
    """They go smoothly where they are extended to numbers in between."""

    def f(n):
        return special.factorial2(n, extend="complex") + special.factorialk(n, 3, extend="complex")

    np.testing.assert_allclose(grad(f)(2.5), (f(2.5 + 1e-6) - f(2.5 - 1e-6)) / 2e-6, rtol=1e-8)
