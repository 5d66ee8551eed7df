"""Whole Jacobians and Hessians, and products with Hessians."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from srcgrad.calling.api import _ranks, gradient_of, own_wrt
from srcgrad.calling.columns.directions import Tangents
from srcgrad.calling.columns.loop_texts import Loop
from srcgrad.calling.made import Derivative, identifier
from srcgrad.calling.options import OfAll, Options, takes
from srcgrad.calling.protocols import DerivativeOf, P
from srcgrad.calling.pullback import run_vjp
from srcgrad.calling.pushforward import argument_at, run_along
from srcgrad.calling.recorded import Recorded
from srcgrad.calling.second_way import runs_differ
from srcgrad.calling.transformed import Transform, by_position
from srcgrad.errors import ArgumentError
from srcgrad.ir.structures import skeleton_of
from srcgrad.late import late

if TYPE_CHECKING:
    from srcgrad.ir.forms import Skeleton


@takes(OfAll)
def jacfwd(
    f: Callable[P, Any],
    wrt: Any = 0,
    **chosen: Unpack[OfAll],
) -> DerivativeOf[P, Any]:
    """Return the function that computes the Jacobian column by column, in forward mode.

    This is the better choice where the arguments are smaller than the result.

    Args:
        f: the function; it may return arrays, numbers, and trees of them.
        wrt: position or name of the parameter to differentiate with respect to,
            or a tuple of them; a tuple gives a tuple of Jacobians.
        **chosen: ``recorded``, ``jit``, ``optimize``, ``policy``, ``memory_budget``; see ``grad``.

    Returns:
        A function of the arguments of ``f``, of which those in ``wrt`` are given by
        position or by name. A Jacobian has the shape
        of the result followed by the shape of the argument. Of trees it is a tree
        of trees: the result's structure, with the argument's structure at each
        leaf, and an array at each leaf of that. What is no floating-point number,
        in the result or in the argument, has None in its place.

    Raises:
        ArgumentError: when ``wrt`` names no parameter; at the call, when an
            argument cannot be differentiated.

    Example:
        >>> import numpy as np
        >>> from srcgrad import jacfwd
        >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0])).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    return _forward(f, own_wrt(f, wrt), Options.around(f, OfAll, chosen), [])


def _forward(f: Callable[..., Any], wrt: Any, how: Options, found: list[Recorded]) -> Any:
    """Return what ``jacfwd`` does, with the list of what is recorded."""
    many = isinstance(wrt, tuple | list)
    options = False, _ranks(f), how, found
    whole = Transform(f, "jvp", wrt, *options)
    single = [Transform(f, "jvp", (name,), *options) for name in whole.labels()]

    together = [Tangents(f, "units", (name,), _ranks(f), how) for name in whole.labels()]
    by_rows = _backward(f, wrt, how, found)
    differs = runs_differ(whole)

    def columns(*args: Any, **options: Any) -> Any:
        if differs(args, options):
            return by_rows(*args, **options)
        args, options = by_position(whole, args, options)
        positions = whole.positions(args)
        inner = [_of_argument(argument_at(args, options, k)) for k in positions]
        blocks, outer = [], None
        for transform, at_once, k, own in zip(single, together, positions, inner, strict=True):
            made = at_once.columns(args, options, k)
            outer, made = made or _columns(transform, args, options, k, own)
            blocks.append(made)
        assert outer is not None
        return _nested(outer, inner, blocks, many)

    def loop() -> Loop:
        shown = single[0] if len(single) == 1 else whole
        name = f"{identifier(whole.plain)}_jacobian"
        if not many and together[0].ran:
            what = f"the Jacobian of {_of(whole)}: all columns in one sweep"
            transform = together[0].transform
            return Loop("sweep", name, what, transform, many, by_rows.__srcgrad_pair__)
        what = f"the Jacobian of {_of(whole)}: a column for each entry of its argument"
        return Loop("columns", name, what, shown, many, by_rows.__srcgrad_pair__)

    made: Any = _made(columns, ("jacfwd", f, wrt, how), whole, found, loop)
    made.__srcgrad_sweep__ = None if many else together[0]
    return made


