"""What an expression of a given shape can be made of.

A production is a template, with {0}, {1} … where its operands go, and the shapes
of these. The shape of what it gives is not written down: NumPy is asked, once,
with arrays of ones.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

Shape = tuple[int, ...]

SHAPES: tuple[Shape, ...] = ((), (3,), (2,), (1,), (2, 3), (3, 2), (1, 3), (3, 1), (3, 3))


# Elementwise and smooth, or with kinks that random numbers do not meet; the
# operand may be any number.
ELEMENTWISE = (
    "-{0}", "np.sin({0})", "np.cos({0})", "np.tanh({0})", "{0} ** 2", "abs({0})",
    "np.exp(-{0} ** 2)", "np.log(2 + {0} ** 2)", "np.sqrt(1 + {0} ** 2)",
    "np.arctan({0})", "np.abs({0})", "{0} ** 3", "1 / (1.5 + {0} ** 2)",
    "np.maximum({0}, 0.1)", "np.minimum(0.2, {0})", "np.clip({0}, -0.5, 0.8)",
    "np.log1p({0} ** 2)", "np.expm1(0.3 * {0})", "np.square({0})",
    "np.logaddexp({0}, 0.3)", "np.hypot({0}, 0.7)", "np.arctan2({0}, 1.5)",
    "(1.5 + {0} ** 2) ** 0.7", "np.sign({0})", "np.cbrt(2 + {0} ** 2)",
    "np.where({0} > 0.1, {0}, 0.5)", "{0} / (1 + abs({0}))", "2.0 ** {0}",
    "np.floor({0})", "np.sinh(0.5 * {0})", "+{0}", "np.negative({0})",
    "{0} * ({0} > 0)", "np.arcsin(0.5 * np.sin({0}))", "({0} % 2.5)",
)  # fmt: skip

# Of numbers only, or of arrays only.
OF_NUMBERS = (
    "math.sin({0})", "math.exp(-abs({0}))", "math.tanh({0})", "math.sqrt(1 + {0} ** 2)",
    "math.log(2 + {0} ** 2)", "float({0})", "max({0}, 0.2)", "min({0}, 0.3)",
    "max(0.1, {0})", "math.atan({0})", "math.hypot({0}, 0.4)", "math.fabs({0})",
    "pow(1.5 + {0} ** 2, 0.3)", "math.pow(1.2, {0})",
)  # fmt: skip
OF_ARRAYS = (
    "{0}.copy()", "np.array({0})", "{0}[::-1]", "np.cumsum({0}, axis=0)", "np.sort({0}, axis=0)",
    "np.roll({0}, 1)", "np.flip({0})", "{0}.cumsum(axis=-1)", "np.roll({0}, 1, axis=0)",
    "{0}.clip(-0.4, 0.9)", "np.copy({0})", "np.asarray({0})", "{0}.astype(float)",
    "np.cumprod({0}, axis=-1)", "{0}[...]", "{0}[:]",
)  # fmt: skip

# Two operands of shapes that broadcast.
BROADCASTING = (
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / (1.5 + {1} ** 2)", "np.maximum({0}, {1})",
    "np.where({0} > {1}, {0}, {1} ** 2)", "np.minimum({0}, {1})", "np.hypot({0}, 0.5 + abs({1}))",
    "(1.2 + {0} ** 2) ** {1}", "np.logaddexp({0}, {1})", "np.multiply({0}, {1})",
    "np.where({1} < 0.3, {0}, {1})", "np.add({0}, {1})",
)  # fmt: skip

# One operand; those combinations remain that NumPy accepts and whose shape is known.
ANY_OF_ARRAYS = (
    "np.sum({0})", "{0}.sum()", "np.mean({0})", "{0}.mean()", "np.max({0})", "{0}.min()",
    "np.prod({0})", "np.linalg.norm(np.append({0}, 0.3))", "np.var({0})",
    "np.std(np.append({0}, 3.1))", "np.ptp({0})",
    "np.sum({0}, axis=0)", "{0}.sum(axis=1)", "np.sum({0}, axis=-1, keepdims=True)",
    "np.mean({0}, axis=1)", "{0}.max(axis=0)", "np.min({0}, axis=-1)", "np.prod({0}, axis=0)",
    "{0}.mean(axis=0, keepdims=True)", "np.var({0}, axis=1)",
    "np.linalg.norm({0} + 0.057, axis=-1)",
    "{0}[0]", "{0}[-1]", "{0}[1]", "{0}[:, 0]", "{0}[:, -1]", "{0}[0, 1]", "{0}[1][0]",
    "{0}[1:]", "{0}[:2]", "{0}[:-1]", "{0}[:, :2]", "{0}[:, 1:]", "{0}[[0, 1]]",
    "{0}[[0, 0, 1]]", "{0}[:, [1, 0, 1]]", "{0}[..., 0]", "{0}[::2]", "{0}[None]",
    "{0}[:, None]", "{0}[np.newaxis, :]", "np.sum({0}[{0} > 0.1])", "{0}[[0, 1], [1, 0]]",
    "{0}[-2:]", "{0}[0:1]", "{0}[1:, 0]", "{0}[0, :]", "{0}[1, ::-1]",
    "{0}.T", "np.transpose({0})", "{0}.reshape(2, 3)", "{0}.reshape((3, 2))",
    "np.reshape({0}, (1, 3))", "{0}.reshape(-1)", "{0}.ravel()", "np.ravel({0})",
    "{0}.reshape(3, -1)", "{0}.flatten()", "np.squeeze({0})", "np.expand_dims({0}, 0)",
    "np.expand_dims({0}, axis=-1)", "np.swapaxes({0}, 0, 1)", "np.atleast_2d({0})",
    "np.diff({0})", "np.diff({0}, axis=0)", "np.diag({0})", "np.trace({0})", "np.tril({0})",
    "np.triu({0}, k=1)", "np.tile({0}, (2, 1))", "np.repeat({0}, 3, axis=0)",
    "np.broadcast_to({0}, (2, 3))", "np.broadcast_to({0}, (3, 3))", "np.take({0}, 1, axis=0)",
    "np.take({0}, [1, 0], axis=-1)", "np.average({0}, axis=0)", "sum({0})",
    "np.einsum('ij->j', {0})", "np.einsum('ii->i', {0})", "np.einsum('ij->ji', {0})",
    "np.linalg.det(0.1 * {0} + 2 * np.eye(3))", "np.linalg.inv(0.1 * {0} + 2 * np.eye(3))",
    "np.pad({0}, 1)", "np.hstack([{0}, {0}])", "np.concatenate([{0}, {0}])",
)  # fmt: skip

ANY_OF_TWO = (
    "{0} @ {1}", "np.dot({0}, {1})", "{0}.dot({1})", "np.matmul({0}, {1})", "np.inner({0}, {1})",
    "np.outer({0}, {1})", "np.stack([{0}, {1}])", "np.stack(({0}, {1}), axis=-1)",
    "np.concatenate([{0}, {1}])", "np.concatenate(({0}, {1}), axis=1)", "np.vstack([{0}, {1}])",
    "np.hstack(({0}, {1}))", "np.append({0}, {1})", "np.column_stack([{0}, {1}])",
    "np.array([{0}, {1}])", "np.einsum('ij,jk->ik', {0}, {1})", "np.einsum('ij,j->i', {0}, {1})",
    "np.einsum('i,j->ij', {0}, {1})",
    "np.linalg.solve(0.1 * {0} + 2 * np.eye(3), {1})", "np.tensordot({0}, {1}, axes=1)",
    "{0} @ {1}.T", "np.vdot({0}, {1})", "np.sum({0} * {1})",
)  # fmt: skip

OF_THREE_NUMBERS = (
    "np.array([{0}, {1}, {2}])", "np.stack([{0}, {1}, {2}])", "np.array([{0}, 0.5, {2}])",
    "np.where(np.array([True, False, True]), np.array([{0}, {1}, {1}]), {2})",
)  # fmt: skip


def _shape_of(template: str, operands: tuple[Shape, ...]) -> Shape | None:
    text = template.format(*(f"ones[{k}]" for k in range(len(operands))))
    ones = [np.ones(shape) if shape else 1.0 for shape in operands]
    if "einsum" in template and len({n for shape in operands for n in shape} - {1}) < len(
        {n for shape in operands for n in shape}
    ):
        return None  # a summed label must have one length
    try:
        return np.shape(eval(text, {"np": np, "math": math, "ones": ones}))
    except (ValueError, IndexError, TypeError, np.linalg.LinAlgError):
        return None


def _all_productions() -> dict[Shape, dict[str, list[tuple[Shape, ...]]]]:
    table: dict[Shape, dict[str, list[tuple[Shape, ...]]]] = {shape: {} for shape in SHAPES}
    arrays = [shape for shape in SHAPES if shape]

    def put(templates: tuple[str, ...], candidates: list[tuple[Shape, ...]]) -> None:
        for template, operands in product(templates, candidates):
            shape = _shape_of(template, operands)
            if shape in table:
                table[shape].setdefault(template, []).append(operands)

    put(ELEMENTWISE, [(shape,) for shape in SHAPES])
    put(OF_NUMBERS, [((),)])
    put(OF_ARRAYS, [(shape,) for shape in arrays])
    put(BROADCASTING, list(product(SHAPES, SHAPES)))
    put(ANY_OF_ARRAYS, [(shape,) for shape in arrays])
    put(("np.cross({0}, {1})",), list(product([(3,), (2, 3), (3, 3)], repeat=2)))
    put(ANY_OF_TWO, list(product(arrays, arrays)))
    put(("np.array([{0}, {1}])", "np.stack([{0}, {1}])"), [((), ())])
    put(OF_THREE_NUMBERS, [((), (), ())])
    return table


# For each shape, the templates that can give it, with the shapes of their operands.
PRODUCTIONS = _all_productions()
