"""The table of derivatives: made from the formula files, complete, and as they say."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from srcgrad.registry import find_formula
from tests.coverage import LIBRARIES, classes_of

pytest.importorskip("scipy")
pytest.importorskip("pygments")
HOOK = Path(__file__).resolve().parents[2] / "docs" / "site" / "derivatives.py"


@pytest.fixture(scope="module")
def hook():
    """The module that MkDocs calls."""
    spec = importlib.util.spec_from_file_location("derivatives_hook", HOOK)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def families(hook):
    """The families of formulas."""
    return hook.families()


@pytest.fixture(scope="module")
def rows(families):
    """The rows by the names in them."""
    return {name: row for family in families for row in family.rows for name in row.names}


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_has_a_formula_has_a_row(rows, library):
    """Each public function and method that can be differentiated is found by its name."""
    prefix = {"builtins": "", "numpy.ndarray": "x."}.get(library, f"{library}.")
    known = [name for name, classes in classes_of(library).items() if "formula" in classes]
    missing = {
        f"{prefix}{n}" for n in known if not rows.keys() & {f"{prefix}{n}", f"{prefix}{n}()"}
    }
    assert missing == set()


def test_a_row_says_what_the_formula_says(rows):
    """Primal and domain come from the docstring, cotangents and tangent from the lines."""
    row = rows["numpy.arctan2"]
    assert row.primal == "z = the angle of the point (x, y)"
    assert row.domain == "not the origin"
    assert row.cotangents.splitlines() == [
        "r = np.hypot(x, y)",
        "y_bar = z_bar * (x / r) / r",
        "x_bar = -z_bar * (y / r) / r",
    ]
    assert row.tangent.splitlines() == [
        "r = np.hypot(x, y)",
        "z_dot = y_dot * (x / r) / r - x_dot * (y / r) / r",
    ]


def test_kinks_are_told(rows):
    """What the docstring says of a kink, and the slope in the table of kinks."""
    assert rows["numpy.maximum"].kinks.startswith("slope 1/2 each where they tie")
    assert "`np.abs(x)` has slope 0.0 at `x = 0.0`" in rows["numpy.absolute"].kinks


def test_a_linear_function_is_its_own_tangent(rows):
    """The call, with the tangent in the place of what it is linear in."""
    assert rows["numpy.cumsum"].tangent == "z_dot = np.cumsum(x_dot, axis=axis, dtype=dtype)"


def test_tangents_are_derivatives(rows):
    """The tangent of each ufunc, as a line of the table, gives what differences give."""
    looked_at = []
    for name, function in vars(np).items():
        row = rows.get(f"numpy.{name}")
        if not isinstance(function, np.ufunc) or row is None or not row.tangent:
            continue
        if function.nout > 1 or function.signature or name == "ldexp":
            continue
        rule = find_formula(function)
        names = rule.__code__.co_varnames[: function.nin]
        first = 1.7 if name.endswith("cosh") else 0.7
        point = dict(zip(names, (first, 1.3), strict=False))
        move = dict(zip(names, (0.4, -0.3), strict=False))
        space = {**rule.__globals__, **point, "z": function(*point.values())}
        space |= {f"{n}_dot": move[n] for n in names}
        exec(row.tangent, space)
        ends = [function(*(point[n] + s * 1e-6 * move[n] for n in names)) for s in (1, -1)]
        assert space["z_dot"] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-7), name
        looked_at.append(name)
    assert len(looked_at) > 50


def test_the_table_stands_in_the_place_of_its_mark(hook, families):
    """Names are shown, can be looked up, and are safe as HTML; other pages stay as they are."""
    text = hook.table(families)
    assert '<tr id="numpy.arctan2" data-names="numpy.arctan2' in text
    assert '<a href="#numpy-s-trigonometric-functions">' in text
    assert not re.search(r"[^\w]<(?!/?[a-z])", text), "a comparison is escaped"
    assert hook.on_page_content("<p>text</p>", None) == "<p>text</p>"
    assert (HOOK.parents[1] / "derivatives.md").read_text().count(hook.MARK) == 1