def _made(
    run: Callable[..., Any],
    how: tuple[str, Any, Any, Options],
    transform: Transform,
    found: list[Recorded],
    loop: Callable[[], Loop],
) -> Derivative:
    """Return what a user holds of a Jacobian, a Hessian or a product.

    Args:
        run: computes it.
        how: the name of the public function, and what it was given.
        transform: has the parameters of the function.
        found: where to list what is recorded.
        loop: tells what its text is.
    """
    kind, f, wrt, options = how
    made: Any = Derivative(run)
    of = {"jacfwd": "jacobian", "jacrev": "jacobian"}.get(kind, kind)
    made.__srcgrad_of__ = run.__srcgrad_of__ = (kind, f, wrt)  # type: ignore[attr-defined]
    how_made = (kind, f, {"wrt": wrt, **options.given()})
    made.__srcgrad_made__ = run.__srcgrad_made__ = how_made  # type: ignore[attr-defined]
    made.__srcgrad_loop__ = loop
    made.recorded = found
    made.__name__ = made.__qualname__ = f"{identifier(transform.plain)}_{of}"
    made.__module__ = getattr(transform.plain, "__module__", None)
    parameters = transform.parameters[len(transform.bound) :]
    made.__signature__ = inspect.Signature(parameters)
    made.__doc__ = f"Return the {of} of {_of(transform)}."
    return made


def _of(transform: Transform) -> str:
    """Return the words for a function and what it is differentiated with respect to."""
    wanted = transform.wanted
    many = isinstance(transform.wrt, tuple | list) and len(wanted) > 1
    named = f"({', '.join(wanted)})" if many else wanted[0]
    return f"{transform.plain.__name__} with respect to {named}"


@takes(OfAll)
def jacrev(
    f: Callable[P, Any],
    wrt: Any = 0,
    **chosen: Unpack[OfAll],
) -> DerivativeOf[P, Any]:
    """Return the function that computes the Jacobian row by row, in reverse mode.

    This is the better choice where the result is smaller than the arguments.

    Args:
        f: the function; see ``jacfwd``.
        wrt: what to differentiate with respect to; see ``jacfwd``.
        **chosen: ``recorded``, ``jit``, ``optimize``, ``policy``, ``memory_budget``; see ``grad``.

    Returns:
        A function of the arguments of ``f``; see ``jacfwd``.

    Raises:
        ArgumentError: see ``jacfwd``.

    Example:
        >>> import numpy as np
        >>> from srcgrad import jacrev
        >>> jacrev(lambda x: np.sum(x * x))(np.array([1.0, 2.0])).tolist()
        [2.0, 4.0]
    """
    return _backward(f, own_wrt(f, wrt), Options.around(f, OfAll, chosen), [])


def _backward(f: Callable[..., Any], wrt: Any, how: Options, found: list[Recorded]) -> Derivative:
    """Return what ``jacrev`` does, with the list of what is recorded."""
    many = isinstance(wrt, tuple | list)
    names = tuple(wrt) if many else (wrt,)
    transform = Transform(f, "vjp", names, False, _ranks(f), how, found)

    def rows(*args: Any, **options: Any) -> Any:
        args, options = by_position(transform, args, options)
        value, backward = run_vjp(transform, args, options, watch=False)
        moved = [argument_at(args, options, k) for k in transform.positions(args)]
        inner = [_of_argument(x) for x in moved]
        outer = skeleton_of(value)
        return _nested(outer, inner, _rows(value, backward, outer, inner, moved), many)

    def loop() -> Loop:
        name = f"{identifier(transform.plain)}_jacobian"
        what = f"the Jacobian of {_of(transform)}: a row for each entry of its result"
        return Loop("rows", name, what, transform, many)

    made: Any = _made(rows, ("jacrev", f, wrt, how), transform, found, loop)
    made.__srcgrad_pair__ = transform
    return made


