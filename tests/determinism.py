"""The texts of derivatives of programs, for comparison between processes.

Run as a module, it prints them as JSON, in the order of the table or, with
``reversed`` as its argument, from the last to the first.
"""

from __future__ import annotations

NAMES = ("branches.both_arms_active",)
