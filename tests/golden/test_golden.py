"""Programs and their derivatives, side by side, as exact text.

Each file in this folder holds a program as a user would write it, and, under a
line of dashes, the text that is generated for it. ``UPDATE_GOLDEN=1`` writes that
text into the files instead of comparing: read the difference as prose before you
commit it. The program is executed, and so is the text below it, whose results are
compared with finite differences.
"""

import inspect
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from srcgrad import source, vjp
from tests import finite_differences as fd

FOLDER = Path(__file__).parent
FILES = sorted(path for path in FOLDER.glob("*.py") if not path.stem.startswith("test_"))
RULE = "# " + "-" * 90 + "\n"


class Golden:
    """One file: its program, the derivative, and the text that was written down."""

    def __init__(self, path, monkeypatch):
        self.path = path
        self.program, _, self.written = path.read_text().partition(f"\n\n{RULE}\n")
        module = types.ModuleType(path.stem)
        module.__file__ = str(path)
        monkeypatch.setitem(sys.modules, path.stem, module)
        exec(compile(self.program, str(path), "exec"), vars(module))
        self.module = module
        derivative = module.derivative
        self.args = module.arguments()
        if isinstance(derivative, tuple):  # vjp is no function of functions
            _, self.function, wrt = derivative
            vjp(self.function, *self.args, wrt=wrt)
            transform = sys.modules["srcgrad.calling.api"]._vjp_transform(self.function, wrt)
            self.text = source(self.function, "vjp", wrt=wrt)
        else:
            transform = derivative.__srcgrad__
            self.function = transform.function
            self.value = derivative(*self.args)
            self.text = source(derivative)
        self.kind = transform.kind
        names = list(inspect.signature(self.function).parameters)
        self.wrt = [names.index(name) for name in transform.wanted]
        self.many = isinstance(transform.wrt, tuple)

    def run(self):
        """Execute the text; return its functions."""
        space = dict(vars(self.module))
        code = getattr(self.function, "__code__", None)
        if code is not None:
            cells = [cell.cell_contents for cell in self.function.__closure__ or ()]
            space |= dict(zip(code.co_freevars, cells, strict=True))
        exec(compile(self.text, f"{self.path.stem} generated", "exec"), space)
        return space

    def gradients(self, space):
        """The gradients that the executed text gives, one per argument, and a scalar function."""
        name = getattr(self.function, "__name__", "")
        if self.kind == "vjp":
            value, residuals = space[f"{name}_forward"](*self.args)
            weights = np.cos(np.arange(value.size)).reshape(value.shape)
            found = space[f"{name}_backward"](residuals, weights)
            return found, lambda *args: np.sum(weights * self.function(*args))
        found = space[f"{name}_{self.kind}"](*self.args)
        if self.kind == "value_and_grad":
            value, found = found
            assert np.allclose(value, self.function(*self.args), rtol=1e-14)
        return found if self.many else (found,), self.function


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_text_is_the_one_written_down(path, monkeypatch):
    """What is generated is what has been reviewed."""
    golden = Golden(path, monkeypatch)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(f"{golden.program.rstrip()}\n\n\n{RULE}\n{golden.text}")
        return
    assert golden.text == golden.written


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_text_computes_the_derivative(path, monkeypatch):
    """The text below the rule, executed, agrees with central differences."""
    golden = Golden(path, monkeypatch)
    found, function = golden.gradients(golden.run())
    assert len(found) == len(golden.wrt)
    for position, gradient in zip(golden.wrt, found, strict=True):
        expected = fd.gradient(function, golden.args, position)
        places = gradient, golden.args[position], expected
        for one, arg, wanted in zip(*map(fd.numbers, places), strict=True):
            assert np.shape(one) == np.shape(arg)
            assert np.allclose(one, wanted, rtol=1e-6, atol=1e-7)


def test_there_is_a_file_for_each_feature():
    """None of the files has been lost."""
    assert len(FILES) >= 33