@takes(OfAll)
def jacobian(
    f: Callable[P, Any],
    wrt: Any = 0,
    *,
    sparse: Any = False,
    **chosen: Unpack[OfAll],
) -> DerivativeOf[P, Any]:
    """Return the function that computes the Jacobian in the mode that takes fewer passes.

    Args:
        f: the function; see ``jacfwd``.
        wrt: what to differentiate with respect to; see ``jacfwd``.
        sparse: whether the Jacobian is a ``scipy.sparse.csr_array``, computed by one product
            for each colour of its pattern. True finds the pattern at each call, from what a
            run of ``f`` does; a ``srcgrad.sparse.Sparsity`` that was found before, or a
            matrix of ``scipy.sparse``, is used again.
        **chosen: ``recorded``, ``jit``, ``optimize``, ``policy``, ``memory_budget``; see ``grad``.

    Returns:
        A function of the arguments of ``f``; see ``jacfwd``. It
        evaluates ``f`` once to learn the size of its result, unless ``f`` has effects: then
        it takes the Jacobian row by row, from one run. A sparse one is of one array with
        respect to one array, both flattened, and has ``.pattern``, which returns the
        pattern at given arguments.

    Raises:
        ArgumentError: see ``jacfwd``.

    Example:
        >>> import numpy as np
        >>> from srcgrad import jacobian
        >>> jacobian(lambda x: x[0] * x[1])(np.array([2.0, 3.0])).tolist()
        [3.0, 2.0]
    """
    how = Options.around(f, OfAll, chosen)
    if sparse is not False:
        return late("sparse_jacobian")(f, wrt, sparse, how)
    wrt = own_wrt(f, wrt)
    found: list[Recorded] = []
    forwards = _forward(f, wrt, how, found)
    backwards = _backward(f, wrt, how, found)
    transform = Transform(f, "vjp", wrt, False, _ranks(f))
    differs, sweep = runs_differ(transform), forwards.__srcgrad_sweep__
    last: list[Any] = [backwards]  # which mode the last call took
    known: list[Any] = [None]  # and what follows from, mostly: any of them is right

    def run(*args: Any, **options: Any) -> Any:
        if sweep is not None and not options and last[0] is forwards:
            outlines = tuple(map(_outline, args))
            if outlines == known[0] and not differs(args, options):
                found = sweep.jacobian(args, outlines)
                if found is not None:
                    return found
        if differs(args, options):
            last[0], known[0] = backwards, None
            return backwards(*args, **options)
        args, options = by_position(transform, args, options)
        outlines = None if options else tuple(map(_outline, args))
        if outlines is None or None in outlines or outlines != known[0]:
            moved = [argument_at(args, options, k) for k in transform.positions(args)]
            result = _size(f(*args, **options))
            last[0] = forwards if sum(map(_size, moved)) <= result else backwards
            known[0] = outlines
        return last[0](*args, **options)

    def loop() -> Loop:
        return last[0].__srcgrad_loop__()

    return _made(run, ("jacobian", f, wrt, how), transform, found, loop)


