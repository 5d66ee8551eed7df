"""The functions that a user calls."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    Unpack,
    overload,
)

from srcgrad.calling.options import (
    BY_DEFAULT,
    OF_TEXT,
    OfGradients,
    OfRuns,
    OfText,
    Options,
    takes,
)
from srcgrad.calling.protocols import DerivativeOf, GeneratedDerivative, P, R
from srcgrad.calling.pullback import run_vjp
from srcgrad.calling.pushforward import jvp_transform, run_jvp
from srcgrad.calling.recorded import Recorded
from srcgrad.calling.transformed import Transform, remembered
from srcgrad.errors import ArgumentError, SaveError
from srcgrad.late import ComputedOnce, late
from srcgrad.runtime import stop_gradient

if TYPE_CHECKING:
    from srcgrad.debugging.trace import Saved, Trace

_TRANSFORMS = ("grad", "value_and_grad", "vjp", "jvp")
KINDS = (*_TRANSFORMS, "jacobian", "hessian", "hvp")
_WRAPPED = ".__wrapped__"  # where the function of a decorated one is found
_METHODS = 8  # objects whose method is remembered with its derivatives
S = TypeVar("S")
Q = ParamSpec("Q")


@overload
def grad(
    f: Callable[P, Any],
    wrt: Any = 0,
    has_aux: Literal[False] = False,
    **chosen: Unpack[OfGradients],
) -> GeneratedDerivative[P, Any]: ...
@overload
def grad(
    f: Callable[P, Any],
    wrt: Any = 0,
    has_aux: bool = False,
    **chosen: Unpack[OfGradients],
) -> GeneratedDerivative[P, tuple[Any, Any]]: ...
@takes(OfGradients)
def grad(
    f: Callable[..., Any],
    wrt: Any = 0,
    has_aux: bool = False,
    **chosen: Unpack[OfGradients],
) -> Any:
    """Return the function that computes the gradient of a real scalar function.

    Args:
        f: the function; it must return one real number (with ``has_aux``, a
            tuple of that number and anything else).
        wrt: position or name of the parameter to differentiate with respect to,
            or a tuple of them; a tuple gives a tuple of gradients. ``"h"``, ``"h@14"`` and
            ``"encoder.h@14"`` mean what an assignment (in line 14, of the function
            ``encoder`` that is called) gives the name ``h``: the gradient is that with
            respect to a zero that is added there, each time that the line runs.
        has_aux: whether ``f`` returns ``(value, auxiliary)``; the gradient
            function then returns ``(gradient, auxiliary)``.
        recorded: what happens where no code can be generated for a function, and it is
            recorded while it runs instead: ``"warn"`` warns once, ``"allow"`` does not,
            ``"refuse"`` raises the error that says why. By default what the environment
            variable ``SRCGRAD_RECORDED`` says, or else ``"warn"``.
        check_finite: whether to stop at the first value, of the forward or the backward
            part, that is infinite or nan while its operands are not, with a
            ``NotFiniteError`` that names the line and the reason; see ``detect_anomaly``.
        on_final: called as ``on_final("W", W_bar)`` when the gradient with respect to an
            argument, or an array in it (``'params["W"]'``), is final, before the rest of the
            backward part runs. What it returns takes the place of the gradient: nothing,
            if it steps there and lets it go.
        jit: what compiles a Python function, such as ``numba.njit``. All that is generated is
            compiled by it, with the functions that it calls. Where no code can be generated
            for a function, that is an error then, unless ``recorded`` is given, too.
        optimize: what the text is written for: ``"readable"``, or ``"speed"``, where arrays that
            are needed no more are written into again. By default what a decorated function was
            given, or else ``"readable"``.
        policy: by the name of a value inside of the function, how it is kept for the backward
            part: ``"recompute"`` keeps nothing and computes it again, ``"float32"`` keeps it in
            single precision, ``"memmap"`` in a temporary file; of a function that is called,
            ``"encoder.h"``. See docs/memory.md.
        memory_budget: how much a call may allocate at a time, in bytes or as
            ``"64 MB"``: as much is computed again as that needs. See docs/memory.md.

    Returns:
        A function with the parameters of ``f``. Its list ``recorded`` tells what was
        recorded.

    Raises:
        ArgumentError: when ``wrt`` names no parameter and nothing inside, or several lines;
            at the call, when an argument cannot be differentiated.
        ResultError: at the call, when ``f`` does not return one real number
            (a plain ``TypeError`` where only its value tells).

    Example:
        >>> from srcgrad import grad
        >>> float(grad(lambda x: x * x * x)(2.0))
        12.0
    """
    return gradient_of(f, wrt, has_aux, Options.around(f, OfGradients, chosen))


def gradient_of(f: Any, wrt: Any, has_aux: bool, how: Options, kind: str = "grad") -> Any:
    """Return the function that computes a gradient, or ``value_and_grad``."""
    return Transform(f, kind, own_wrt(f, wrt), has_aux or own_has_aux(f), _ranks(f), how).dispatch


@takes(OfGradients)
def value_and_grad(
    f: Callable[P, R],
    wrt: Any = 0,
    has_aux: bool = False,
    **chosen: Unpack[OfGradients],
) -> GeneratedDerivative[P, tuple[R, Any]]:
    """Return the function that computes a function's value and its gradient.

    Args:
        f: the function; see ``grad``.
        wrt: what to differentiate with respect to; see ``grad``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``.
        **chosen: the other options of ``grad``; see ``grad``.

    Returns:
        A function that returns ``(value, gradient)``.

    Raises:
        ArgumentError: see ``grad``.
        ResultError: see ``grad``.

    Example:
        >>> from srcgrad import value_and_grad
        >>> value, slope = value_and_grad(lambda x: x * x)(3.0)
        >>> value, float(slope)
        (9.0, 6.0)
    """
    return gradient_of(f, wrt, has_aux, Options.around(f, OfGradients, chosen), "value_and_grad")


def vjp(
    f: Callable[..., R],
    *args: Any,
    wrt: Any = 0,
    strict: bool = False,
    recorded: str | None = None,
    check_finite: bool = False,
    jit: Callable[[Any], Any] | None = None,
    optimize: str | None = None,
    policy: Mapping[str, str] | None = None,
    memory_budget: int | str | None = None,
    **options: Any,
) -> tuple[R, Callable[[Any], Any]]:
    """Evaluate a function and return its value with its backward function.

    Args:
        f: the function; it may return arrays, numbers, and tuples of them.
        *args: its arguments.
        wrt: what to differentiate with respect to; see ``grad``.
        strict: whether the arrays that ``backward`` reads, and that the caller can
            reach, are read-only until it ran or is dropped, so that NumPy refuses to
            write into them. Views of them that were made before stay writeable.
            Of a recorded function nothing is made read-only.
        recorded: ``"warn"``, ``"allow"`` or ``"refuse"``; see ``grad``.
        check_finite: whether to stop at the first value that is not finite; see ``grad``.
        jit: what compiles the generated code; see ``grad``.
        optimize: ``"readable"`` or ``"speed"``; see ``grad``.
        policy: how single values are kept, by name; see ``grad``.
        memory_budget: what a call may take; see ``grad``.
        **options: arguments of ``f`` that are given by name.

    Returns:
        ``(value, backward)``; ``backward(value_bar)`` takes a cotangent with the
        structure of the value and returns the vector-Jacobian product. An entry
        of a tuple may be None, which stands for zero.

    Raises:
        ArgumentError: when ``wrt`` does not fit, or an argument cannot be
            differentiated.
        OverwrittenError: by ``backward``, when an array that it needs, such as an
            argument or the value, was written since.

    Example:
        >>> import numpy as np
        >>> from srcgrad import vjp
        >>> value, backward = vjp(lambda x: np.sin(x), 0.0)
        >>> float(backward(2.0))
        2.0
    """
    chosen = {"recorded": recorded, "check_finite": check_finite, "jit": jit}
    chosen |= {"optimize": optimize, "policy": policy, "memory_budget": memory_budget}
    how = Options.around(f, OfRuns, chosen)
    transform = _vjp_transform(f, _hashable(own_wrt(f, wrt)), how)
    return run_vjp(transform, args, options, strict=strict)


@remembered
def _vjp_transform(f: Callable[..., Any], wrt: Any, options: Options) -> Transform:
    return Transform(f, "vjp", wrt, False, _ranks(f), options)


def _hashable(wrt: Any) -> Any:
    return tuple(wrt) if isinstance(wrt, list) else wrt


def own_wrt(f: Any, wrt: Any) -> Any:
    """A decorated function's own ``wrt`` is the default."""
    if wrt == 0 and not isinstance(wrt, bool) and isinstance(f, Differentiated):
        return f.wrt
    return wrt


