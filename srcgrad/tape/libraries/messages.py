"""Calls of mpi4py's communicators on a tape.

A message is a step of the tape whether or not anything that is differentiated goes into it on
this rank: on another rank something may. So what is decided here is decided by what a message
holds, which both sides see alike: each number or array of floating point has a cotangent.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI
from mpi4py.util.dtlib import to_numpy_dtype

from srcgrad.errors import ArgumentError, MissingFormulaError
from srcgrad.mpi.channels import channel_of, flush
from srcgrad.mpi.transfers import Kind, Transfer, kind_of, moved
from srcgrad.tape.calls import SPECIAL, call, record, unknown, watched
from srcgrad.tape.formulas import has_box
from srcgrad.tape.memory import all_seen, chain, fresh, write
from srcgrad.tape.recording import Box, mapped, raw, unboxed
from srcgrad.tape.session import Session
from srcgrad.tape.trees import holds_box

# Transfers as steps


def carried(session: Session, parts: list[Any], transfer: Transfer) -> list[Any]:
    """Record a transfer on all tapes that run, and return what this rank is given."""
    transfer.recorded = True
    token: Any = 0.0
    for tape in _running(session):
        token = Box(0.0, tape, tape.node(), token)
    token, given = record(session, moved, (token, parts, transfer), {})
    for box in chain(token):
        if box.tape is not None:
            box.tape.messages.append(box.index)
    return given


def _moved(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call ``moved``: in a backward part it is a step of the tapes around that."""
    token, parts, transfer = args
    if transfer.recorded or not _running(session):
        if type(token) is Box:
            return record(session, fn, args, options)
        return fn(token, unboxed(parts), transfer)
    return 0.0, carried(session, parts, transfer)


def _running(session: Session) -> list[Any]:
    return sorted((t for t in session.tapes if t.running), key=lambda tape: tape.level)


SPECIAL[moved] = _moved

# What messages hold


def _is_part(leaf: Any) -> bool:
    """Whether something in a message has a cotangent."""
    value = raw(leaf)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    return isinstance(value, float | complex | np.inexact)


def _parts(tree: Any) -> list[Any]:
    """The numbers and arrays in a message, in its order."""
    found: list[Any] = []
    mapped(lambda leaf: found.append(leaf) if _is_part(leaf) else None, tree)
    return [fresh(part) if type(part) is Box else part for part in found]


def _with_parts(tree: Any, parts: list[Any]) -> Any:
    """A message like another one, with other numbers and arrays."""
    rest = iter(parts)
    return mapped(lambda leaf: next(rest) if _is_part(leaf) else leaf, tree)


def _kinds(parts: list[Any]) -> list[Kind]:
    return [kind_of(raw(part)) for part in parts]