@takes(OfAll)
def hessian(
    f: Callable[P, Any],
    wrt: Any = 0,
    has_aux: bool = False,
    *,
    sparse: Any = False,
    **chosen: Unpack[OfAll],
) -> DerivativeOf[P, Any]:
    """Return the function that computes the Hessian of a real scalar function.

    It is the Jacobian, in forward mode, of the gradient in reverse mode.

    Args:
        f: the function; it must return one real number.
        wrt: what to differentiate with respect to; a tuple gives a tuple of
            tuples, the second derivatives with respect to each two of them.
        has_aux: whether ``f`` returns ``(value, auxiliary)``; the Hessian is that of the
            value.
        sparse: whether the Hessian is a ``scipy.sparse.csr_array``; see ``jacobian``. A star
            colouring of its pattern tells which columns share a product.
        **chosen: ``recorded``, ``jit``, ``optimize``, ``policy``, ``memory_budget``; see ``grad``.

    Returns:
        A function of the arguments of ``f``. A Hessian has the shape of
        its argument twice; of a tree, it is a tree of trees, see ``jacfwd``.

    Raises:
        ArgumentError: see ``jacfwd``.
        ResultError: at the call, when ``f`` does not return one real number.

    Example:
        >>> import numpy as np
        >>> from srcgrad import hessian
        >>> hessian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0])).tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    how = Options.around(f, OfAll, chosen)
    if sparse is not False:
        return late("sparse_hessian")(f, wrt, has_aux, sparse, how)
    wrt = own_wrt(f, wrt)
    gradient: Any = gradient_of(f, wrt, has_aux, how)
    made: Any = _forward(gradient, tuple(wrt) if isinstance(wrt, list) else wrt, how, [])
    transform = gradient.__srcgrad__
    columns = made.__srcgrad_loop__
    if transform.has_aux:
        made = _of_first(made, transform)

    def loop() -> Loop:
        what = f"the Hessian of {_of(transform)}: a column for each entry of its argument"
        name = f"{identifier(transform.plain)}_hessian"
        made = columns()
        if made.kind == "sweep":
            what = what.replace(
                "a column for each entry of its argument", "all columns in one sweep"
            )
            return replace(made, name=name, what=what, pair=None)
        return replace(made, kind="blocks", name=name, what=what, pair=None)

    made.__name__ = made.__qualname__ = f"{identifier(transform.plain)}_hessian"
    made.__doc__ = f"Return the Hessian of {_of(transform)}."
    made.__srcgrad_loop__ = loop
    options = {"wrt": wrt, "has_aux": transform.has_aux, **how.given()}
    made.__srcgrad_made__ = ("hessian", f, options)
    return made


def _of_first(whole: Any, gradient: Transform) -> Any:
    """Return the Hessian of a value that has something beside it."""

    def first(*args: Any, **options: Any) -> Any:
        return whole(*args, **options)[0]

    # inside of a function that is differentiated, it is refused as a gradient of two results
    plain = Transform(gradient.plain, "grad", gradient.wrt).dispatch
    how = ("jacfwd", plain, gradient.wrt, gradient.how)
    return _made(first, how, gradient, whole.recorded, whole.__srcgrad_loop__)


@takes(OfAll)
def hvp(
    f: Callable[..., Any],
    wrt: Any = 0,
    has_aux: bool = False,
    **chosen: Unpack[OfAll],
) -> DerivativeOf[..., Any]:
    """Return the function that multiplies the Hessian with a vector, without forming it.

    The product is the tangent of the gradient: forward mode over reverse mode. It
    costs a small multiple of what the function costs.

    Args:
        f: the function; it must return one real number.
        wrt: what to differentiate with respect to; see ``hessian``.
        has_aux: whether ``f`` returns ``(value, auxiliary)``; see ``hessian``.
        **chosen: ``recorded``, ``jit``, ``optimize``, ``policy``, ``memory_budget``; see ``grad``.

    Returns:
        A function of the arguments of ``f``, and of the vector behind those that are
        given by position, in the shape of the argument (for a tuple ``wrt``, a tuple).
        The product looks like the vector.

    Raises:
        ArgumentError: see ``jacfwd``; at the call, when the vector does not fit.
        ResultError: at the call, when ``f`` does not return one real number.

    Example:
        >>> import numpy as np
        >>> from srcgrad import hvp
        >>> x, v = np.array([1.0, 2.0]), np.array([1.0, 10.0])
        >>> hvp(lambda x: np.sum(x ** 3))(x, v).tolist()
        [6.0, 120.0]
    """
    wrt = own_wrt(f, wrt)
    many = isinstance(wrt, tuple | list)
    names = tuple(wrt) if many else (wrt,)
    how = Options.around(f, OfAll, chosen)
    inner = gradient_of(f, wrt, has_aux, how).__srcgrad__
    gradient = Transform(inner.dispatch, "jvp", names, options=how)
    alone = Tangents(inner.dispatch, "tangent", names, {}, how)

    def product(*arguments: Any, **options: Any) -> Any:
        *before, vector = arguments
        if not (many or options or inner.has_aux):
            found = alone.at_once(arguments[:-1], vector)
            if found is not None:
                return found[0]
        args, options = by_position(gradient, tuple(before), options)
        parts = vector if many else (vector,)
        if not isinstance(parts, tuple | list) or len(parts) != len(names):
            count = len(parts) if isinstance(parts, tuple | list) else 1
            raise ArgumentError(
                f"wrt names {len(names)} arguments, and the vector has {count} parts",
                fixes=["give a tuple with a part for each of them"],
            )
        found = None if inner.has_aux else alone.along(args, options, parts)
        if found is None:
            directions = dict(zip(gradient.positions(args), parts, strict=True))
            made = run_along(gradient, args, options, directions)[1]
            made = made[0] if inner.has_aux else made
        else:
            (made,) = found
        return list(made) if many and isinstance(vector, list) else made

    def loop() -> Loop:
        name = f"{identifier(inner.plain)}_hvp"
        what = f"the product of the Hessian of {_of(inner)} with a vector"
        if alone.ran:
            return Loop("alone", name, what, alone.transform, many)
        return Loop("product", name, what, gradient, many)

    made: Any = _made(product, ("hvp", f, wrt, how), inner, gradient.recorded, loop)
    made.__srcgrad_made__[2]["has_aux"] = inner.has_aux
    made.__doc__ = f"Return the product of the Hessian of {_of(inner)} with a vector, the last one."
    made.__signature__ = _with_vector(made.__signature__)
    return made


def _with_vector(signature: inspect.Signature) -> inspect.Signature:
    """Return the parameters of a product: the vector behind what is given by position."""
    kinds = inspect.Parameter
    given = list(signature.parameters.values())
    before = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    name = "vector"
    while name in signature.parameters:
        name += "_"
    own = [p.replace(kind=p.POSITIONAL_ONLY, default=p.empty) for p in before]
    rest = [p for p in given if p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    return inspect.Signature([*own, kinds(name, kinds.POSITIONAL_ONLY), *rest])


def _of_argument(x: Any) -> Skeleton:
    """The structure of an argument.

    Raises:
        ArgumentError: for complex numbers in it, whose real and imaginary part move by
            themselves.
    """
    whole = skeleton_of(x)
    if type(x) is np.ndarray and x.dtype.kind != "c":
        return whole
    if any(np.iscomplexobj(leaf) for leaf in _live(whole, x)):
        raise ArgumentError(
            "a Jacobian or Hessian is one with respect to real arguments",
            fixes=["pass the real and the imaginary part", "use vjp, jvp or hvp"],
        )
    return whole


def _live(whole: Skeleton, value: Any) -> list[Any]:
    """The leaves of a value that are floating-point numbers, or arrays of them."""
    rows = zip(whole.flat(value), whole.live_leaves(), strict=True)
    return [leaf for leaf, live in rows if live]


def _outline(x: Any) -> Any:
    """What tells how large a result is, of an argument; None where that is not all of it."""
    if type(x) is np.ndarray:
        return x.shape
    return (type(x), x) if type(x) in (int, float, bool, str) else None


def _size(value: Any) -> int:
    return sum(np.size(leaf) for leaf in _live(skeleton_of(value), value))


def _placed(whole: Skeleton, k: int, part: Any) -> Any:
    """A direction in which one leaf moves."""
    if whole.form is None:
        return part
    leaves: list[Any] = [None] * sum(whole.live_leaves())
    leaves[k] = part
    return whole.build(iter(leaves))


def _columns(
    transform: Transform,
    args: tuple[Any, ...],
    options: dict[str, Any],
    position: Any,
    whole: Skeleton,
) -> tuple[Skeleton, list[list[Any]]]:
    """The Jacobians for one argument: a tangent for each of its elements.

    Returns:
        The structure of the result; an array for each of its leaves and each of the
        argument's.
    """

    def along(direction: Any) -> tuple[Skeleton, list[Any]]:
        value, dot = run_along(transform, args, options, {position: direction})
        found = skeleton_of(value)
        return found, _live(found, dot)

    x = argument_at(args, options, position)
    leaves = _live(whole, x)
    runs = [
        [along(_placed(whole, k, unit)) for unit in _units(leaf)] for k, leaf in enumerate(leaves)
    ]
    # where nothing moves, one run still tells the structure of the result, or raises
    still = [along(_placed(whole, 0, np.zeros_like(leaves[0])) if leaves else x)] * (not any(runs))
    outer, dots = next(run for made in [*runs, still] for run in made)
    columns = []
    for leaf, made in zip(leaves, runs, strict=True):
        shapes = [(*np.shape(dot), *np.shape(leaf)) for dot in dots]
        rows = zip(*(parts for _, parts in made), strict=True) if made else [()] * len(dots)
        columns.append(
            [
                np.stack(parts, axis=-1).reshape(shape) if parts else np.zeros(shape)
                for parts, shape in zip(rows, shapes, strict=True)
            ]
        )
    return outer, [[column[o] for column in columns] for o in range(len(dots))]


def _rows(
    value: Any,
    backward: Callable[[Any], Any],
    outer: Skeleton,
    inner: list[Skeleton],
    given: list[Any],
) -> list[list[list[Any]]]:
    """The Jacobians for all arguments: a cotangent for each element of the result.

    Returns:
        For each argument, an array for each leaf of the result and each of its own.
    """

    def along(o: int, unit: Any) -> list[list[Any]]:
        bars = backward(_placed(outer, o, unit))
        return [_live(own, bar) for own, bar in zip(inner, bars, strict=True)]

    leaves = [_live(own, x) for own, x in zip(inner, given, strict=True)]
    blocks: list[list[list[Any]]] = [[] for _ in given]
    for o, result in enumerate(_live(outer, value)):
        made = [along(o, unit) for unit in _units(result)]
        if np.iscomplexobj(result):  # the real part, and the imaginary one
            others = [along(o, -1j * unit) for unit in _units(result)]
            made = [
                [[a + 1j * b for a, b in zip(*p, strict=True)] for p in zip(*q, strict=True)]
                for q in zip(made, others, strict=True)
            ]
        for j, own in enumerate(leaves):
            rows = []
            for k, leaf in enumerate(own):
                shape = (*np.shape(result), *np.shape(leaf))
                parts = [row[j][k] for row in made]
                rows.append(np.stack(parts).reshape(shape) if parts else np.zeros(shape))
            blocks[j].append(rows)
    return blocks


def _units(x: Any) -> Iterator[Any]:
    """The directions along the elements of an array, or of a number."""
    for index in np.ndindex(np.shape(x)):
        yield _unit(x, index)


def _unit(x: Any, index: tuple[int, ...]) -> Any:
    """Return zeros like an array, or a number, with one 1."""
    if not np.ndim(x):
        return np.ones_like(x) if hasattr(x, "shape") else 1.0
    out = np.zeros_like(x)
    out[index] = 1
    return out


def _nested(
    outer: Skeleton, inner: list[Skeleton], blocks: list[list[list[Any]]], many: bool
) -> Any:
    """Let the structure of the result stand outside, those of ``wrt`` and the arguments inside."""
    leaves = []
    for o in range(sum(outer.live_leaves())):
        parts = [own.build(iter(block[o])) for own, block in zip(inner, blocks, strict=True)]
        leaves.append(tuple(parts) if many else parts[0])
    return outer.build(iter(leaves))
