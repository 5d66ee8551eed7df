"""The page of what is covered is the one that srcgrad prints."""

import platform
from pathlib import Path

import numpy as np
import pytest
import scipy

from tests.coverage import page

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def test_page_is_up_to_date():
    """With the versions that the page names, its text is what the registry says."""
    text = PAGE.read_text()
    versions = f"{platform.python_version()}, NumPy {np.__version__} and SciPy {scipy.__version__}."
    if f"Python {versions}" not in text:
        pytest.skip("the page was printed with other versions")
    assert text == page()
