"""What ``import srcgrad`` brings in: the time it takes is mostly that of other packages."""

import subprocess
import sys

PROGRAM = """
import sys
import numpy
before = set(sys.modules)
import srcgrad
from srcgrad import check, differentiate, formula, grad, source, value_and_grad, vjp
grad(lambda x: x * x)
print(*sorted(set(sys.modules) - before))
"""


def imported():
    """Return the modules that importing all public names adds to those of NumPy."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_what_transforms_is_imported_with_the_first_transformation():
    """Neither libcst and astor, nor the passes and the formulas of srcgrad itself."""
    names = imported()
    assert "srcgrad.calling.api" in names
    assert not {name for name in names if name.split(".")[0] in ("libcst", "astor")}
    late = {"frontend", "emit", "ir", "analysis", "transform", "simplify", "formulas"}
    assert not {name for name in names if set(name.split(".")) & late}