class Message:
    """A call of a method of a communicator.

    Args:
        session: what is recorded.
        fn: the method.
        args: its arguments.
        options: those by name.

    Attributes:
        comm: the communicator.
        given: the arguments by name.
    """

    def __init__(self, session: Session, fn: Any, args: Any, options: Any) -> None:
        self.session = session
        self.fn = fn
        self.comm = fn.__self__
        names = fn.__func__.__code__.co_varnames[1 : fn.__func__.__code__.co_argcount]
        self.given = dict(zip(names, args, strict=False)) | options

    def plain(self, **others: Any) -> Any:
        """Make the call itself, with others in the place of some of its arguments."""
        return self.fn(**{name: unboxed(value) for name, value in (self.given | others).items()})

    def from_anybody(self, source: str, tag: str) -> bool:
        """Tell whether any message of any rank is meant."""
        told = self.given.get(source, MPI.ANY_SOURCE), self.given.get(tag, MPI.ANY_TAG)
        return told == (MPI.ANY_SOURCE, MPI.ANY_TAG)

    def tree(self, name: str) -> Any:
        """Return what a message holds, with boxes in it."""
        found = all_seen(self.given.get(name))
        if holds_box(found, set()) and not has_box(found):
            raise self.refuse("an object that holds what is differentiated", "send its arrays")
        return found

    def carry(self, parts: list[Any], given: list[Any], route: str, **where: Any) -> list[Any]:
        """Record that the call has given this rank something for its parts."""
        transfer = Transfer(self.comm, route, _kinds(parts), _kinds(given), given, **where)
        return carried(self.session, parts, transfer)

    def refuse(self, what: str, *fixes: str, why: str = "") -> MissingFormulaError:
        """Return the error for a call that has no derivative here."""
        return MissingFormulaError(f"{self.fn.__name__} with {what}", why=why, fixes=fixes)

    def array(self, name: str) -> Any:
        """Return the array of a buffer, in a box if it is differentiated."""
        found = self.given.get(name)
        if isinstance(found, tuple | list):
            array = found[0]
            dtype = getattr(raw(array), "dtype", None)
            told = isinstance(found[-1], str | MPI.Datatype)
            fits = dtype is not None and (not told or to_numpy_dtype(found[-1]) == dtype)
            if not fits or not (self.fn.__name__ in _IN_PIECES or (told and len(found) == 2)):
                raise self.refuse("parts of a buffer", "send an array: x[a:b].copy()")
            found = array
        found = all_seen(found)
        if not isinstance(raw(found), np.ndarray):
            raise self.refuse("a buffer that is no array of NumPy's")
        return found


def communicates(fn: Any) -> bool:
    """Tell whether a function is a method of a communicator, or waits for requests."""
    owner = getattr(fn, "__self__", None)
    return isinstance(owner, MPI.Comm) or (owner is MPI.Request and fn.__name__ in _WAITING)


