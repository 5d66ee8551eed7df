"""How derivatives are called, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from srcgrad.calling.recorded import Recorded

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class DerivativeOf(Protocol[P, R_co]):
    """What ``grad`` and the like return: it is called as the function it is of.

    The type of a gradient is ``Any``: it is that of the arguments in ``wrt``.

    Attributes:
        recorded: what is recorded while it runs.
        pattern: of a sparse Jacobian or Hessian, what gives its pattern.
    """

    __name__: str
    recorded: list[Recorded]
    pattern: Any

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Compute the derivative."""
        ...


class GeneratedDerivative(DerivativeOf[P, R_co], Protocol[P, R_co]):
    """What ``grad`` and ``value_and_grad`` return: generated code, in which one can stop."""

    def debug(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Compute the derivative, and stop in the debugger where the backward part begins."""
        ...

    def file(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """Return the path of the file with the code for these arguments."""
        ...
