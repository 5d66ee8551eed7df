"""Programs of users: lists and dicts that are handed to functions written in C, and kept there."""

import collections
import copy
import logging
import sys

import numpy as np


def row_of_a_table(x):
    y = x * 1.0
    y[0] = x[1] * 2.0
    row, rows = [x[0], y], []
    rows.append(row)
    row.append(x[1])
    rows[0][0] = x[2]
    return row[0] * len(rows[0]) + np.sum(row[1])


def parents_and_children(x):
    y = x * 1.0
    y[0] = x[1] * 2.0
    root = {"parent": None, "v": y, "children": []}
    root["children"].append({"parent": root, "v": y[1:], "children": []})
    waiting, total = collections.deque([root]), 0.0
    while waiting:
        node = waiting.popleft()
        total = total + np.sum(node["v"]) * x[0]
        node["v"] *= 2.0
        waiting.extend(node["children"])
    return total + np.sum(y)


def lists_in_all_kinds(x):
    y = x * 1.0
    y *= x
    rows = [[y], [x]]
    list(zip(rows, rows[::-1], strict=True))[0][0].append(x[0])
    numbered = dict(enumerate(rows))
    collections.OrderedDict(numbered)[0].append(x[1])
    collections.defaultdict(list, numbered)[1].append(x[2])
    next(iter(rows)).append(y[1])
    sorted(rows, key=len)[0].append(1.0)
    list(reversed(rows))[0][0] = x * 3.0
    return len(rows[0]) * sum(rows[0][1:]) + len(rows[1]) * np.sum(rows[1][0])


def copies(x):
    y = x * 1.0
    y *= x
    kept = {"a": [y, y[1:]]}
    deep, shallow = copy.deepcopy(kept), copy.copy(kept)
    deep["a"][0][0] = 7.0
    shallow["a"].append(x[0])
    shallow["a"][0][0] = 5.0
    return np.sum(kept["a"][0] * x) + np.sum(deep["a"][0]) + len(kept["a"]) * kept["a"][2]


def list_that_holds_itself(x):
    buffer = np.zeros(3)
    kept = [buffer]
    kept.append(kept)
    buffer[0] = x[0]
    other = list(kept)
    other[1][0][1] = x[1]
    return np.sum(buffer**2) * len(kept[1][1])


def dict_that_holds_itself(x):
    kept = {"v": x * 1.0}
    kept["me"] = kept
    kept["v"][0] *= 3.0
    other = dict(kept)
    other["me"]["v"][1] = 2.0
    kept.update(w=kept["v"] * x)
    return np.sum(kept["w"]) + np.sum(other["v"])


def array_in_its_own_dtype(x):
    y = x * 1.0
    same = y.astype(float, copy=False)
    other = y.astype(float, "K", "unsafe", True, False)
    another = y.astype(float)
    same += 1.0
    another *= 2.0
    return np.sum(y**2) + np.sum(other * x) + np.sum(another * y)


def popped_in_a_test(x):
    total, n, h = x[0], 0, []
    for k in range(5):
        h.append(total)
        total = total * x[1] - (x[2] * h[-2] if k % 2 else 0.5)
    while h and (t := h.pop()) > -90:
        total += t * len(h)
        n += 1
    return total * n


def popped_beside_a_choice(x):
    h, total = [], 1.0
    for k in range(3):
        if x[k] < 2.0:
            h.append(x[k] * x[k])
    for _ in range(5):
        t = x[0] if not h else h.pop() + (h[-1] if h else x[2])
        total = total * t + x[1]
    return total


def popped_beside_an_item(x):
    h = [v * v for v in x if v < 5.0]
    return h.pop() * h[-1] + h.pop() * sum([v * x[0] for v in h])


def assigned_again_in_a_test(x):
    total, w, k = 1.0, x[0], 0
    while (w := x[1] * w) > 0 and k < 3:
        total = total * x[0] + w
        k += 1
    return total * w


def exception_of_an_exception(x):
    def size(v):
        try:
            if v < 1:
                raise ValueError(v)
        except ValueError as first:
            try:
                raise RuntimeError from first
            except RuntimeError as second:
                return second.__cause__.args[0] ** 2
        return v

    return size(x[0]) * 2 + size(x[2]) * 3


def exception_at_hand(x):
    try:
        if x[0] < 1:
            raise ValueError(x[0])
        r = x[1]
    except ValueError:
        r = sys.exc_info()[1].args[0] ** 2
    return r * x[2]


def assigned_in_what_asserts_and_logs(x):
    s, w = 1.0, x[0]
    for _ in range(3):
        assert (w := w * x[1]) > -9, "small"
        s = s * w + x[2]
        logging.debug("%s", w := w + x[0])
        text = f"{(w := w * 1.1)}"
    return s * w * len(text[:1]) * (2 if isinstance(w := w * x[2], float) else 3)