def own_has_aux(f: Any) -> bool:
    return isinstance(f, Differentiated) and f.has_aux


def _ranks(f: Any) -> dict[str, int]:
    return f.ranks if isinstance(f, Differentiated) else {}


class Differentiated(Generic[P, R]):
    """A function together with its derivatives; see ``differentiate``."""

    grad: GeneratedDerivative[P, Any]
    value_and_grad: GeneratedDerivative[P, tuple[R, Any]]

    def __init__(
        self,
        function: Callable[P, R],
        wrt: Any,
        ranks: dict[str, int],
        options: Options = BY_DEFAULT,
        has_aux: bool = False,
        unbound: Differentiated[Any, Any] | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self.__srcgrad_primal__ = function
        self.__srcgrad_options__ = options
        self.__srcgrad_mode__ = options.recorded
        self.wrt = wrt
        self.ranks = ranks
        self.has_aux = has_aux
        self._methods: list[tuple[Any, Any, Differentiated[Any, Any]]] = []
        self.recorded: list[Recorded] = [] if unbound is None else unbound.recorded
        self.transforms = {kind: self._transform(kind, wrt) for kind in _TRANSFORMS}
        self.directions: dict[Any, Transform] = {}
        self.grad = self._own("grad", self.transforms["grad"].dispatch)
        self.value_and_grad = self._own(
            "value_and_grad", self.transforms["value_and_grad"].dispatch
        )
        own = inspect.cleandoc(getattr(function, "__doc__", None) or "")
        self.__doc__ = f"{own}\n\n{self._derivatives()}".lstrip()

    def _own(self, name: str, made: Any) -> Any:
        """Let a derivative be known under its name here, by which it is pickled."""
        made.__srcgrad_owner__ = self, name
        return made

    def _derivatives(self) -> str:
        """What ``help`` tells of the derivatives."""
        name = getattr(self, "__name__", "it")
        try:
            given = str(inspect.signature(self))
        except (TypeError, ValueError):  # it does not tell its parameters
            given = "(...)"
        calls = [f"{name}.{kind}{given}" for kind in ("grad", "value_and_grad")]
        calls += [f"{name}.vjp{given}", f"{name}.jvp(primals, tangents)"]
        calls += [f"{name}.{kind}{given}" for kind in ("jacobian", "hessian")]
        calls += [f"{name}.hvp(..., vector)", f"{name}.check(...)"]
        calls += [f"{name}.trace(...)", f"{name}.saved(...)"]
        calls += [f"{name}.source(kind)", f"{name}.save(path, kind)"]
        return "Its derivatives, by srcgrad:\n" + "\n".join(f"    {call}" for call in calls)

    @ComputedOnce
    def jacobian(self) -> DerivativeOf[P, Any]:
        """The function that computes the Jacobian; see ``srcgrad.jacobian``."""
        return self._own("jacobian", late("jacobian")(self, self.wrt))

    @ComputedOnce
    def hessian(self) -> DerivativeOf[P, Any]:
        """The function that computes the Hessian; see ``srcgrad.hessian``."""
        return self._own("hessian", late("hessian")(self, self.wrt))

    @ComputedOnce
    def hvp(self) -> DerivativeOf[..., Any]:
        """The function that multiplies the Hessian with a vector; see ``srcgrad.hvp``."""
        return self._own("hvp", late("hvp")(self, self.wrt))

    def check(self, *args: Any, order: int = 2, rtol: float = 1e-5) -> None:
        """Compare the derivatives with finite differences; see ``srcgrad.check``."""
        late("check")(self, *args, wrt=self.wrt, order=order, rtol=rtol)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the original function."""
        return self.__srcgrad_primal__(*args, **kwargs)

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Differentiated[P, R]: ...
    @overload
    def __get__(
        self: Differentiated[Concatenate[S, Q], R], instance: S, owner: Any = None
    ) -> Differentiated[Q, R]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        for held, cls, made in self._methods:  # with the code that was made for it
            if held is instance and cls is owner:
                return made
        bound = self.__srcgrad_primal__.__get__(instance, owner)
        options = self.wrt, self.ranks, self.__srcgrad_options__, self.has_aux
        made = Differentiated(bound, *options, self)
        self._methods = [(instance, owner, made), *self._methods[: _METHODS - 1]]
        return made

    def _transform(self, kind: str, wrt: Any, given: dict[str, Any] | None = None) -> Transform:
        aux = self.has_aux and kind in ("grad", "value_and_grad")
        how = replace(self.__srcgrad_options__, **(given or {}))
        options = aux, self.ranks, how, self.recorded
        return Transform(self.__srcgrad_primal__, kind, wrt, *options)

    def vjp(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Callable[[Any], Any]]:
        """Return ``(value, backward)`` at the given arguments; see ``srcgrad.vjp``."""
        return run_vjp(self.transforms["vjp"], args, kwargs)

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, Any]:
        """Return ``(value, value_dot)`` along a direction; see ``srcgrad.jvp``."""
        shift = len(self.transforms["jvp"].bound)
        names = self.transforms["jvp"].names[shift:]

        def transform_for(moving: tuple[int, ...]) -> Transform:
            wrt = tuple(names[k] if k < len(names) else k for k in moving)
            if list(wrt) == self.transforms["jvp"].wanted:
                return self.transforms["jvp"]  # whose text ``source`` shows
            if wrt not in self.directions:
                self.directions[wrt] = self._transform("jvp", wrt)
            return self.directions[wrt]

        return run_jvp(transform_for, primals, tangents)

    def trace(self, *args: P.args, **kwargs: P.kwargs) -> Trace:
        """Run the function and its gradient once; return what each line did: ``srcgrad.trace``."""
        return late("trace")(self, *args, **kwargs)

    def saved(self, *args: P.args, **kwargs: P.kwargs) -> Saved:
        """Return what is kept for the backward part, after one run; see ``srcgrad.saved``."""
        return late("saved")(self, *args, **kwargs)

    def source(
        self, kind: str = "grad", *, wrt: Any = None, ranks: dict[str, int] | None = None
    ) -> str:
        """Return generated source; see ``srcgrad.source``."""
        return source(self, kind, wrt=wrt, ranks=ranks)

    def transform(self, kind: str, wrt: Any = None, how: Options = BY_DEFAULT) -> Transform:
        """Return the transformation of a kind, with another ``wrt`` or text if one is given."""
        own = self.transforms[kind]
        given = {name: how.given()[name] for name in OF_TEXT if name in how.given()}
        held = {name: getattr(own.how, name) for name in OF_TEXT} | {"optimize": own.optimize}
        if all(held[name] == value for name, value in given.items()) and wrt in (None, self.wrt):
            return own
        return self._transform(kind, self.wrt if wrt is None else wrt, given)

    def called_with(self) -> dict[str, int] | None:
        """Return the ranks in the last call of one of the derivatives, by parameter."""
        for transform in self.transforms.values():
            transform.settle()
            for special in transform.specialisations:
                if special.basis is not None:
                    return special.basis.ranks()
        return None

    def save(self, path: Any, kind: str = "grad", *, wrt: Any = None) -> None:
        """Write the derivative as a stand-alone module; see ``srcgrad.save``."""
        save(self, path, kind=kind, wrt=wrt)

    def __reduce__(self) -> Any:
        function = self.__srcgrad_primal__
        if isinstance(function, types.MethodType):
            return getattr, (function.__self__, function.__name__)
        path = getattr(function, "__qualname__", "?").removesuffix(_WRAPPED)
        found: Any = sys.modules.get(function.__module__)
        for part in path.split("."):
            found = getattr(found, part, None)
        if found is self and function.__module__ != "__main__":
            return path
        if found is self:  # its function can be found in it; cloudpickle writes the function out
            function.__qualname__ = path + _WRAPPED
        options = self.wrt, self.ranks, self.__srcgrad_options__, self.has_aux
        return _decorated, (function, *options)

    def __repr__(self) -> str:
        return f"<differentiated {self.__srcgrad_primal__!r}>"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.source())}</pre>"


def _decorated(
    function: Any, wrt: Any, ranks: dict[str, int], options: Options, has_aux: bool
) -> Any:
    """Return what a pickle stands for: the module's own object, if there is one."""
    found: Any = sys.modules.get(function.__module__)
    for part in getattr(function, "__qualname__", "?").removesuffix(_WRAPPED).split("."):
        found = getattr(found, part, None)
    if isinstance(found, Differentiated) and found.__srcgrad_primal__ is function:
        return found
    return Differentiated(function, wrt, ranks, options, has_aux)


@overload
def differentiate(
    f: Callable[P, R],
    *,
    wrt: Any = 0,
    ranks: dict[str, int] | None = None,
    has_aux: bool = False,
    **chosen: Unpack[OfRuns],
) -> Differentiated[P, R]: ...
@overload
def differentiate(
    f: None = None,
    *,
    wrt: Any = 0,
    ranks: dict[str, int] | None = None,
    has_aux: bool = False,
    **chosen: Unpack[OfRuns],
) -> Callable[[Callable[P, R]], Differentiated[P, R]]: ...
@takes(OfRuns)
def differentiate(
    f: Callable[..., Any] | None = None,
    *,
    wrt: Any = 0,
    ranks: dict[str, int] | None = None,
    has_aux: bool = False,
    **chosen: Unpack[OfRuns],
) -> Any:
    """Decorate a function with its derivatives.

    Args:
        f: the function; left out when the decorator is given options.
        wrt: what to differentiate with respect to; see ``grad``.
        ranks: numbers of dimensions of parameters, by name; they let the source
            shown before the first call be the one for arrays of these ranks.
        recorded: ``"warn"``, ``"allow"`` or ``"refuse"``; see ``grad``.
        check_finite: whether to stop at the first value that is not finite; see ``grad``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``: ``grad`` gives ``(gradient,
            auxiliary)`` then, and ``value_and_grad`` ``((value, auxiliary), gradient)``.
            Hessians and products are those of the value alone; ``vjp``, ``jvp`` and
            ``jacobian`` are those of both.
        jit: what compiles the generated code; see ``grad``.
        optimize: ``"readable"`` or ``"speed"``; see ``grad``.
        policy: how single values are kept, by name; see ``grad``.
        memory_budget: what a call may take; see ``grad``.

    Returns:
        An object that is called like the function and has ``grad``,
        ``value_and_grad``, ``vjp``, ``jvp``, ``jacobian``, ``hessian``, ``hvp``,
        ``check``, ``source``, ``save``, ``trace`` and ``saved``, and a list ``recorded``.
        Its docstring is that of the function, with a list of them.

    Raises:
        ArgumentError: when ``wrt`` names no parameter.

    Example:
        >>> from srcgrad import differentiate
        >>> @differentiate(wrt="x")
        ... def square(x):
        ...     return x * x
        >>> square(3.0), float(square.grad(3.0))
        (9.0, 6.0)
    """
    if f is None:
        return functools.partial(differentiate, wrt=wrt, ranks=ranks, has_aux=has_aux, **chosen)
    options = Options.around(None, OfRuns, chosen)
    return Differentiated(f, wrt, dict(ranks or {}), options, has_aux)


def _parts_of(
    g: Any, kind: str, wrt: Any, given: OfText, recorded: str | None = None
) -> tuple[Transform, Any]:
    """Return the transformation behind a derivative, and the loop around it or None."""
    how = replace(Options.around(None, OfText, given), recorded=recorded)
    made = getattr(g, "__srcgrad__", None)
    if made is not None:
        return made, None
    if "__srcgrad_loop__" not in getattr(g, "__dict__", {}):
        if kind not in KINDS:
            fixes = [f"choose one of {', '.join(KINDS)}"]
            raise ArgumentError(f"there is no kind {kind!r}", fixes=fixes)
        if kind in _TRANSFORMS:
            return _transform_of(g, kind, wrt, how), None
        if isinstance(g, Differentiated) and wrt in (None, g.wrt) and not any(given.values()):
            g = getattr(g, kind)
        else:
            g = late(kind)(g, 0 if wrt is None else wrt, recorded=recorded, **given)
    loop = g.__srcgrad_loop__()
    return loop.transform, loop


def _transform_of(g: Any, kind: str, wrt: Any, options: Options) -> Transform:
    if isinstance(g, Differentiated):
        return g.transform(kind, wrt, options)
    wrt = 0 if wrt is None else _hashable(wrt)
    try:
        if kind == "vjp":
            return _vjp_transform(g, wrt, options)
        if kind == "jvp":
            return jvp_transform(g, wrt if isinstance(wrt, tuple) else (wrt,), options)
    except TypeError:  # it cannot be remembered what was called last
        pass
    return Transform(g, kind, wrt, options=options)


@takes(OfText)
def source(
    g: Any,
    kind: str = "grad",
    *,
    wrt: Any = None,
    ranks: dict[str, int] | None = None,
    recorded: str | None = None,
    args: Sequence[Any] | None = None,
    **chosen: Unpack[OfText],
) -> str:
    """Return the text behind a function that srcgrad made, or would make.

    Args:
        g: a function that ``grad`` or another one returned, the backward function of a
            call of ``vjp``, a decorated function, or any plain function.
        kind: for the latter two, which derivative: ``grad``, ``value_and_grad``,
            ``vjp``, ``jvp``, ``jacobian``, ``hessian`` or ``hvp``.
        wrt: for the latter two, what to differentiate with respect to.
        ranks: numbers of dimensions of parameters, by name. Without them the
            text is that of the last call, or, before any call, one that is right
            for every rank; that of a decorated function is written for the ranks
            of the last call of another of its derivatives, if there was one.
        recorded: ``"refuse"`` raises where the text is one that records the function
            while it runs; see ``grad``.
        optimize: for the latter two, ``"readable"`` or ``"speed"``; see ``grad``.
        policy: for the latter two, how single values are kept, by name; see ``grad``.
        memory_budget: for the latter two, what a call may take; see ``grad``.
        args: the arguments of a call that the text is for. A function that is recorded runs
            on them, and the text is the straight-line program that this turns out to be;
            that is so for ``grad``, ``value_and_grad`` and ``vjp``.

    Returns:
        Python source.

    Raises:
        SrcgradError: when the function cannot be differentiated.

    Example:
        >>> from srcgrad import grad, source
        >>> def square(x):
        ...     return x * x
        >>> "2" in source(grad(square)) or "x" in source(grad(square))
        True
    """
    ran = getattr(g, "__srcgrad_ran__", None)
    if ran is not None:  # the backward function of a call of vjp
        return late("with_imports")(ran)
    transform, loop = _parts_of(g, kind, wrt, chosen, recorded)
    if args is not None and loop is None and transform.kind != "jvp":
        return late("text_for")(transform, args)
    transform.settle()
    if ranks is None and not transform.specialisations and isinstance(g, Differentiated):
        ranks = g.called_with()
    special = transform.shown(ranks, recorded)
    text = late("with_imports")(special)
    return text if loop is None else loop.imports(special, text) + text + loop.text(special)


@takes(OfText)
def save(
    g: Any,
    path: Any,
    kind: str = "grad",
    *,
    wrt: Any = None,
    **chosen: Unpack[OfText],
) -> None:
    """Write a derivative as a module that needs NumPy but not srcgrad.

    The module has what ``source`` shows: the code of the last call, or, before any call,
    code that is right for every rank and for the defaults of options. Where that code
    relies on what an argument was (an option, its number of axes, an axis of length 1, its
    keys or class, what it has of its class), the function tests it at entry and raises
    ``ValueError``; numbers that were real have to be real. What it takes from outside,
    globals for example, has to be what it was. Where ``source`` shows ``np.zeros(x.shape)``,
    which is right for what the call was given, readable modules have ``np.zeros_like(x)``.

    Args:
        g: what ``source`` accepts.
        path: the file to write.
        kind: which derivative; see ``source``.
        wrt: what to differentiate with respect to; see ``source``.
        optimize: ``"readable"`` or ``"speed"``; see ``source``.
        policy: how single values are kept, by name; see ``source``.
        memory_budget: what a call may take; see ``source``.

    Raises:
        SaveError: when the derivative refers to objects that no import can reach, or was
            generated for a function without a name as an argument, or where the function
            is recorded while it runs.
        SrcgradError: when the function cannot be differentiated.

    Example:
        >>> import pathlib, tempfile
        >>> from srcgrad import save
        >>> def square(x):
        ...     return x * x
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "square_grad.py")
        ...     save(square, file)
        ...     "def square_grad" in file.read_text()
        True
    """
    transform, loop = _parts_of(g, kind, wrt, chosen)
    special = transform.shown()
    special = special if special.portable is None else special.portable()
    text = late("standalone")(special)
    if loop is not None:
        text = loop.imports(special, text, alone=True) + text + loop.text(special)
    Path(path).write_text(text)


__all__ = ["SaveError", "differentiate", "grad", "save", "source", "stop_gradient", "vjp"]