def communicate(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a method of a communicator."""
    name = fn.__name__
    if name in _WAITING and fn.__self__ is MPI.Request:
        return _wait_for_all(fn, *args, **options)
    if not _running(session):
        return watched(session, fn, unboxed(args), unboxed(options))
    if name in _SENDING:
        kind = Buffers if name in _BUFFERS else Message
        return _SENDING[name](kind(session, fn, args, options))
    if not name.startswith(_HARMLESS):
        raise MissingFormulaError(
            f"no formula for the method .{name} of a communicator",
            why="What it sends or receives may depend on what is differentiated.",
            fixes=["use one of those that docs/mpi.md lists"],
        )
    return unknown(session, fn, args, options)


_HARMLESS = (
    "Get_", "Set_", "Is_", "get_", "set_", "is_", "py2f", "tompi", "Barrier", "barrier", "Split",
    "Dup", "Clone", "Create", "Free", "Abort", "Compare", "probe", "Probe", "iprobe", "Iprobe",
    "Dims", "Shift", "Sub", "Topo", "free", "Disconnect", "Call_errhandler",
)  # fmt: skip


# Objects


def _send(message: Message) -> None:
    parts = _parts(message.tree("obj"))
    message.plain()
    _note_sent(message, parts)


def _note_sent(message: Message, parts: list[Any]) -> None:
    dest, tag = message.given["dest"], message.given.get("tag", 0)
    if parts and dest != MPI.PROC_NULL:
        message.carry(parts, [], "pass", dest=dest, source=None, tag=tag, back=0)


def _recv(message: Message) -> Any:
    status = message.given.get("status") or MPI.Status()
    if message.from_anybody("source", "tag"):
        found = channel_of(message.comm).next_of_program(status, False).recv(status)
    else:
        found = message.plain(status=status)
    return _note_received(message, found, status)


def _note_received(message: Message, found: Any, status: Any) -> Any:
    parts, source = _parts(found), status.Get_source()
    if not parts:
        return found
    where = {"dest": None, "source": source, "tag": 0, "back": status.Get_tag()}
    return _with_parts(found, message.carry([], parts, "pass", **where))


def _sendrecv(message: Message) -> Any:
    sent = _parts(message.tree("sendobj"))
    status = message.given.get("status") or MPI.Status()
    if message.from_anybody("source", "recvtag"):
        to = {"dest": message.given["dest"], "tag": message.given.get("sendtag", 0)}
        request = message.comm.isend(unboxed(message.given["sendobj"]), **to)
        found = channel_of(message.comm).next_of_program(status, False).recv(status)
        request.wait()
    else:
        found = message.plain(status=status)
    parts = _parts(found)
    if not parts and not sent:
        return found
    return _with_parts(found, message.carry(sent, parts, "pass", **_ways(message, status)))


def _ways(message: Message, status: Any) -> dict[str, Any]:
    """Where the numbers of an exchange go to, and come from."""
    dest, source = message.given["dest"], status.Get_source()
    return {
        "dest": None if dest == MPI.PROC_NULL else dest,
        "source": None if message.given.get("source", 0) == MPI.PROC_NULL else source,
        "tag": message.given.get("sendtag", 0),
        "back": status.Get_tag(),
    }


def _bcast(message: Message) -> Any:
    root = message.given.get("root", 0)
    parts = _parts(message.tree("obj")) if message.comm.Get_rank() == root else []
    found = message.plain()  # at the root a copy
    given = _parts(found)
    if not given:
        return found
    return _with_parts(found, message.carry(parts, given, "broadcast", root=root))


def _reduce(message: Message) -> Any:
    op, root = message.given.get("op", MPI.SUM), message.given.get("root", 0)
    tree = message.tree("sendobj")
    if not _is_part(tree):
        _require_constant(message, tree)
        return message.plain()
    if op != MPI.SUM:
        found = _combined(message, tree, message.comm.allreduce(unboxed(tree), op), op)
        return found if message.comm.Get_rank() == root else None
    found = message.plain()
    given = [] if found is None else [found]
    made = message.carry(_parts(tree), given, "collect", root=root)
    return made[0] if made else None


def _allreduce(message: Message) -> Any:
    tree = message.tree("sendobj")
    found = message.plain()
    if not _is_part(found):
        _require_constant(message, found)
        return found
    return _combined(message, tree, found, message.given.get("op", MPI.SUM))


def _require_constant(message: Message, tree: Any) -> None:
    if _parts(tree):
        what = "something else than a number or an array"
        raise message.refuse(what, "reduce numbers and arrays one by one")


def _combined(message: Message, part: Any, total: Any, op: Any) -> Any:
    """What ranks are given together: a sum, a product, the largest or the smallest."""
    common = kind_of(total)
    if op == MPI.SUM:
        return message.carry(_parts(part), [total], "sum", common=common)[0]
    if op == MPI.PROD:
        factors = message.carry(
            _parts(part),
            _parts(message.comm.allgather(raw(part))),
            "allgather",
            counts=[1] * message.comm.Get_size(),
        )
        return functools.reduce(operator.mul, factors)
    if op != MPI.MAX and op != MPI.MIN:
        raise message.refuse("this operation", "use MPI.SUM, MPI.PROD, MPI.MAX or MPI.MIN")
    chosen = np.asarray(raw(part) == total, dtype=common.dtype)
    counted = Transfer(message.comm, "sum", [common], [common], common=common)
    share = chosen / np.maximum(counted.deliver([chosen])[0], 1)  # what ties shares evenly
    weighted = call(np.where, chosen > 0, part, 0.0) * share
    return message.carry([weighted], [total], "sum", common=common)[0]


def _gather(message: Message) -> Any:
    root = message.given.get("root", 0)
    parts = _parts(message.tree("sendobj"))
    found = message.plain()
    counts = None if found is None else [len(_parts(part)) for part in found]
    given = message.carry(parts, _parts(found), "gather", root=root, counts=counts)
    return None if found is None else _with_parts(found, given)


def _scatter(message: Message) -> Any:
    root = message.given.get("root", 0)
    tree = message.tree("sendobj") if message.comm.Get_rank() == root else None
    counts = None if tree is None else [len(_parts(part)) for part in tree]
    found = message.plain()
    where = {"root": root, "counts": counts}
    return _with_parts(found, message.carry(_parts(tree), _parts(found), "scatter", **where))


def _allgather(message: Message) -> Any:
    parts = _parts(message.tree("sendobj"))
    found = message.plain()
    counts = [len(_parts(part)) for part in found]
    if not sum(counts):
        return found
    return _with_parts(found, message.carry(parts, _parts(found), "allgather", counts=counts))


def _alltoall(message: Message) -> Any:
    tree = message.tree("sendobj")
    found = message.plain()
    counts = [len(_parts(part)) for part in tree]
    others = [len(_parts(part)) for part in found]
    given = message.carry(_parts(tree), _parts(found), "alltoall", counts=counts, others=others)
    return _with_parts(found, given)


def _scan(message: Message) -> Any:
    tree = message.tree("sendobj")
    found = message.plain()
    if not _is_part(found):
        _require_constant(message, found)
        return found
    return _accumulated(message, tree, found)


def _accumulated(message: Message, part: Any, found: Any) -> Any:
    if message.given.get("op", MPI.SUM) != MPI.SUM:
        raise message.refuse("this operation", "use MPI.SUM")
    if kind_of(raw(part)) != kind_of(found):
        raise message.refuse("numbers of several kinds", "give all ranks the same dtype")
    return message.carry([part], [found], "scan")[0]


def _exscan(message: Message) -> Any:
    tree = message.tree("sendobj")
    found = message.plain()
    if not _is_part(tree):
        _require_constant(message, tree)
        return found
    made = _before(message, tree, [] if found is None else [found])
    return made[0] if made else None


def _before(message: Message, part: Any, found: list[Any]) -> list[Any]:
    """What ranks before this one have together, of which the first one is given nothing."""
    if message.given.get("op", MPI.SUM) != MPI.SUM:
        raise message.refuse("this operation", "use MPI.SUM")
    if any(kind_of(raw(part)) != kind_of(total) for total in found):
        raise message.refuse("numbers of several kinds", "give all ranks the same dtype")
    return message.carry([part], found, "exscan")


# Buffers


class Buffers(Message):
    """A call that sends arrays, and writes what it receives into arrays."""

    def stored(self, name: str) -> Any:
        """Return an array that lies in memory row by row: one that lies by columns, transposed."""
        array = self.array(name)
        flags = raw(array).flags
        by_columns = flags.f_contiguous and not flags.c_contiguous
        return call(np.transpose, array) if by_columns else array

    def flat(self, name: str) -> Any:
        """Return what is sent, as a vector: MPI sends an array's memory."""
        array = self.stored(name)
        return call(np.reshape, array, (-1,)) if np.ndim(raw(array)) != 1 else array

    def room(self, name: str) -> Any:
        """Return a vector for what is received."""
        return np.array(raw(self.stored(name)), order="C").reshape(-1)

    def fill(self, name: str, value: Any) -> None:
        """Write what was received into an array."""
        target = self.stored(name)
        shape = raw(target).shape
        value = value if len(shape) == 1 else call(np.reshape, value, shape)
        write(self.session, target, ..., value)

    def pieces(self, name: str) -> list[slice]:
        """Return where the numbers of each rank stand in an array, as the call tells it."""
        told, size = self.given[name], self.comm.Get_size()
        rest = list(told[1:]) if isinstance(told, tuple | list) else []
        if rest and isinstance(rest[-1], str | MPI.Datatype):
            rest.pop()
        if len(rest) == 1 and rest[0] is not None and np.ndim(rest[0][0]) > 0:
            rest = list(rest[0])  # both counts and places
        entries = np.size(raw(self.array(name)))
        counts, places = [*rest, None, None][:2]
        if counts is None:
            if entries % size:
                raise self.refuse("an array that has no even parts", "give the counts")
            counts = [entries // size] * size
        if places is None:
            places = np.cumsum([0, *counts])[:-1]
        return [slice(int(a), int(a + n)) for a, n in zip(places, counts, strict=True)]

    def like(self, name: str, array: Any) -> Any:
        """Return what a call is told of a vector, with another array in its place."""
        told = self.given[name]
        return [array, *told[1:]] if isinstance(told, tuple | list) else array

    def fill_pieces(self, name: str, pieces: list[slice], values: list[Any]) -> None:
        """Write what was received from each rank where it belongs."""
        target = self.flat(name)  # a view: MPI takes no other buffers
        for piece, value in zip(pieces, values, strict=True):
            write(self.session, target, piece, value)

    def has_numbers(self, *names: str) -> bool:
        """Tell whether the arrays have cotangents."""
        arrays = [self.given.get(name) for name in names]
        given = [raw(self.array(n)) for n, a in zip(names, arrays, strict=True) if _is_given(a)]
        if len({array.dtype for array in given}) > 1:
            raise ArgumentError(
                f"{self.fn.__name__} with arrays of the dtypes "
                + " and ".join(str(array.dtype) for array in given),
                why="Their bytes are sent as they are.",
                fixes=["give both the same dtype"],
            )
        return bool(given) and given[0].dtype.kind in "fc"

    def as_it_is(self) -> None:
        """Make the call, which has to do with no number that is differentiated."""
        options = {name: unboxed(value) for name, value in self.given.items()}
        watched(self.session, self.fn, (), options)


def _is_given(buffer: Any) -> bool:
    return buffer is not None and buffer is not MPI.IN_PLACE


def _in_place(buffers: Buffers, taken: str, other: str) -> Any:
    """What is sent, which may stand where the result is to be."""
    placed = not _is_given(buffers.given.get(taken))
    return buffers.flat(other if placed else taken)


def _Send(buffers: Buffers) -> None:
    if not buffers.has_numbers("buf"):
        return buffers.as_it_is()
    part = buffers.flat("buf")
    buffers.plain(buf=np.array(raw(part)))
    return _note_sent(buffers, [part])


def _Recv(buffers: Buffers) -> None:
    if not buffers.has_numbers("buf"):
        return buffers.as_it_is()
    status, room = buffers.given.get("status") or MPI.Status(), buffers.room("buf")
    if buffers.given.get("source", 0) == MPI.PROC_NULL:
        return buffers.as_it_is()
    if buffers.from_anybody("source", "tag"):
        channel_of(buffers.comm).next_of_program(status, True).Recv(room, status)
    else:
        buffers.plain(buf=room, status=status)
    return _take_in(buffers, "buf", room, status, [])


def _take_in(buffers: Buffers, name: str, room: Any, status: Any, sent: Any, **ways: Any) -> None:
    """Record that a vector was received, and write it where it belongs."""
    where = ways or {
        "dest": None,
        "source": status.Get_source(),
        "tag": 0,
        "back": status.Get_tag(),
    }
    if where["source"] is None:
        buffers.carry(sent, [], "pass", **where)
        return
    count = status.Get_count(MPI.BYTE) // room.itemsize
    (part,) = buffers.carry(sent, [room[:count].copy()], "pass", **where)
    if count == room.size:
        buffers.fill(name, part)
        return
    target = raw(buffers.array(name))
    if not target.flags.c_contiguous:
        raise buffers.refuse("fewer numbers than there is room for", "receive into a new array")
    write(buffers.session, buffers.flat(name), slice(0, count), part)


def _Sendrecv(buffers: Buffers) -> None:
    if not buffers.has_numbers("sendbuf", "recvbuf"):
        return buffers.as_it_is()
    part, room = buffers.flat("sendbuf"), buffers.room("recvbuf")
    status = buffers.given.get("status") or MPI.Status()
    _send_and_take(buffers, np.array(raw(part)), room, status)
    ways = _ways(buffers, status)
    sent = [] if ways["dest"] is None else [part]
    return _take_in(buffers, "recvbuf", room, status, sent, **ways)


def _send_and_take(buffers: Buffers, sent: Any, room: Any, status: Any) -> None:
    """Send an array, and receive one, from anybody if nobody is named."""
    given = buffers.given
    tags = given.get("sendtag", 0), given.get("recvtag", MPI.ANY_TAG)
    if buffers.from_anybody("source", "recvtag"):
        request = buffers.comm.Isend(sent, given["dest"], tags[0])
        channel_of(buffers.comm).next_of_program(status, True).Recv(room, status)
        request.Wait()
        return
    source = given.get("source", MPI.ANY_SOURCE)
    buffers.comm.Sendrecv(sent, given["dest"], tags[0], room, source, tags[1], status)


def _Bcast(buffers: Buffers) -> None:
    if not buffers.has_numbers("buf"):
        return buffers.as_it_is()
    root, room = buffers.given.get("root", 0), buffers.room("buf")
    part = buffers.flat("buf")
    buffers.plain(buf=room)
    if buffers.comm.Get_rank() == root:
        buffers.carry([part], [], "broadcast", root=root)
        return None
    return buffers.fill("buf", buffers.carry([], [room], "broadcast", root=root)[0])


def _Allreduce(buffers: Buffers) -> None:
    if not buffers.has_numbers("sendbuf", "recvbuf"):
        return buffers.as_it_is()
    part, room = _in_place(buffers, "sendbuf", "recvbuf"), buffers.room("recvbuf")
    buffers.plain(sendbuf=np.array(raw(part)), recvbuf=room)
    total = _combined(buffers, part, room, buffers.given.get("op", MPI.SUM))
    return buffers.fill("recvbuf", total)


def _Reduce(buffers: Buffers) -> None:
    op, root = buffers.given.get("op", MPI.SUM), buffers.given.get("root", 0)
    at_root = buffers.comm.Get_rank() == root
    names = ("sendbuf", "recvbuf") if at_root else ("sendbuf",)
    if not buffers.has_numbers(*names):
        return buffers.as_it_is()
    part = _in_place(buffers, "sendbuf", "recvbuf") if at_root else buffers.flat("sendbuf")
    sent, room = np.array(raw(part)), np.empty_like(raw(part))
    if op != MPI.SUM:
        buffers.comm.Allreduce(sent, room, op)
        total = [_combined(buffers, part, room, op)]
    else:
        buffers.plain(sendbuf=sent, recvbuf=room if at_root else None)
        total = buffers.carry([part], [room] if at_root else [], "collect", root=root)
    return buffers.fill("recvbuf", total[0]) if at_root else None


def _sent_pieces(buffers: Buffers) -> list[Any]:
    flat = buffers.flat("sendbuf")
    return [call(operator.getitem, flat, piece) for piece in buffers.pieces("sendbuf")]


def _Gather(buffers: Buffers) -> None:
    root, size = buffers.given.get("root", 0), buffers.comm.Get_size()
    at_root = buffers.comm.Get_rank() == root
    names = ("sendbuf", "recvbuf") if at_root else ("sendbuf",)
    if not buffers.has_numbers(*names):
        return buffers.as_it_is()
    part = buffers.flat("sendbuf")
    sent, counts = np.array(raw(part)), [1] * size
    if not at_root:
        buffers.plain(sendbuf=sent, recvbuf=None)
        buffers.carry([part], [], "gather", root=root, counts=counts)
        return None
    room, pieces = buffers.room("recvbuf"), buffers.pieces("recvbuf")
    buffers.plain(sendbuf=sent, recvbuf=buffers.like("recvbuf", room))
    given = [room[piece].copy() for piece in pieces]
    found = buffers.carry([part], given, "gather", root=root, counts=counts)
    return buffers.fill_pieces("recvbuf", pieces, found)


def _Scatter(buffers: Buffers) -> None:
    root, size = buffers.given.get("root", 0), buffers.comm.Get_size()
    at_root = buffers.comm.Get_rank() == root
    names = ("sendbuf", "recvbuf") if at_root else ("recvbuf",)
    if not buffers.has_numbers(*names):
        return buffers.as_it_is()
    parts = _sent_pieces(buffers) if at_root else []
    room = buffers.room("recvbuf")
    sent = None
    if at_root:
        sent = buffers.like("sendbuf", np.array(raw(buffers.flat("sendbuf"))))
    buffers.plain(sendbuf=sent, recvbuf=room)
    given = buffers.carry(parts, [room], "scatter", root=root, counts=[1] * size)
    return buffers.fill("recvbuf", given[0])


def _Allgather(buffers: Buffers) -> None:
    if not buffers.has_numbers("sendbuf", "recvbuf"):
        return buffers.as_it_is()
    part, room = buffers.flat("sendbuf"), buffers.room("recvbuf")
    pieces = buffers.pieces("recvbuf")
    buffers.plain(sendbuf=np.array(raw(part)), recvbuf=buffers.like("recvbuf", room))
    given = [room[piece].copy() for piece in pieces]
    found = buffers.carry([part], given, "allgather", counts=[1] * len(pieces))
    return buffers.fill_pieces("recvbuf", pieces, found)


def _Alltoall(buffers: Buffers) -> None:
    if not buffers.has_numbers("sendbuf", "recvbuf"):
        return buffers.as_it_is()
    parts, room, pieces = _sent_pieces(buffers), buffers.room("recvbuf"), buffers.pieces("recvbuf")
    sent = buffers.like("sendbuf", np.array(raw(buffers.flat("sendbuf"))))
    buffers.plain(sendbuf=sent, recvbuf=buffers.like("recvbuf", room))
    given, counts = [room[piece].copy() for piece in pieces], [1] * len(pieces)
    found = buffers.carry(parts, given, "alltoall", counts=counts, others=counts)
    return buffers.fill_pieces("recvbuf", pieces, found)


def _Reduce_scatter(buffers: Buffers) -> None:
    if not buffers.has_numbers("sendbuf", "recvbuf"):
        return buffers.as_it_is()
    if buffers.given.get("op", MPI.SUM) != MPI.SUM:
        raise buffers.refuse("this operation", "use MPI.SUM")
    part, room, size = buffers.flat("sendbuf"), buffers.room("recvbuf"), buffers.comm.Get_size()
    lengths = buffers.given.get("recvcounts") or [room.size] * size
    buffers.plain(sendbuf=np.array(raw(part)), recvbuf=room)
    parts = list(call(np.split, part, np.cumsum(lengths)[:-1]))
    given = buffers.carry(parts, [room], "share", counts=[1] * size)
    return buffers.fill("recvbuf", given[0])


def _Scan(buffers: Buffers) -> None:
    if not buffers.has_numbers("sendbuf", "recvbuf"):
        return buffers.as_it_is()
    part, room = _in_place(buffers, "sendbuf", "recvbuf"), buffers.room("recvbuf")
    buffers.plain(sendbuf=np.array(raw(part)), recvbuf=room)
    return buffers.fill("recvbuf", _accumulated(buffers, part, room))


def _Exscan(buffers: Buffers) -> None:
    if not buffers.has_numbers("sendbuf", "recvbuf"):
        return buffers.as_it_is()
    part, room = _in_place(buffers, "sendbuf", "recvbuf"), buffers.room("recvbuf")
    buffers.plain(sendbuf=np.array(raw(part)), recvbuf=room)
    first = buffers.comm.Get_rank() == 0  # where MPI leaves open what stands there
    made = _before(buffers, part, [] if first else [room])
    return None if first else buffers.fill("recvbuf", made[0])


def _Sendrecv_replace(buffers: Buffers) -> None:
    if not buffers.has_numbers("buf"):
        return buffers.as_it_is()
    part, room = buffers.flat("buf"), buffers.room("buf")
    status = buffers.given.get("status") or MPI.Status()
    _send_and_take(buffers, np.array(raw(part)), room, status)
    ways = _ways(buffers, status)
    sent = [] if ways["dest"] is None else [part]
    return _take_in(buffers, "buf", room, status, sent, **ways)


# Requests


class Waiting:
    """A request of the program's, and what is done when it is complete.

    Args:
        request: the request of mpi4py.
        finish: what is done with what waiting for it gives, and its status.
        held: what has to stay as it is until then.
    """

    def __init__(self, request: Any, finish: Callable[[Any, Any], Any], held: Any = None) -> None:
        self.request = request
        self.finish: Any = finish
        self.held = held
        self.found: Any = None

    def wait(self, status: Any = None) -> Any:
        """Wait until it is complete, as ``Request.wait`` and ``Request.Wait`` do."""
        if self.finish is not None:
            status = status or MPI.Status()
            found = self.request.wait(status) if self.held is None else self.request.Wait(status)
            self.found, self.finish = self.finish(found, status), None
        return self.found

    Wait = wait


def _isend(message: Message) -> Waiting:
    parts = _parts(message.tree("obj"))
    request = message.plain()
    _note_sent(message, parts)
    return Waiting(request, lambda found, status: None)


def _require_a_name(message: Message) -> None:
    """Refuse to wait for any message, which may be one of another rank's derivative."""
    if message.from_anybody("source", "tag"):
        raise message.refuse("neither a rank nor a tag", "name the rank, or give the message a tag")


def _irecv(message: Message) -> Waiting:
    _require_a_name(message)
    return Waiting(message.plain(), lambda found, status: _note_received(message, found, status))


def _Isend(buffers: Buffers) -> Any:
    if not buffers.has_numbers("buf"):
        return buffers.plain()
    part = buffers.flat("buf")
    copy = np.array(raw(part))
    request = buffers.plain(buf=copy)
    _note_sent(buffers, [part])
    return Waiting(request, lambda found, status: True, copy)


def _Irecv(buffers: Buffers) -> Any:
    if not buffers.has_numbers("buf") or buffers.given.get("source", 0) == MPI.PROC_NULL:
        return buffers.plain()
    _require_a_name(buffers)
    room = buffers.room("buf")

    def finish(found: Any, status: Any) -> bool:
        _take_in(buffers, "buf", room, status, [])
        return True

    return Waiting(buffers.plain(buf=room), finish, room)


def _wait_for_all(fn: Any, requests: Any, statuses: Any = None) -> Any:
    """Wait for requests, some of which may be of the program's own kind."""
    if statuses is not None or not any(isinstance(r, Waiting) for r in requests):
        return fn(requests, statuses)
    found = [request.wait() for request in requests]
    return True if fn.__name__ == "Waitall" else found


_IN_PIECES = ("Gatherv", "Scatterv", "Allgatherv", "Alltoallv")  # for which counts are given
_WAITING = ("Waitall", "waitall")
_OBJECTS = {
    "send": _send, "ssend": _send, "bsend": _send, "recv": _recv, "sendrecv": _sendrecv,
    "bcast": _bcast, "reduce": _reduce, "allreduce": _allreduce, "gather": _gather,
    "scatter": _scatter, "allgather": _allgather, "alltoall": _alltoall, "scan": _scan,
    "exscan": _exscan,
    "isend": _isend, "issend": _isend, "irecv": _irecv,
}  # fmt: skip
_BUFFERS = {
    "Send": _Send, "Ssend": _Send, "Bsend": _Send, "Recv": _Recv, "Sendrecv": _Sendrecv,
    "Bcast": _Bcast, "Reduce": _Reduce, "Allreduce": _Allreduce, "Gather": _Gather,
    "Scatter": _Scatter, "Allgather": _Allgather, "Alltoall": _Alltoall,
    "Reduce_scatter": _Reduce_scatter, "Reduce_scatter_block": _Reduce_scatter, "Scan": _Scan,
    "Exscan": _Exscan, "Sendrecv_replace": _Sendrecv_replace, "Gatherv": _Gather,
    "Scatterv": _Scatter, "Allgatherv": _Allgather, "Alltoallv": _Alltoall,
    "Isend": _Isend, "Issend": _Isend, "Irecv": _Irecv,
}  # fmt: skip
_SENDING: dict[str, Any] = _OBJECTS | _BUFFERS

__all__ = ["communicate", "communicates", "flush"]
