"""Programs that were installed are the user's as soon as they are differentiated."""

import importlib
import sys

import numpy as np

from srcgrad import grad

CURVE = """\
from dataclasses import dataclass, field

import numpy as np

SCALES = {"long": 2.0}


@dataclass(order=True)
class Curve:
    level: float
    slopes: list = field(default_factory=lambda: [0.5, 0.25])

    @classmethod
    def named(cls, name):
        return cls(SCALES[name])

    def at(self, t):
        return self.level * np.exp(-t * SCALES["long"]) + self.slopes[0]
"""


def test_methods_that_are_written_for_fields_change_nothing(tmp_path, monkeypatch):
    """What ``dataclass`` writes has no text, and does nothing that a library could cause."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "curves_of_a_package.py").write_text(CURVE)
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module("curves_of_a_package")
    curve = module.Curve(3.0)
    slope = grad(curve.at, recorded="refuse")(0.5)
    np.testing.assert_allclose(slope, -6.0 * np.exp(-1.0))
    del sys.modules["curves_of_a_package"]
