"""Calls that send numbers to other ranks of an MPI program, or receive some.

Each is lowered as a linear map of the numbers of all ranks, which is what it is whether or not
anything that is differentiated goes into it on this rank: on another one something may. So all
floating-point numbers in messages are active, and what says nothing of that is not lowered here.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.expressions.mutators import write_out
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import Const, Known, Op, Value, Var
from srcgrad.ir.types import COMMUNICATOR, INTEGER
from srcgrad.late import late
from srcgrad.library.communicators import is_sum

_ANY: Value = Const(None)
# The parameters of the methods that are lowered, and those that a call has to give
_PARAMETERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Send": (("buf", "dest", "tag"), ("buf", "dest")),
    "Ssend": (("buf", "dest", "tag"), ("buf", "dest")),
    "Recv": (("buf", "source", "tag"), ("buf", "source")),
    "Sendrecv": (
        ("sendbuf", "dest", "sendtag", "recvbuf", "source", "recvtag"),
        ("sendbuf", "dest", "recvbuf", "source"),
    ),
    "Bcast": (("buf", "root"), ("buf",)),
    "Sendrecv_replace": (
        ("buf", "dest", "sendtag", "source", "recvtag"),
        ("buf", "dest", "source"),
    ),
    "Allreduce": (("sendbuf", "recvbuf", "op"), ("sendbuf", "recvbuf")),
    "allreduce": (("sendobj", "op"), ("sendobj",)),
}


def refusal(b: Builder, node: Any) -> UnsupportedSyntaxError:
    """Return the error for a message of which it is not known what it does."""
    return UnsupportedSyntaxError(
        "messages go to or come from other ranks",
        spots=[b.source.spot(node)],
        why="What is received depends on what other ranks do.",
    )


def call_message(b: Builder, call: cst.Call, lower: Callable[[Builder, Any], Value]) -> bool:
    """Lower a statement that sends an array to other ranks, or receives one.

    Returns:
        Whether it was such a statement.
    """
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in _PARAMETERS:
        return False
    if call.func.attr.value == "allreduce":
        return False  # which is an expression
    comm = lower(b, call.func.value)
    if not _is_communicator(comm):
        return False
    texts = _bound(b, call)
    tags = [lower(b, t) if t is not None else _ANY for n, t in texts.items() if n.endswith("tag")]
    _begin(b, call, tags)
    given = _Given(b, texts, call, lower)
    if "dest" in texts:
        part = given.array("sendbuf", "buf")
        _emit(b, "send", (comm, part, given["dest"], given.get("sendtag", "tag")), part, None)
    if "source" in texts:
        room = given.array("recvbuf", "buf")
        came = (comm, room, given["source"], given.get("recvtag", "tag"))
        write_out(b, room, _emit(b, "receive", came, room, None), call)
    if "root" in texts:
        room = given.array("buf")
        root = Const(0) if texts["root"] is None else given["root"]
        write_out(b, room, _emit(b, "from_root", (comm, room, root), room, None), call)
    if call.func.attr.value == "Allreduce":
        room = given.array("recvbuf")
        part = room if given.is_in_place("sendbuf") else given.array("sendbuf")
        given.require_sum()
        if part.type.ndim != room.type.ndim:
            raise refusal(b, call)
        write_out(b, room, _emit(b, "sum_of_ranks", (comm, part), room, None), call)
    return True


class _Given:
    """The arguments of a call by name, lowered when they are asked for."""

    def __init__(self, b: Builder, texts: dict[str, Any], call: cst.Call, lower: Any) -> None:
        self.b, self.texts, self.call, self.lower = b, texts, call, lower
        self.known: dict[str, Value] = {}

    def __getitem__(self, label: str) -> Value:
        if label not in self.known:
            text = self.texts[label]
            self.known[label] = _ANY if text is None else self.lower(self.b, text)
        return self.known[label]

    def get(self, *labels: str) -> Value:
        """Return an argument under the first of some names that the call has."""
        return self[next(label for label in labels if label in self.texts)]

    def array(self, *labels: str) -> Var:
        """Return a vector of floating-point numbers.

        Arrays of higher rank are sent in the order of their memory, which no type tells.
        """
        value = self.get(*labels)
        if not isinstance(value, Var) or value.type.kind != "array" or not _is_number(value):
            raise refusal(self.b, self.call)
        if value.type.ndim is None or value.type.ndim > 1:
            raise refusal(self.b, self.call)
        return value

    def is_in_place(self, label: str) -> bool:
        """Whether ``MPI.IN_PLACE`` stands for what is sent."""
        text = self.texts[label]
        if not isinstance(text, cst.Attribute) or text.attr.value != "IN_PLACE":
            return False
        module = self.lower(self.b, text.value)
        return isinstance(module, Known) and module.object is sys.modules.get("mpi4py.MPI")

    def require_sum(self) -> None:
        """Refuse what ranks are given together that is no sum."""
        op = self["op"]
        if op != _ANY and not (isinstance(op, Known) and is_sum(op.object)):
            raise refusal(self.b, self.call)


def call_sum(b: Builder, call: Any, lower: Callable[[Builder, Any], Value]) -> Value | None:
    """Lower ``comm.allreduce(number)``, which gives the sum of the numbers of all ranks.

    Returns:
        None where it is another call.
    """
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "allreduce":
        return None
    comm = lower(b, func.value)
    if not _is_communicator(comm):
        return None
    given = _Given(b, _bound(b, call), call, lower)
    part = given["sendobj"]
    given.require_sum()
    _begin(b, call, [])
    if isinstance(part, Const) and type(part.value) in (int, bool):
        return b.opaque(call, [comm], INTEGER)
    if isinstance(part, Var) and part.type.is_number and part.type.dtype in ("i", "b"):
        return b.opaque(call, [comm, part], replace(part.type, dtype="i"))
    if not _is_number(part) or part.type.ndim != 0:  # arrays may broadcast, with those of others
        raise refusal(b, call)
    return _emit(b, "sum_of_ranks", (comm, part), part, call)


def call_again(b: Builder, fn: Any, args: Any, options: Any, node: Any) -> Value:
    """Lower a call in the text of a derivative, which sends or receives."""
    given = dict(zip(("comm", "part", "where", "tag"), args, strict=False)) | options
    comm, part, *rest = given.values()
    _begin(b, node, [])
    return _emit(b, fn.__name__, (comm, part, *rest), part, node)


def _begin(b: Builder, node: Any, tags: list[Value]) -> None:
    """Note that a message is lowered, if it can be."""
    context = b.context
    if context.messages is None or len(context.lowering) > 1 or b.formula is not None:
        raise refusal(b, node)
    context.messages.add(id(node))
    context.tags.update(tag == _ANY for tag in tags)
    if len(context.tags) > 1:  # then their order does not tell which belongs to which
        raise refusal(b, node)
    b.layout.impure.add(id(node))


def _emit(b: Builder, name: str, args: tuple[Value, ...], like: Any, node: Any) -> Any:
    if args[-1] == _ANY:
        args = args[:-1]
    kind = like.type.with_active(True)
    return b.emit(Op(late("message_function")(name)), args, node, type_=kind, active=True)


def _bound(b: Builder, call: cst.Call) -> dict[str, Any]:
    """The texts of the arguments of a call by name, None for what is not given."""
    labels, needed = _PARAMETERS[call.func.attr.value]
    found: dict[str, Any] = dict.fromkeys(labels)
    for k, arg in enumerate(call.args):
        label = labels[k] if k < len(labels) else ""
        label = label if arg.keyword is None else arg.keyword.value
        if arg.star or found.get(label, arg) is not None:
            raise refusal(b, call)
        found[label] = arg.value
    if any(found[label] is None for label in needed):
        raise refusal(b, call)
    return found


def _is_number(value: Value) -> bool:
    return isinstance(value, Var) and value.type.is_number and value.type.dtype in ("f", "c")


def _is_communicator(value: Value) -> bool:
    return isinstance(value, Var) and value.type == COMMUNICATOR
