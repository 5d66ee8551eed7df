"""The generated code of one derivative for one signature."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from srcgrad.late import ComputedOnce, late
from srcgrad.load.readers import names_read
from srcgrad.program.namespaces import read_name

if TYPE_CHECKING:
    from srcgrad.calling.recorded import Recorded
    from srcgrad.errors import SrcgradError
    from srcgrad.program.guards import ArgumentTests, Facts


@dataclass(frozen=True, eq=False)
class Specialisation:
    """Generated code for one signature.

    Attributes:
        guard: tells whether a call fits it.
        run: the generated function; for ``vjp`` the forward function.
        backward: for ``vjp``, the backward function.
        slots: for ``vjp``, the structure of the gradients and of the result, which
            parts of it count, and whether anything is kept that can be overwritten;
            for ``jvp``, the names of the parameters for tangents, and the structure of
            the arguments that have them.
        text: the text of the generated module.
        filename: the file it was compiled under.
        functions: the texts of its functions.
        basis: what it was generated from.
        recorded: what is recorded while it runs, where no code could be generated.
        refusal: why none could be generated.
        calls: what is recorded of it, where there is code for the rest.
        finish: makes, of the functions that were compiled, what a call runs while somebody
            watches, or a debugger stops in it.
        reread: makes the function whose text is read again, for derivatives of this one.
        portable: makes the same with a text that is right for arrays of other libraries and
            precisions, too; none where this one is.
        checks: the tests of the arguments and what was read of the program, for this code and
            for that which it was generated from; none where closures cannot share the code.
        apart: whether derivatives of it are taken of another text, which is simpler.
        unsettled: whether a slope may be infinite, or none, where nothing reads a value.
    """

    guard: Callable[..., bool]
    run: Any
    backward: Any
    slots: Any
    text: str
    filename: str
    functions: Any
    basis: Any
    recorded: Recorded | None = None
    refusal: SrcgradError | None = None
    calls: tuple[Recorded, ...] = ()
    finish: Callable[[Any, Any], tuple[Any, Any]] | None = None
    reread: Callable[[], Any] | None = None
    portable: Callable[[], Specialisation] | None = None
    checks: tuple[tuple[ArgumentTests, Facts], ...] = ()
    apart: bool = False
    unsettled: bool = False

    @ComputedOnce
    def readable(self) -> Any:
        """The generated function, as its text is differentiated again."""
        if self.apart and self.reread is not None:
            return self.reread()
        return inspect.unwrap(self.run)

    @ComputedOnce
    def instrumented(self) -> tuple[Any, Any]:
        """The functions that run while somebody watches, instead of ``run`` and ``backward``."""
        if self.finish is None:
            return self.run, self.backward
        make = late("instrumented")
        main, second = inspect.unwrap(self.run), self.backward
        second = None if second is None else inspect.unwrap(second)
        return self.finish(make(main), None if second is None else make(second))

    @ComputedOnce
    def names(self) -> list[tuple[Any, str]]:
        """For ``vjp``, the globals and cells that the backward function reads."""
        found = names_read(self.backward)
        return [(space, name) for space, name in found if not _is_code(read_name(space, name))]


def _is_code(thing: Any) -> bool:
    """Whether a value is a function, a class or a module."""
    return callable(thing) or isinstance(thing, types.ModuleType)
