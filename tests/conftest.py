"""The verifier looks at what each pass makes, in all tests; ``--gpu`` runs those for a GPU."""

import pytest

from srcgrad.ir import verify

verify.enabled = True


def pytest_addoption(parser):
    """Tests on a GPU run when they are asked for."""
    parser.addoption("--gpu", action="store_true", help="run the tests with CuPy on a GPU")


def pytest_collection_modifyitems(config, items):
    """Leave the tests on a GPU out where nobody asked for them."""
    if config.getoption("--gpu"):
        return
    kept = [item for item in items if "cupy" not in getattr(item, "fixturenames", ())]
    dropped = [item for item in items if "cupy" in getattr(item, "fixturenames", ())]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


@pytest.fixture(scope="session")
def cupy():
    """CuPy, where it is installed and finds a GPU."""
    found = pytest.importorskip("cupy", reason="CuPy is not installed")
    if not found.cuda.is_available():
        pytest.skip("CuPy finds no GPU")
    return found
