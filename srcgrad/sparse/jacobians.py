"""Jacobians and Hessians as sparse matrices: ``jacobian(f, sparse=True)``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from srcgrad.calling.api import _ranks, gradient_of, own_wrt
from srcgrad.calling.columns.loop_texts import Loop
from srcgrad.calling.made import Derivative, identifier
from srcgrad.calling.options import Options
from srcgrad.calling.pullback import run_vjp
from srcgrad.calling.pushforward import argument_at, run_along
from srcgrad.calling.second_way import runs_differ
from srcgrad.calling.transformed import Transform, by_position
from srcgrad.errors import ArgumentError
from srcgrad.sparse.flow import Flow
from srcgrad.sparse.sparsity import Sparsity, given
from srcgrad.tape.derivatives import Recording
from srcgrad.tape.recording import Box, Tape


class SparsityWarning(UserWarning):
    """What is right, and takes longer than a sparse derivative should: it says why."""


class SparseDerivative(Derivative):
    """A Jacobian or Hessian that is a sparse matrix."""

    pattern: Callable[..., Sparsity]  # returns the ``Sparsity`` at given arguments, for reuse


class _Maker:
    """What the calls of one sparse derivative share."""

    def __init__(
        self, f: Callable[..., Any], wrt: Any, sparse: Any, how: Options, symmetric: bool
    ) -> None:
        options = False, _ranks(f), how, []
        self.f = f
        self.pattern_given = None if sparse is True else given(sparse)
        self.symmetric = symmetric
        self.forwards = Transform(f, "jvp", (wrt,), *options)
        self.backwards = Transform(f, "vjp", wrt, *options)
        self.by_rows = False  # how the last call went
        self.differs = runs_differ(self.forwards)

    def matrix(self, *args: Any, **options: Any) -> csr_array:
        """Return the derivative at given arguments."""
        args, options = by_position(self.forwards, args, options)
        place = self._place(args, options)
        if self.differs(args, options):
            return self._of_one_run(args, options, place)
        pattern = self.pattern_given
        if pattern is None:
            return self._entries(self._found(args, options, place), args, options, place)
        size = np.size(argument_at(args, options, place))
        if pattern.matrix.shape[1] != size:
            raise ArgumentError(
                f"the pattern has {pattern.matrix.shape[1]} columns, and the argument "
                f"{size} entries",
                fixes=["find the pattern at arguments of this size"],
            )
        pattern = pattern.symmetric() if self.symmetric else pattern
        made = self._entries(pattern, args, options, place)
        if not pattern.checked or self._fits(made, args, options, place):
            return made
        found = self._found(args, options, place)
        if pattern.has(found):  # it was right, and the product is one of cancelling numbers
            return made
        warnings.warn(
            f"the pattern that was given for {self.forwards.plain.__name__} does not hold at this "
            "call, and was found again",
            SparsityWarning,
            stacklevel=2,
        )
        return self._entries(found, args, options, place)

    def pattern(self, *args: Any, **options: Any) -> Sparsity:
        """Return the pattern at given arguments."""
        args, options = by_position(self.forwards, args, options)
        return self._found(args, options, self._place(args, options))

    def _place(self, args: Any, options: Any) -> Any:
        """Return where the argument stands, which has to be an array of real numbers."""
        (place,) = self.forwards.positions(args)
        x = argument_at(args, options, place)
        if any(type(part) is Box for part in (*args, *options.values())):
            raise ArgumentError(
                "a sparse derivative is differentiated, which has no formula",
                fixes=["leave sparse= out", "use jvp, vjp or hvp there"],
            )
        number = isinstance(x, float | np.floating)
        if not number and not (isinstance(x, np.ndarray) and x.dtype.kind == "f"):
            raise ArgumentError(
                f"a sparse derivative is one with respect to a NumPy array of real numbers, and "
                f"{self.forwards.labels()[0]!r} is a {type(x).__name__}"
                + (f" of {x.dtype}" if isinstance(x, np.ndarray) else ""),
                fixes=["join the parts by srcgrad.ravel", "leave sparse= out"],
            )
        return place

    def _found(self, args: Any, options: Any, place: Any) -> Sparsity:
        recording = Recording(Tape(), self.f, args, options, place)
        recording.run()
        return self._read(recording)

    def _read(self, recording: Recording) -> Sparsity:
        flow = Flow(recording)
        pattern = Sparsity(flow.result(), tuple(flow.unknown))
        if pattern.unknown:
            warnings.warn(
                f"the structure of {', '.join(pattern.unknown)} is not known: each entry of the "
                "result counts as depending on all that it was given",
                SparsityWarning,
                stacklevel=4,
            )
        return pattern.symmetric() if self.symmetric else pattern

    def _entries(self, pattern: Sparsity, args: Any, options: Any, place: Any) -> csr_array:
        """Return the matrix of a pattern, by one product for each colour."""
        if self.symmetric:
            return self._by_star(pattern, args, options, place)
        self.by_rows = _rows_take_fewer(pattern)
        if self.by_rows:
            value, backward = run_vjp(self.backwards, args, options, watch=False)
            if not np.iscomplexobj(value):
                return _by_rows(pattern, value, backward)
            self.by_rows = False
        return self._by_columns(pattern, args, options, place)

    def _along(self, direction: np.ndarray, args: Any, options: Any, place: Any) -> Any:
        x = argument_at(args, options, place)
        moved = direction.astype(np.result_type(x)).reshape(np.shape(x))[()]
        return np.ravel(run_along(self.forwards, args, options, {place: moved})[1])

    def _by_columns(self, pattern: Sparsity, args: Any, options: Any, place: Any) -> csr_array:
        rows, columns = pattern.matrix.tocoo().coords
        colours = pattern.columns
        data: Any = None
        for colour in range(int(colours.max(initial=0)) + 1):
            dot = self._along(colours == colour, args, options, place)
            _require_length(dot, pattern.matrix.shape[0])
            data = np.zeros(len(rows), dot.dtype) if data is None else data
            chosen = colours[columns] == colour
            data[chosen] = dot[rows[chosen]]
        return _with_data(pattern, data)

    def _by_star(self, pattern: Sparsity, args: Any, options: Any, place: Any) -> csr_array:
        """Each entry is alone of its colour in its row, or its mirror image is."""
        rows, columns = pattern.matrix.tocoo().coords
        colours = pattern.star
        count = int(colours.max(initial=0)) + 1
        products = [self._along(colours == k, args, options, place) for k in range(count)]
        table = np.stack(products, axis=-1)
        key = rows.astype(np.int64) * count + colours[columns]
        alone = np.bincount(key, minlength=len(colours) * count)[key] == 1
        data = np.where(alone, table[rows, colours[columns]], table[columns, colours[rows]])
        mirrored = _with_data(pattern, np.arange(len(data))).T.tocsr().data
        return _with_data(pattern, (data + data[mirrored]) / 2)

    def _fits(self, made: Any, args: Any, options: Any, place: Any) -> bool:
        """Tell whether a derivative gives the product with a random vector."""
        random = np.random.default_rng(20_240_229)
        sides = random.choice([-1.0, 1.0], made.shape[1])
        vector = sides * random.uniform(0.5, 1.5, made.shape[1])
        wanted = self._along(vector, args, options, place)
        size = abs(made) @ abs(vector)
        close = np.finfo(wanted.dtype).eps ** 0.75
        off = abs(made @ vector - wanted)
        return bool(np.all((off <= close * size) | (~np.isfinite(off) & ~np.isfinite(size))))

    def _of_one_run(self, args: Any, options: Any, place: Any) -> csr_array:
        """Return the derivative of a function with effects: pattern and products are of one run."""
        recording = Recording(Tape(), self.f, args, options, place)
        value = recording.run()
        self.by_rows = True
        return _by_rows(self._read(recording), value, recording.back)


def _rows_take_fewer(pattern: Sparsity) -> bool:
    """Tell whether there are fewer colours of rows than of columns.

    A row with many entries needs as many colours of columns, and the other way round; what
    cannot be the better of the two is not coloured.
    """
    widest = int(np.diff(pattern.matrix.indptr).max(initial=0))
    longest = int(np.bincount(pattern.matrix.indices, minlength=1).max())
    if widest <= longest:
        few = pattern.columns.max(initial=0) + 1
        return few > longest and pattern.rows.max(initial=0) + 1 < few
    few = pattern.rows.max(initial=0) + 1
    return few <= widest or few < pattern.columns.max(initial=0) + 1


def _by_rows(pattern: Sparsity, value: Any, backward: Callable[[Any], Any]) -> csr_array:
    rows, columns = pattern.matrix.tocoo().coords
    colours = pattern.rows
    _require_length(value, pattern.matrix.shape[0])
    if np.iscomplexobj(value):
        raise ArgumentError(
            "the result of a function with effects is complex",
            fixes=["return its real and its imaginary part"],
        )
    data: Any = None
    for colour in range(int(colours.max(initial=0)) + 1):
        bar = (colours == colour).astype(np.result_type(value)).reshape(np.shape(value))[()]
        slope = np.ravel(backward(bar))
        data = np.zeros(len(rows), slope.dtype) if data is None else data
        chosen = colours[rows] == colour
        data[chosen] = slope[columns[chosen]]
    return _with_data(pattern, data)


def _require_length(value: Any, length: int) -> None:
    if np.size(value) != length:
        raise ArgumentError(
            f"the pattern has {length} rows, and the result {np.size(value)} entries",
            fixes=["find the pattern at arguments of this size"],
        )


def _with_data(pattern: Sparsity, data: np.ndarray) -> csr_array:
    matrix = pattern.matrix
    return csr_array((data, matrix.indices, matrix.indptr), matrix.shape)


def sparse_jacobian(f: Callable[..., Any], wrt: Any, sparse: Any, how: Options) -> SparseDerivative:
    """Return the function that computes a sparse Jacobian; see ``srcgrad.jacobian``."""
    wrt = _one(own_wrt(f, wrt))
    made = _made("jacobian", f, _Maker(f, wrt, sparse, how, False))
    made.__srcgrad_made__ = ("jacobian", f, {"wrt": wrt, "sparse": sparse, **how.given()})
    return made


def sparse_hessian(
    f: Callable[..., Any], wrt: Any, has_aux: bool, sparse: Any, how: Options
) -> SparseDerivative:
    """Return the function that computes a sparse Hessian; see ``srcgrad.hessian``."""
    wrt = _one(own_wrt(f, wrt))
    if has_aux:
        raise ArgumentError(
            "a sparse Hessian is that of a function that returns one number",
            fixes=["return the value alone", "leave sparse= out"],
        )
    gradient = gradient_of(f, wrt, False, how)
    made = _made("hessian", f, _Maker(gradient, wrt, sparse, how, True))
    made.__srcgrad_made__ = ("hessian", f, {"wrt": wrt, "sparse": sparse, **how.given()})
    return made


def _one(wrt: Any) -> Any:
    if isinstance(wrt, tuple | list):
        raise ArgumentError(
            "a sparse derivative is with respect to one array, and wrt names several",
            fixes=["join them by srcgrad.ravel", "take one derivative for each"],
        )
    return wrt


def _made(kind: str, f: Any, maker: _Maker) -> SparseDerivative:
    """Return what a user holds of a sparse derivative."""
    name = f"{identifier(f)}_{kind}"

    def loop() -> Loop:
        transform = maker.backwards if maker.by_rows else maker.forwards
        parts = "products with" if maker.symmetric else "entries, in rows and columns, of"
        what = f"the {parts} the {kind} of {identifier(f)}"
        form = "symmetric" if maker.symmetric else "shared rows" if maker.by_rows else "shared"
        return Loop(form, name, what, transform, False)

    made: Any = SparseDerivative(maker.matrix)
    made.pattern = maker.pattern
    made.recorded = maker.forwards.recorded
    made.__srcgrad_loop__ = loop
    made.__name__ = made.__qualname__ = name
    made.__module__ = getattr(f, "__module__", None)
    made.__doc__ = f"Return the {kind} of {identifier(f)}, a sparse matrix."
    made.__signature__ = getattr(maker.forwards.dispatch, "__signature__", None)
    return made
