"""The texts of derivatives of programs, for comparison between processes.

Run as a module, it prints them as JSON, in the order of the table or, with
``reversed`` as its argument, from the last to the first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from srcgrad import grad, source, value_and_grad, vjp
from srcgrad.api import differentiate
from tests.programs.table import Program, programs

NAMES = (
    "branches.both_arms_active",
)
