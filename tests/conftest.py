"""The verifier looks at what each pass makes, in all tests; ``--gpu`` runs those for a GPU.

Tests that are marked ``one_of(n)`` run for one of n cases, with ``--turn`` for others (see
``tests/rotation.py``), with ``--all`` for each of them.
"""

import gc
import os
import sys

import pytest

from srcgrad.ir import verify
from tests import rotation
from tests.ir import passes, printer

verify.backward, verify.tangents = passes.verify_backward, passes.verify_tangents
verify.printed = printer.printed

# What most tests look at is generated code; where there is none, that is an error.
os.environ["SRCGRAD_RECORDED"] = "refuse"
os.environ["SRCGRAD_TRACEBACK"] = "full"  # for whoever looks at a test that fails
os.environ["SRCGRAD_CACHE"] = "0"  # each test generates its own code
# Some hundred tests start processes, which would compile hundreds of modules anew. Others write
# a module several times within a second, which Python would take for the one it has compiled:
# tests themselves keep nothing of what they compile; see ``pytest_collection``.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_addoption(parser):
    """Tests on a GPU, and all cases of the largest tables, run when they are asked for."""
    parser.addoption("--gpu", action="store_true", help="run the tests with CuPy on a GPU")
    parser.addoption("--all", action="store_true", help="run all cases of the largest tables")
    parser.addoption("--turn", type=int, help="run the cases that have their turn at this number")


def pytest_configure(config):
    """Tell tests, and the processes that run them, which cases have their turn."""
    if config.getoption("--all"):
        os.environ["SRCGRAD_TESTS_TURN"] = rotation.ALL
    elif config.getoption("--turn") is not None:
        os.environ["SRCGRAD_TESTS_TURN"] = str(config.getoption("--turn"))


def pytest_report_header():
    """Say which cases run, so that a failure can be repeated."""
    now = rotation.turn()
    return "all cases" if now is None else f"cases that run by turns: --turn {now}"


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Make 17,000 tests without looking for garbage among them; keep what was compiled for them."""
    gc.disable()
    yield
    gc.enable()
    sys.dont_write_bytecode = True


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc):
    """Make no tests of the cases of a table that do not have their turn: there are 90,000."""
    mark = metafunc.definition.get_closest_marker("one_of")
    if mark is not None:
        name = metafunc.function.__name__
        kept = [c for c in metafunc._calls if rotation.has_its_turn(f"{name}[{c.id}]", *mark.args)]
        metafunc._calls[:] = kept or metafunc._calls  # without any, it would be a test by itself


def pytest_collection_modifyitems(config, items):
    """Leave out the tests on a GPU, and cases of the largest tables, if nobody asked for them."""

    def is_wanted(item):
        if "cupy" in getattr(item, "fixturenames", ()) and not config.getoption("--gpu"):
            return False
        mark = item.get_closest_marker("one_of")
        return mark is None or rotation.has_its_turn(item.name, mark.args[0])

    kept = [item for item in items if is_wanted(item)]
    dropped = [item for item in items if not is_wanted(item)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


@pytest.fixture(autouse=True, scope="module")
def _small_collections():
    """Leave what earlier modules have made out of collections, which cost more and more."""
    gc.freeze()


@pytest.fixture(scope="session")
def cupy():
    """CuPy, where it is installed and finds a GPU."""
    found = pytest.importorskip("cupy", reason="CuPy is not installed")
    if not found.cuda.is_available():
        pytest.skip("CuPy finds no GPU")
    return found
