"""Pictures of a trace, with matplotlib."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.debugging.trace import TracedLine


def picture_of(title: str, traced: list[TracedLine]) -> Any:
    """Return a figure of the norms of cotangents and the times, line by line."""
    figure_type = import_module("matplotlib.figure").Figure
    lines = traced[::-1]
    texts = [found.line.text.partition("\n")[0][:40] for found in lines]
    labels = [f"{found.line.lineno}  {text}" for found, text in zip(lines, texts, strict=True)]
    places = range(len(lines))
    figure = figure_type(figsize=(10, 1.2 + 0.32 * len(lines)), layout="constrained")
    flow, time = figure.subplots(1, 2, sharey=True)
    for place, found in zip(places, lines, strict=True):
        for norms in found.cotangent_norms.values():
            kept = [norm for norm in norms if norm > 0]
            flow.plot(kept, [place] * len(kept), "o", color="C0", alpha=max(0.15, 1 / len(norms)))
    flow.set_xscale("log")
    flow.set_yticks(list(places), labels, family="monospace", fontsize=8)
    flow.set_title("norm of the cotangent", fontsize=9)
    forward = [1e3 * found.forward_seconds for found in lines]
    backward = [1e3 * found.backward_seconds for found in lines]
    time.barh(places, forward, color="C2", label="forward")
    time.barh(places, backward, left=forward, color="C1", label="backward")
    time.set_title("time in ms", fontsize=9)
    time.legend(fontsize=8)
    for axes in (flow, time):
        axes.grid(axis="x", alpha=0.3)
        axes.margins(y=0.02)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure
