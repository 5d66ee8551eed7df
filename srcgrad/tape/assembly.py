"""Code objects taken apart into instructions, and put together again.

What each instruction does to the stack is followed, so that instructions can be replaced by
others that need the same operands.
"""

from __future__ import annotations

import dis
import opcode
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

VALUE = -1  # on a stack: a value; what is not negative is nothing, and the instruction it is from
_CACHES: Any = opcode._inline_cache_entries  # type: ignore[attr-defined]  # noqa: SLF001
_JUMPS = frozenset(opcode.hasjrel) | frozenset(opcode.hasjabs)
# after which the next instruction is reached by jumps only
_ENDS = frozenset(
    {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD"}
    | {"JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "INTERPRETER_EXIT"}
)
_LONG, _NO_COLUMNS, _NOWHERE = 14, 13, 15  # forms of the entries of a table of places


class UnknownCode(Exception):
    """Instructions whose effect is not known."""


class Step(NamedTuple):
    """An instruction.

    Attributes:
        name: its name.
        arg: its argument.
        target: the number of the instruction that it may jump to.
        place: first line, last line, first column, last column.
    """

    name: str
    arg: int = 0
    target: int | None = None
    place: Any = (None, None, None, None)


class Protected(NamedTuple):
    """Instructions whose exceptions are handled.

    Attributes:
        start: the number of the first one.
        end: the number after that of the last one.
        handler: the number of the instruction that handles them.
        depth: how much of the stack is left to that.
        position: whether where the exception was raised is put on it.
    """

    start: int
    end: int
    handler: int
    depth: int
    position: bool


def taken_apart(code: types.CodeType) -> tuple[list[Step], list[Protected]]:
    """Return the instructions of code, and which of their exceptions are handled where."""
    found: list[tuple[dis.Instruction, int]] = []
    numbers: dict[int, int] = {}
    start = None
    for instruction in dis.get_instructions(code):
        start = instruction.offset if start is None else start
        if instruction.opname != "EXTENDED_ARG":
            numbers[start] = len(found)
            found.append((instruction, start))
            start = None
    numbers[len(code.co_code)] = len(found)
    steps = []
    for instruction, _ in found:
        jumps = instruction.opcode in _JUMPS
        target = numbers[instruction.argval] if jumps else None
        place = tuple(instruction.positions or (None,) * 4)
        steps.append(Step(instruction.opname, instruction.arg or 0, target, place))
    protected = [
        Protected(numbers[first], numbers[first + length], numbers[to], depth >> 1, bool(depth & 1))
        for first, length, to, depth in _handlers(code.co_exceptiontable)
    ]
    return steps, protected


def stacks(steps: list[Step], protected: list[Protected]) -> list[tuple[int, ...] | None]:
    """Return what is on the stack before each instruction; None for what is never reached.

    Raises:
        UnknownCode: when that depends on the way there.
    """
    found: list[tuple[int, ...] | None] = [None] * len(steps)
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while waiting:
        number, stack = waiting.pop()
        if number >= len(steps) or (found[number] is not None and found[number] != stack):
            raise UnknownCode
        if found[number] is not None:
            continue
        found[number] = stack
        step = steps[number]
        for part in protected:
            if part.start <= number < part.end:
                if part.depth > len(stack):
                    raise UnknownCode
                raised = (VALUE,) * (1 + part.position)
                waiting.append((part.handler, stack[: part.depth] + raised))
        if step.target is not None:
            waiting.append((step.target, _after(number, step, stack, True)))
        if step.name not in _ENDS:
            waiting.append((number + 1, _after(number, step, stack, False)))
    return found


def _after(number: int, step: Step, stack: tuple[int, ...], jump: bool) -> tuple[int, ...]:
    """Return what is on the stack after an instruction."""
    name, arg = step.name, step.arg
    if name == "PUSH_NULL":
        return (*stack, number)
    if name in OF_METHODS and pushes_nothing(step):
        made = stack[: len(stack) - OF_METHODS[name]]
        return (*made, *((VALUE, number) if NOTHING_LAST else (number, VALUE)))
    if name == "SWAP":
        parts = list(stack)
        parts[-1], parts[-arg] = parts[-arg], parts[-1]
        return tuple(parts)
    if name == "COPY":
        if stack[-arg] != VALUE:
            raise UnknownCode
        return (*stack, VALUE)
    if name == "RETURN_GENERATOR":  # what is sent to start the generator
        return (*stack, VALUE)
    if name in ("PRECALL", "KW_NAMES"):  # the first counts in other versions what CALL does
        return stack
    operands = OPERANDS_OF_CALLS.get(name)
    if operands is not None:
        count = operands(arg)
        if count > len(stack):
            raise UnknownCode
        return (*stack[: len(stack) - count], VALUE)
    takes_argument = dis.opmap[name] >= dis.HAVE_ARGUMENT
    effect = dis.stack_effect(dis.opmap[name], arg if takes_argument else None, jump=jump)
    if effect >= 0:
        return stack + (VALUE,) * effect
    if -effect > len(stack) or any(part != VALUE for part in stack[effect:]):
        raise UnknownCode
    return stack[:effect]


NOTHING_LAST = "CALL_KW" in dis.opmap  # since 3.13: behind what is called, not before it
# what may put what is called on the stack, with how many operands it takes
OF_METHODS = {"LOAD_GLOBAL": 0, "LOAD_METHOD": 1, "LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 3}
OPERANDS_OF_CALLS = {
    "CALL": lambda arg: arg + 2,
    "CALL_KW": lambda arg: arg + 3,
    "CALL_FUNCTION_EX": lambda arg: 3 + (arg & 1),
}


def pushes_nothing(step: Step) -> bool:
    """Tell whether an instruction puts what is called on the stack, and nothing beside it."""
    if step.name == "LOAD_METHOD":
        return True
    whole = step.name == "LOAD_ATTR" and "LOAD_SUPER_ATTR" not in dis.opmap  # before 3.12
    return step.name in OF_METHODS and not whole and bool(step.arg & 1)


def put_together(
    code: types.CodeType,
    groups: list[list[Step]],
    protected: list[Protected],
    consts: list[Any],
) -> types.CodeType:
    """Return code with other instructions.

    Args:
        code: the code.
        groups: for each of its instructions what stands in its place; targets are numbers
            of the instructions that it had.
        protected: which exceptions are handled where, by these numbers.
        consts: its constants.
    """
    firsts = [0]
    for group in groups:
        firsts.append(firsts[-1] + len(group))
    steps = [
        step if step.target is None else step._replace(target=firsts[step.target])
        for group in groups
        for step in group
    ]
    handled = [
        part._replace(start=firsts[part.start], end=firsts[part.end], handler=firsts[part.handler])
        for part in protected
    ]
    depth = max((len(stack) for stack in stacks(steps, handled) if stack is not None), default=0)
    steps, starts = _with_jumps(steps)
    units = bytearray()
    for step in steps:
        units += _encoded(step)
    return code.replace(
        co_code=bytes(units),
        co_consts=tuple(consts),
        co_stacksize=max(depth + 2, code.co_stacksize),
        co_exceptiontable=_table_of(handled, starts),
        co_linetable=_places(steps, starts, code.co_firstlineno),
    )


def _with_jumps(steps: list[Step]) -> tuple[list[Step], list[int]]:
    """Return instructions with the arguments of their jumps, and where each begins, in units.

    Raises:
        UnknownCode: when a jump would go the other way.
    """
    steps = [step if step.target is None else step._replace(arg=0) for step in steps]
    while True:
        starts = [0]
        for step in steps:
            starts.append(starts[-1] + _size(step))
        made = []
        for number, step in enumerate(steps):
            if step.target is not None:
                way = starts[step.target] - starts[number + 1]
                way = -way if "BACKWARD" in step.name else way
                if way < 0:
                    raise UnknownCode
                step = step._replace(arg=way)
            made.append(step)
        if made == steps:
            return made, starts
        steps = made


def _caches(name: str) -> int:
    return _CACHES.get(name, 0) if isinstance(_CACHES, dict) else _CACHES[dis.opmap[name]]


def _extensions(arg: int) -> int:
    return max(arg.bit_length() - 1, 0) // 8


def _size(step: Step) -> int:
    return 1 + _extensions(step.arg) + _caches(step.name)


def _encoded(step: Step) -> bytes:
    made = bytearray()
    for shift in range(8 * _extensions(step.arg), 0, -8):
        made += bytes([dis.opmap["EXTENDED_ARG"], step.arg >> shift & 255])
    made += bytes([dis.opmap[step.name], step.arg & 255])
    return bytes(made) + bytes(2 * _caches(step.name))


# The table of exceptions: numbers of six bits in each byte, the highest first


def _handlers(table: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield the first byte, the length, the handler and the depth of each entry."""
    numbers, current = [], 0
    for byte in table:
        current = current << 6 | byte & 63
        if not byte & 64:
            numbers.append(current)
            current = 0
    for k in range(0, len(numbers), 4):
        start, length, handler, depth = numbers[k : k + 4]
        yield 2 * start, 2 * length, 2 * handler, depth


def _table_of(protected: list[Protected], starts: list[int]) -> bytes:
    made = bytearray()
    for part in protected:
        first, end = starts[part.start], starts[part.end]
        if first == end:
            continue
        depth = part.depth << 1 | part.position
        entry = [first, end - first, starts[part.handler], depth]
        words = [_number(value, high_first=True) for value in entry]
        words[0] = bytes([words[0][0] | 128]) + words[0][1:]  # where an entry begins
        made += b"".join(words)
    return bytes(made)


def _number(value: int, high_first: bool = False) -> bytes:
    """Return a number in bytes with six bits each; a further bit says that there are more."""
    parts = [value & 63]
    while value := value >> 6:
        parts.append(value & 63)
    if high_first:
        parts.reverse()
    return bytes([part | 64 for part in parts[:-1]] + parts[-1:])


# The table of places


def _places(steps: list[Step], starts: list[int], line: int) -> bytes:
    """Return the table of the lines and columns of instructions."""
    made = bytearray()
    k = 0
    while k < len(steps):
        first, place = k, steps[k].place
        while k < len(steps) and steps[k].place == place:
            k += 1
        left = starts[k] - starts[first]
        while left:
            length = min(left, 8)
            left -= length
            start, end, column, last = place
            if start is None:
                made.append(128 | _NOWHERE << 3 | length - 1)
                continue
            rest: list[Any] = [end, column, last]
            whole = None not in rest
            made.append(128 | (_LONG if whole else _NO_COLUMNS) << 3 | length - 1)
            delta, line = start - line, start
            made += _number(-delta << 1 | 1 if delta < 0 else delta << 1)
            if whole:
                made += _number(rest[0] - start) + _number(rest[1] + 1) + _number(rest[2] + 1)
    return bytes(made)
