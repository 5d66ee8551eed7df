"""The functions that a user calls."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.errors import ArgumentError, SaveError
from srcgrad.load.source_map import annotate
from srcgrad.pushforward import run_jvp
from srcgrad.runtime import stop_gradient
from srcgrad.transformed import Transform, arguments_of

if TYPE_CHECKING:
    from srcgrad.ir.forms import Skeleton

KINDS = ("grad", "value_and_grad", "vjp", "jvp")


def grad(f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function that computes the gradient of a real scalar function.

    Args:
        f: the function; it must return one real number (with ``has_aux``, a
            tuple of that number and anything else).
        wrt: position or name of the parameter to differentiate with respect to,
            or a tuple of them; a tuple gives a tuple of gradients.
        has_aux: whether ``f`` returns ``(value, auxiliary)``; the gradient
            function then returns ``(gradient, auxiliary)``.

    Returns:
        A function with the parameters of ``f``.

    Raises:
        ArgumentError: when ``wrt`` names no parameter; at the call, when an
            argument cannot be differentiated.
        ResultError: at the call, when ``f`` does not return one real number
            (a plain ``TypeError`` where only its value tells).

    Example:
        >>> from srcgrad import grad
        >>> float(grad(lambda x: x * x * x)(2.0))
        12.0
    """
    return Transform(f, "grad", _wrt(f, wrt), has_aux, _ranks(f)).dispatch


