"""Loading the formulas of a library, and what all formulas have in common."""

import ast
import inspect
import operator
import pkgutil
import subprocess
import sys
import textwrap
from importlib import import_module

import numpy as np
import pytest
from scipy import linalg, stats
from scipy.spatial.transform import Rotation
from srcgrad.formulas.numpy.arrays import methods, shapes

from srcgrad import formulas, registry
from srcgrad.runtime import first_columns, with_added_columns
from srcgrad.runtime.choosing import between_zeros, with_zeros
from srcgrad.runtime.matrices import (
    cross_like,
    require_rank,
    require_real,
    require_tall,
    require_whole,
)
from srcgrad.runtime.numpy.variances import nan_deviation_about, nan_variance_about
from srcgrad.runtime.scipy import rotations, solvers
from srcgrad.runtime.scipy.splines import cubic_spline, interpolating_spline
from tests.formulas.checking import Case
from tests.formulas.scipy.special.test_spheroidal import SPHEROIDAL

formulas.load_all()
MODULES = sorted(
    {
        name
        for library, names in formulas.LIBRARIES.items()
        for name in names
        if library not in formulas.AS_THEY_ARE_USED  # tests/mpi calls these, on several ranks
    }
)
INTERPOLANTS = "tests.formulas.scipy.test_interpolants"
TESTS = [
    "tests.formulas.test_overwriting",
    "tests.formulas.test_runtime",
    *(
        f"tests.formulas.{library}.test_{topic}"
        for library, topics in (
            ("python", ["operators", "builtins", "math"]),
            ("numpy", [
                "averages", "complex_numbers", "creation", "decompositions", "differences",
                "einsum", "exponents", "extrema", "fourier", "hyperbolic", "indexing", "initials",
                "joining",
                "linalg", "miscellaneous", "products", "rearranging", "reductions",
                "shaping", "sorting", "statistics", "trigonometry", "ufuncs",
                "complex_operands",
            ]),
            ("scipy.linalg", [
                "banded", "basics", "decompositions", "functions", "triangular", "eigenvalues",
            ]),
            ("scipy", ["distance", "fft", "signal", "integrate", "interpolate", "sparse"]),
            ("scipy.ndimage", ["filters", "interpolation", "gaussians"]),
            ("scipy.stats", ["continuous", "discrete", "multivariate"]),
            ("scipy.special", [
                "airy", "bessel", "convenience", "distributions", "elliptic", "gamma",
                "hypergeometric", "orthogonal", "spherical", "spheroidal", "transforms",
                "complex_results",
                "cancellations",
            ]),
        )
        for topic in topics
    ),
]  # fmt: skip


def registered():
    """Return the formulas that the modules of the libraries define."""
    found = {}
    for name in MODULES:
        module = import_module(name)
        for fn in vars(module).values():
            if inspect.isfunction(fn) and fn in registry._formulas.values():
                found[f"{name}.{fn.__name__}"] = fn
    return found


FORMULAS = registered()


def test_every_module_is_listed():
    """No file of formulas is forgotten in the list of libraries."""
    package = import_module("srcgrad.formulas")
    found = [m.name for m in pkgutil.walk_packages(package.__path__, "srcgrad.formulas.")]
    others = {
        "python",
        "scipy",
        "scipy.special",
        "scipy.linalg",
        "scipy.linalg.options",
        "scipy.ndimage",
        "scipy.ndimage.options",
        "scipy.stats",
        "numpy",
        "numpy.arrays",
        "numpy.arrays.axes",
        "numpy.arrays.methods",
        "numpy.arrays.shapes",
        "numpy.mathematics",
        "mpi",
    }
    assert set(found) == set(MODULES) | {f"srcgrad.formulas.{name}" for name in others}


