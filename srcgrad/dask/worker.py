"""What runs on a worker. It travels as text, and imports NumPy alone."""

import sys
import types

import numpy as np


def run(text, name, args, options, rows):
    """Return what generated code gives for one partition, and how many rows that has.

    Args:
        text: a module that stands alone.
        name: the function in it to call.
        args: its arguments by position.
        options: its arguments by name.
        rows: those that are partitioned, by name: for each a block of rows.

    Returns:
        ``(number of rows, result)``; for no rows the result is None.

    Raises:
        ValueError: when the blocks have different numbers of rows, or no numbers.
    """
    blocks = {key: np.asarray(block) for key, block in rows.items()}
    counts = {key: len(block) for key, block in blocks.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(f"the partitions have different numbers of rows: {counts}")
    for key, block in blocks.items():
        if block.dtype.kind not in "fciub":
            raise ValueError(f"a partition of {key!r} is of dtype {block.dtype}, and no numbers")
    count = next(iter(counts.values()))
    if count == 0:
        return 0, None
    blocks = {key: aligned(block) for key, block in blocks.items()}
    label = f"srcgrad_text_{abs(hash(text))}"
    module = sys.modules.get(label)
    if module is None or module.__doc__ != text:
        module = types.ModuleType(label, text)
        exec(compile(text, f"<{name}>", "exec"), vars(module))
        sys.modules[label] = module
    return count, getattr(module, name)(*args, **options, **blocks)


def aligned(block):
    """Return an array in rows, at an address from which sums are taken in the same order.

    Where a block lies in memory depends on how it came to a worker, and the last digit of a
    product depends on where it lies.
    """
    room = np.empty(block.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    made = room[start : start + block.nbytes].view(block.dtype).reshape(block.shape)
    made[...] = block
    return made


def scaled(tree, factor):
    """Return a tree with its numbers multiplied."""
    if isinstance(tree, dict):
        return {key: scaled(part, factor) for key, part in tree.items()}
    if isinstance(tree, (tuple, list)):
        parts = [scaled(part, factor) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if tree is None:
        return None
    made = tree * factor
    return made.astype(tree.dtype) if hasattr(tree, "dtype") else made


def added(one, other):
    """Return the sum of two trees, leaf by leaf; in the wider of their dtypes."""
    if isinstance(one, dict):
        return {key: added(part, other[key]) for key, part in one.items()}
    if isinstance(one, (tuple, list)):
        parts = [added(a, b) for a, b in zip(one, other)]  # noqa: B905 - of one function
        return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)
    return None if one is None else one + other


def joined(parts, mean):
    """Return the result of several partitions together, added in their order.

    Args:
        parts: what ``run`` or this function returned, for each of them.
        mean: whether the results are means over rows, and not sums.
    """
    total, result = 0, None
    for count, part in parts:
        if count == 0:
            continue
        if result is None:
            total, result = count, part
        elif mean:
            both = total + count
            result = added(scaled(result, total / both), scaled(part, count / both))
            total = both
        else:
            total, result = total + count, added(result, part)
    return total, result


def result(pair):
    """Return what ``joined`` has found, without the number of rows."""
    return pair[1]


def stacked(parts):
    """Return the rows of all partitions, one after the other; None if there are none."""
    found = [part for count, part in parts if count]
    if not found:
        return None
    if isinstance(found[0], tuple):
        return tuple(np.concatenate(each) for each in zip(*found))  # noqa: B905 - as above
    return np.concatenate(found)
