"""What a call runs, made of the functions that were compiled: with tests of what they give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from srcgrad.calling.arguments.shared import require_unchanged
from srcgrad.calling.undetermined import require_determined
from srcgrad.calling.unsettled import settled
from srcgrad.late import late

if TYPE_CHECKING:
    from srcgrad.calling.transformed import Transform


class Flags(NamedTuple):
    """What has to be tested when generated code runs.

    Attributes:
        unsure: whether results may be complex, and were taken to be real.
        effects: whether the program writes into what it was not given.
        undetermined: whether tangents may be nan that are not determined.
        messages: whether it sends some to other ranks, which are to be received before it ends.
        unsettled: whether a slope may be infinite, or none, where nothing reads a value.
    """

    unsure: bool = False
    effects: bool = False
    undetermined: bool = False
    messages: bool = False
    unsettled: bool = False

    @property
    def shared(self) -> bool:
        """Whether closures may share the code: all tests are those of its results."""
        return not (self.effects or self.undetermined or self.messages)


def finished(
    transform: Transform, flags: Flags, run: Any, backward: Any, inner: Any = None
) -> tuple[Any, Any]:
    """Return what a call runs of generated code.

    Args:
        transform: the derivative.
        flags: what has to be tested.
        run: the function that is called.
        backward: for ``vjp``, the backward function.
        inner: what is put around the function that is called before it is looked at what that
            gives from outside.
    """
    if flags.messages:
        run = late("flushing")(run)
        backward = None if backward is None else late("flushing")(backward)
    if flags.unsure and transform.kind == "vjp":
        backward = late("require_real_results")(backward, "vjp")
    elif flags.unsure:
        run = late("require_real_results")(run, transform.kind, transform.has_aux)
    if flags.unsettled and transform.kind == "vjp":
        backward = settled(backward, "vjp")
    elif flags.unsettled and transform.on_final is None:  # which may step an argument
        run = settled(run, transform.kind, transform.has_aux)
    if inner is not None:
        run = inner(run)
    if flags.effects and transform.on_final is None:  # which may step an argument
        run = require_unchanged(run, transform.function)
    return require_determined(run) if flags.undetermined else run, backward