def test_modules_of_tables_register_nothing():
    """What the passes import by itself does not depend on what was loaded before."""
    text = (
        "import tests.coverage, srcgrad.cli, srcgrad.generation.generate\n"
        "from srcgrad import registry\n"
        "assert not [r for r in registry._refused], len(registry._refused)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_library():
    """A library without formulas is an error."""
    with pytest.raises(KeyError):
        formulas.load("fortran")


def formulas_with_a_case():
    """The formulas that at least one line of a test compares with differences."""
    tested = {
        registry.find_formula(c.target)
        for name in TESTS
        for c in import_module(name).CASES
        if isinstance(c, Case)
    }
    tested.add(registry.find_formula(np.float32))  # their tests are about precision
    for fn in (np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh):
        tested.add(registry.find_formula(fn))  # about symmetry
    for fn in (np.linalg.eig, np.linalg.eigvals):
        tested.add(registry.find_formula(fn))  # about complex numbers
    for fn in (cubic_spline, interpolating_spline):
        tested.add(registry.find_formula(fn))  # about objects
    tested |= {registry.find_formula(fn) for fn in import_module(INTERPOLANTS).CALLED}
    for fn in (linalg.cholesky, linalg.cho_factor, linalg.cho_solve, linalg.eigh, linalg.eigvalsh):
        tested.add(registry.find_formula(fn))  # about symmetry
    for fn in (linalg.polar, require_tall):
        tested.add(registry.find_formula(fn))  # about both of its factors
    for fn in (stats.multivariate_normal.pdf, stats.multivariate_normal.logpdf):
        tested.add(registry.find_formula(fn))  # about symmetry
    tested.add(registry.find_formula(linalg.lu_factor))  # about solving
    tested.add(registry.find_formula(linalg.lu_solve))
    for fn in (nan_variance_about, nan_deviation_about, cross_like):  # about options
        tested.add(registry.find_formula(fn))
    tested.add(registry.find_formula(np.unique_all))  # about the entries that are equal
    for fn in (require_real, require_whole, require_rank):  # they are in others
        tested.add(registry.find_formula(fn))
    tested.add(registry.find_formula(solvers.roots_between))  # in test_optimize
    solved = ("root", "roots", "slope_at_root", "integral", "integral_of_array", "path")
    for name in (*solved, "columns_of_path"):
        tested.add(registry.find_formula(getattr(solvers, name)))  # in test_solvers
    for c in SPHEROIDAL:  # in test_spheroidal, without single precision
        tested.add(registry.find_formula(c.target))
    for fn in (Rotation.apply, rotations.nearest_rotation):  # in test_rotation
        tested.add(registry.find_formula(fn))
    for name in ("sqrt", "log", "log2", "log10", "logn", "power", "arccos", "arcsin", "arctanh"):
        tested.add(registry.find_formula(getattr(np.emath, name)))  # in test_scimath
    tested.add(registry.find_formula(np.float16))
    tested.add(registry.find_formula(np.complex64))
    tested.add(registry.find_formula(first_columns))  # about columns that stay zeros
    tested.add(registry.find_formula(with_added_columns))  # in tangents of svd and qr
    for about_zeros_that_stay in (np.trim_zeros, between_zeros, with_zeros):
        tested.add(registry.find_formula(about_zeros_that_stay))
    return tested


# Looked up before any test runs: some of them register formulas of their own.
TESTED = formulas_with_a_case()


def test_every_formula_has_a_case():
    """Each formula is compared with differences by at least one line of a test."""
    assert [name for name, fn in FORMULAS.items() if fn not in TESTED] == []


@pytest.mark.parametrize("name", FORMULAS)
def test_shape_of_a_formula(name):
    """A formula has a docstring, and options only after the star."""
    fn = FORMULAS[name]
    assert fn.__doc__
    for p in inspect.signature(fn).parameters.values():
        assert p.kind is not p.VAR_KEYWORD
        assert p.kind is not p.POSITIONAL_ONLY


OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv, ast.USub: operator.neg,
}  # fmt: skip
# derivatives that are differentiated through their own texts
TEXTS = (
    "cofactors_along dirichlet_change dirichlet_cotangents lfilter_change lfilter_transpose "
    "lu_change lu_transpose joined normal_change normal_cotangents simpson_change simpson_slopes "
    "simpson_transpose simpson_weights_change"
).split()
STRUCTURE = {tuple, list, enumerate, range, len, isinstance, zip, slice}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.one_of(2)
def test_closed_under_differentiation(name):
    """What a formula calls can be differentiated again, or has no derivative to have."""
    fn = FORMULAS[name]
    definition = ast.parse(textwrap.dedent(inspect.getsource(fn))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    tree = ast.Module(definition.body, [])
    local = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    local |= {arg.arg for arg in definition.args.args}  # derivatives of a function it is given
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) in OPERATORS:
            known = OPERATORS[type(node.op)]
        elif isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            if text in local:
                continue
            read = {n.id for arg in node.args for n in ast.walk(arg) if isinstance(n, ast.Name)}
            if read <= registry.constant_parameters(fn):
                continue  # it is a constant
            known = eval(text, {**fn.__globals__})
        else:
            continue
        assert (
            registry.find_formula(known) is not None
            or registry.is_nondifferentiable(known)
            or registry.is_static(known)
            or known in STRUCTURE
            or known is registry.primal
            or (known.__module__.startswith("srcgrad.runtime") and known.__name__ in TEXTS)
        ), f"{ast.unparse(node)} has no formula"


@pytest.mark.parametrize("name", methods.METHODS)
def test_methods_have_formulas(name):
    """Each method in the table belongs to arrays, and to a function with a formula."""
    assert hasattr(np.ndarray, name)
    assert registry.find_formula(methods.METHODS[name]) is not None


@pytest.mark.parametrize("name", methods.ATTRIBUTES)
def test_attributes_have_formulas(name):
    """Each attribute in the table belongs to arrays, and to a function with a formula."""
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(getattr(x, name), methods.ATTRIBUTES[name](x))
    assert registry.find_formula(methods.ATTRIBUTES[name]) is not None


@pytest.mark.parametrize("name", sorted(methods.METADATA | methods.NONDIFFERENTIABLE_METHODS))
def test_other_names_belong_to_arrays(name):
    """What is listed as metadata or piecewise constant exists."""
    assert hasattr(np.ndarray, name)


def test_variadic_methods():
    """The methods that take a shape as several numbers are in the table."""
    assert methods.VARIADIC_METHODS <= methods.METHODS.keys()


@pytest.mark.parametrize("fn", sorted(shapes.RANK_UNKNOWN, key=lambda fn: fn.__name__))
def test_rank_that_depends_on_lengths(fn):
    """The rank of such a result differs between arrays of one rank."""
    assert np.ndim(fn(np.ones((1, 2)))) != np.ndim(fn(np.ones((2, 2))))


def test_no_function_is_both():
    """A function has a formula, or no derivative to have, never both."""
    assert not set(registry._formulas) & registry._nondifferentiable
