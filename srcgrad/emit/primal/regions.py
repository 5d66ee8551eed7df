"""Where the regions of a function's text end: what is to run last must stand at each end."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.trees import below, small_of
from srcgrad.ir.layout import Frame, Layout

End = tuple[str, Any]  # ("before" | "after" | "else", statement)


class Ends:
    """Finds the ends of regions, exits included."""

    def __init__(self, layout: Layout) -> None:
        self.arms: dict[int, list[Frame]] = {}
        for frame in layout.frames:
            if frame.kind == "arm" and isinstance(frame.node, cst.If | cst.Try):
                self.arms.setdefault(id(frame.node), []).append(frame)

    def of(self, frame: Frame) -> list[End]:
        """The ends of a region: before each exit, and after its last statement.

        What raises behind the body of a ``try`` statement is no concern of its handlers.
        """
        if frame.whole is not None:
            return [("else", frame.node)]
        if not frame.statements:
            return [("else", frame.node)]
        last = frame.statements[-1][0]
        if isinstance(last, cst.If | cst.Try) and id(last) in self.arms:
            arms = self.arms[id(last)]
            found = [self.of(arm) for arm in arms]
            ends = [end for each in found for end in each]
            if any(kind == "before" for kind, _ in ends) or not all(found):  # one that raises
                return ends
            if any(self.moved(arm, last) for arm in arms):
                return ends
            return [("after", last)]
        small = small_of(last)
        if isinstance(small, cst.Raise):
            return []
        if isinstance(small, cst.Break | cst.Continue | cst.Return):
            return [("before", last)]
        return [("after", last)]

    def moved(self, arm: Frame, node: Any) -> bool:
        """Whether statements that follow a branch belong to one of its arms."""
        inside = {id(part) for part in below(node)}
        return any(id(s) not in inside for s, _ in arm.statements)