def value_and_grad(
    f: Callable[..., Any], wrt: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the function that computes a function's value and its gradient.

    Args:
        f: the function; see ``grad``.
        wrt: what to differentiate with respect to; see ``grad``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``.

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
    return Transform(f, "value_and_grad", _wrt(f, wrt), has_aux, _ranks(f)).dispatch


def vjp(f: Callable[..., Any], *args: Any, wrt: Any = 0) -> tuple[Any, Callable[..., Any]]:
    """Evaluate a function and return its value with its backward function.

    Args:
        f: the function; it may return arrays, numbers, and tuples of them.
        *args: its arguments.
        wrt: what to differentiate with respect to; see ``grad``.

    Returns:
        ``(value, backward)``; ``backward(value_bar)`` takes a cotangent with the
        structure of the value and returns the vector-Jacobian product. An entry
        of a tuple may be None, which stands for zero.

    Raises:
        ArgumentError: when ``wrt`` does not fit, or an argument cannot be
            differentiated.

    Example:
        >>> import numpy as np
        >>> from srcgrad import vjp
        >>> value, backward = vjp(lambda x: np.sin(x), 0.0)
        >>> float(backward(2.0))
        2.0
    """
    return _run_vjp(_vjp_transform(f, _hashable(_wrt(f, wrt))), args)


@functools.lru_cache(maxsize=512)
def _vjp_transform(f: Callable[..., Any], wrt: Any) -> Transform:
    return Transform(f, "vjp", wrt, False, _ranks(f))


def _hashable(wrt: Any) -> Any:
    return tuple(wrt) if isinstance(wrt, list) else wrt


def _run_vjp(transform: Transform, args: tuple[Any, ...], **options: Any) -> Any:
    if options:
        signature = inspect.Signature(transform.parameters[len(transform.bound) :])
        bound = signature.bind(*args, **options)
        bound.apply_defaults()
        arguments = (*transform.bound, *bound.arguments.values())
    else:
        arguments = arguments_of(transform, args)
    special = transform.find(arguments)
    positional, named = transform.passed(arguments)
    value, residuals = special.run(*positional, **named)
    slots, whole, pattern = special.slots
    many = isinstance(transform.wrt, tuple | list)

    def backward(value_bar: Any) -> Any:
        bars = []
        leaves, given = whole.flat(value), _flat_like(whole, value, value_bar)
        for leaf, bar, live in zip(leaves, given, pattern, strict=True):
            if live:
                bars.append(_checked(leaf, bar))
        try:
            made = special.backward(residuals, *bars)
        except BaseException as error:
            annotate(error)
            raise
        parts = made if isinstance(made, tuple) else (made,)
        leaf = iter(parts)
        result = tuple(slot.build(leaf) for slot in slots)
        return result if many else result[0]

    return value, backward


def _flat_like(whole: Skeleton, value: Any, bar: Any) -> list[Any]:
    """The cotangents of the leaves of a result; where None is given, it stands for all below."""
    if whole.form is None:
        return [bar]
    if bar is None:
        return [None] * whole.count()
    sequence = whole.form in (list, tuple)
    try:
        parts = list(bar) if sequence else whole.form.parts(bar)
    except (TypeError, KeyError, AttributeError):
        parts = None
    if (
        parts is None
        or len(parts) != len(whole.parts)
        or isinstance(bar, dict) != (not sequence and whole.form.cls is dict)
    ):
        kind = "a tuple" if sequence else f"a {whole.form.cls.__name__}"
        raise ArgumentError(
            f"the result is {kind} of {len(whole.parts)}, and the cotangent is not",
            fixes=[f"give {kind} with one cotangent, or None, for each part of the result"],
        )
    rows = zip(whole.parts, value if sequence else whole.form.parts(value), parts, strict=True)
    return [leaf for own, v, c in rows for leaf in _flat_like(own, v, c)]


def _checked(leaf: Any, bar: Any) -> Any:
    if bar is None:
        return np.zeros_like(leaf) if np.ndim(leaf) else 0.0
    if np.shape(bar) != np.shape(leaf):
        raise ArgumentError(
            f"the cotangent has the shape {np.shape(bar)}, and the result {np.shape(leaf)}",
            fixes=["give a cotangent with the shape of the result"],
        )
    if np.iscomplexobj(bar) and not np.iscomplexobj(leaf):
        raise ArgumentError(
            "the cotangent is complex, and the result is real",
            fixes=["give the real and the imaginary part one by one"],
        )
    dtype = getattr(leaf, "dtype", None)
    if isinstance(bar, int | float) and dtype == np.float32:
        return np.full_like(leaf, bar)[()]  # it must not bring in double precision
    if isinstance(bar, int):
        return float(bar)
    if dtype is not None and getattr(bar, "dtype", dtype) != dtype:
        return bar.astype(dtype)[()]
    return bar


def _wrt(f: Any, wrt: Any) -> Any:
    """A decorated function's own ``wrt`` is the default."""
    if wrt == 0 and not isinstance(wrt, bool) and isinstance(f, Differentiated):
        return f.wrt
    return wrt


def _ranks(f: Any) -> dict[str, int]:
    return f.ranks if isinstance(f, Differentiated) else {}


class Differentiated:
    """A function together with its derivatives; see ``differentiate``."""

    def __init__(self, function: Callable[..., Any], wrt: Any, ranks: dict[str, int]) -> None:
        self.__srcgrad_primal__ = function
        self.wrt = wrt
        self.ranks = ranks
        functools.update_wrapper(self, function)
        self.transforms = {kind: Transform(function, kind, wrt, False, ranks) for kind in KINDS}
        self.directions: dict[Any, Transform] = {}
        self.grad = self.transforms["grad"].dispatch
        self.value_and_grad = self.transforms["value_and_grad"].dispatch

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the original function."""
        return self.__srcgrad_primal__(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        bound = self.__srcgrad_primal__.__get__(instance, owner)
        return Differentiated(bound, self.wrt, self.ranks)

    def vjp(self, *args: Any, **kwargs: Any) -> tuple[Any, Callable[..., Any]]:
        """Return ``(value, backward)`` at the given arguments; see ``srcgrad.vjp``."""
        return _run_vjp(self.transforms["vjp"], args, **kwargs)

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """Return ``(value, value_dot)`` along a direction; see ``srcgrad.jvp``."""
        shift = len(self.transforms["jvp"].bound)
        names = self.transforms["jvp"].names[shift:]

        def transform_for(moving: tuple[int, ...]) -> Transform:
            wrt = tuple(names[k] if k < len(names) else k for k in moving)
            if wrt not in self.directions:
                function, ranks = self.__srcgrad_primal__, self.ranks
                self.directions[wrt] = Transform(function, "jvp", wrt, False, ranks)
            return self.directions[wrt]

        return run_jvp(transform_for, primals, tangents)

    def source(
        self, kind: str = "grad", *, wrt: Any = None, ranks: dict[str, int] | None = None
    ) -> str:
        """Return generated source; see ``srcgrad.source``."""
        return _source_of(self.transform(kind, wrt), ranks)

    def transform(self, kind: str, wrt: Any = None) -> Transform:
        """Return the transformation of a kind, with another ``wrt`` if one is given."""
        if kind not in KINDS:
            raise ArgumentError(
                f"there is no kind {kind!r}", fixes=[f"choose one of {', '.join(KINDS)}"]
            )
        if wrt is None or wrt == self.wrt:
            return self.transforms[kind]
        return Transform(self.__srcgrad_primal__, kind, wrt, False, self.ranks)

    def save(self, path: Any, kind: str = "grad", *, wrt: Any = None) -> None:
        """Write the derivative as a stand-alone module; see ``srcgrad.save``."""
        save(self, path, kind=kind, wrt=wrt)

    def __reduce__(self) -> Any:
        function = self.__srcgrad_primal__
        module = inspect.getmodule(function)
        found: Any = module
        for part in getattr(function, "__qualname__", "?").split("."):
            found = getattr(found, part, None)
        if found is self:
            return function.__qualname__
        return Differentiated, (function, self.wrt, self.ranks)

    def __repr__(self) -> str:
        return f"<differentiated {self.__srcgrad_primal__!r}>"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.source())}</pre>"


def differentiate(
    f: Callable[..., Any] | None = None, *, wrt: Any = 0, ranks: dict[str, int] | None = None
) -> Any:
    """Decorate a function with its derivatives.

    Args:
        f: the function; left out when the decorator is given options.
        wrt: what to differentiate with respect to; see ``grad``.
        ranks: numbers of dimensions of parameters, by name; they let the source
            shown before the first call be the one for arrays of these ranks.

    Returns:
        An object that is called like the function and has ``grad``,
        ``value_and_grad``, ``vjp``, ``jvp``, ``source`` and ``save``.

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
        return functools.partial(differentiate, wrt=wrt, ranks=ranks)
    return Differentiated(f, wrt, dict(ranks or {}))


def _transform_of(g: Any, kind: str, wrt: Any) -> Transform:
    if isinstance(g, Differentiated):
        return g.transform(kind, wrt)
    made = getattr(g, "__srcgrad__", None)
    if made is not None:
        return made
    return Transform(g, kind, 0 if wrt is None else wrt)


def source(
    g: Any, kind: str = "grad", *, wrt: Any = None, ranks: dict[str, int] | None = None
) -> str:
    """Return the text behind a function that srcgrad made, or would make.

    Args:
        g: a function returned by ``grad`` or ``value_and_grad``, a decorated
            function, or any plain function.
        kind: for the latter two, which derivative: ``grad``, ``value_and_grad``,
            ``vjp`` or ``jvp``.
        wrt: for the latter two, what to differentiate with respect to.
        ranks: numbers of dimensions of parameters, by name. Without them the
            text is that of the last call, or, before any call, one that is right
            for every rank.

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
    return _source_of(_transform_of(g, kind, wrt), ranks)


def _source_of(transform: Transform, ranks: dict[str, int] | None) -> str:
    from srcgrad.saving import with_imports

    if ranks is None and transform.specialisations:
        special = transform.specialisations[0]
    else:
        special = transform.specialise(None, ranks)
    return with_imports(special)


def save(g: Any, path: Any, kind: str = "grad", *, wrt: Any = None) -> None:
    """Write a derivative as a module that needs NumPy but not srcgrad.

    Args:
        g: what ``source`` accepts.
        path: the file to write.
        kind: which derivative; see ``source``.
        wrt: what to differentiate with respect to; see ``source``.

    Raises:
        SaveError: when the derivative refers to objects that no import can reach.
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
    from srcgrad.saving import standalone

    transform = _transform_of(g, kind, wrt)
    special = (
        transform.specialisations[0] if transform.specialisations else (transform.specialise(None))
    )
    text = standalone(special)
    Path(path).write_text(text)


__all__ = ["SaveError", "differentiate", "grad", "save", "source", "stop_gradient", "vjp"]
