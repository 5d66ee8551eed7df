"""Code whose text is not known, rewritten so that what it does can be recorded.

The same as ``syntax``, instruction by instruction: calls, operators, subscripts, attributes and
writes become calls of the functions that stand in rewritten code. In the place of each such
instruction its operands are put into a tuple, which is the index of an object: getting that
entry of it calls the function.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from srcgrad.errors import ArgumentError
from srcgrad.runtime.intercepting import on_backward
from srcgrad.tape.assembly import (
    NOTHING_LAST,
    OF_METHODS,
    OPERANDS_OF_CALLS,
    VALUE,
    Step,
    UnknownCode,
    put_together,
    stacks,
    taken_apart,
)
from srcgrad.tape.session import state

_VERSIONS = ((3, 11), (3, 12), (3, 13))  # of Python, whose instructions are those below
_BITS = sys.version_info >= (3, 12)  # whether the numbers of names stand before other bits

_BINARY = (
    "add", "and_", "floordiv", "lshift", "matmul", "mul", "mod", "or_", "pow", "rshift", "sub",
    "truediv", "xor",
)  # fmt: skip

# Instructions in the place of which functions are called: with how many operands, and whether
# what these give is put on the stack
_CALLED: dict[str, tuple[str, int, bool]] = {
    "BINARY_SUBSCR": ("item", 2, True),
    "STORE_SUBSCR": ("store", 3, False),
    "BINARY_SLICE": ("item_of_slice", 3, True),
    "STORE_SLICE": ("store_slice", 4, False),
    "UNARY_NEGATIVE": ("neg", 1, True),
    "UNARY_POSITIVE": ("pos", 1, True),
    "UNARY_INVERT": ("invert", 1, True),
}

# Instructions an operand of which is seen first: by which function, and how deep it is on the stack
_SEEN: dict[str, tuple[str, int]] = {
    "GET_ITER": ("over", 1),
    "GET_YIELD_FROM_ITER": ("over", 1),
    "GET_AITER": ("through", 1),
    "UNPACK_SEQUENCE": ("through", 1),
    "UNPACK_EX": ("through", 1),
    "LIST_EXTEND": ("through", 1),
    "SET_UPDATE": ("through", 1),
    "RETURN_VALUE": ("through", 1),
    "YIELD_VALUE": ("through", 1),
    "BEFORE_WITH": ("through", 1),
    "BEFORE_ASYNC_WITH": ("through", 1),
    "FORMAT_SIMPLE": ("through", 1),
    "CONVERT_VALUE": ("through", 1),
    "FORMAT_WITH_SPEC": ("through", 2),
    "MATCH_CLASS": ("through", 3),
    "CHECK_EXC_MATCH": ("caught", 1),
    "CHECK_EG_MATCH": ("caught", 1),
}

# Instructions that do the same with what is differentiated as with other values
_NAMES = """
ASYNC_GEN_WRAP BUILD_CONST_KEY_MAP BUILD_LIST BUILD_MAP BUILD_SET BUILD_SLICE BUILD_STRING
BUILD_TUPLE CALL_INTRINSIC_1 CALL_INTRINSIC_2 CLEANUP_THROW
COMPARE_OP CONTAINS_OP COPY COPY_FREE_VARS DELETE_ATTR DELETE_DEREF DELETE_FAST DELETE_GLOBAL
DELETE_NAME DELETE_SUBSCR DICT_MERGE DICT_UPDATE END_ASYNC_FOR END_FOR END_SEND FOR_ITER
GET_ANEXT GET_AWAITABLE GET_LEN IMPORT_FROM IMPORT_NAME IMPORT_STAR IS_OP JUMP_BACKWARD
JUMP_BACKWARD_NO_INTERRUPT JUMP_FORWARD JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP LIST_APPEND
LIST_TO_TUPLE LOAD_ASSERTION_ERROR LOAD_BUILD_CLASS LOAD_CLASSDEREF LOAD_CLOSURE LOAD_CONST
LOAD_DEREF LOAD_FAST LOAD_FAST_AND_CLEAR LOAD_FAST_CHECK LOAD_FAST_LOAD_FAST
LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_LOCALS LOAD_NAME MAKE_CELL
MAKE_FUNCTION MAP_ADD MATCH_KEYS MATCH_MAPPING NOP POP_EXCEPT
POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE
POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE
POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE
POP_JUMP_IF_NOT_NONE POP_JUMP_IF_TRUE POP_TOP PREP_RERAISE_STAR PUSH_EXC_INFO RAISE_VARARGS
RERAISE RESUME RETURN_CONST RETURN_GENERATOR SEND SETUP_ANNOTATIONS SET_ADD
SET_FUNCTION_ATTRIBUTE STORE_DEREF STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST
STORE_GLOBAL STORE_NAME SWAP TO_BOOL UNARY_NOT WITH_EXCEPT_START
"""
_LEFT = frozenset(_NAMES.split())
_POSITIVE = 5  # the number that +x has among the functions of CALL_INTRINSIC_1


class Called:
    """What calls a function when an entry of it is asked for.

    Args:
        fn: the function.
        single: whether the index is its only argument, and not a tuple of its arguments.
    """

    def __init__(self, fn: Callable[..., Any], single: bool) -> None:
        self.fn = fn
        self.single = single

    def __getitem__(self, given: Any) -> Any:
        return self.fn(given) if self.single else self.fn(*given)


def rewritten(code: types.CodeType, helpers: dict[str, Any]) -> types.CodeType | None:
    """Return the code of a function, rewritten; None where an instruction of it is not known.

    Args:
        code: the code.
        helpers: the functions that stand in rewritten code, by name.
    """
    if sys.version_info[:2] not in _VERSIONS:
        return None
    try:
        return _Rewriting(code, helpers).made()
    except UnknownCode:
        return None


class _Rewriting:
    """The rewriting of one code object."""

    def __init__(self, code: types.CodeType, helpers: dict[str, Any]) -> None:
        self.code = code
        self.helpers = helpers | _more(helpers)
        self.consts = list(code.co_consts)
        self.steps, self.protected = taken_apart(code)
        self.stacks = stacks(self.steps, self.protected)
        self.numbers: dict[Any, int] = {}  # of constants that were added
        self.place: Any = None

    def made(self) -> types.CodeType:
        """Return the new code."""
        for k, part in enumerate(self.consts):
            if isinstance(part, types.CodeType):
                inner = rewritten(part, self.helpers)
                if inner is None:
                    raise UnknownCode
                self.consts[k] = inner
        self.direct = {}  # what stays as it is on the stack, by the function's instruction
        for number, step in enumerate(self.steps):
            if step.name in OPERANDS_OF_CALLS and self._origin(number) != VALUE:
                self._find_direct(number)
        groups = []
        for number, step in enumerate(self.steps):
            self.place = step.place
            if self.stacks[number] is None:  # it is never reached
                groups.append([Step("NOP", place=step.place)])
                continue
            groups.append(self._in_place_of(number, step))
        protected = []
        for part in self.protected:
            depths = {
                sum(self._stays(x) for x in stack[: part.depth])
                for stack in self.stacks[part.start : part.end]
                if stack is not None
            }
            if len(depths) > 1:
                raise UnknownCode
            if depths:
                protected.append(part._replace(depth=depths.pop()))
        return put_together(self.code, groups, protected, self.consts)

    def _stays(self, origin: int) -> bool:
        """Tell whether an entry of the stack is still there in the new code."""
        return origin == VALUE or origin in self.direct

    # Calls

    def _origin(self, number: int) -> int:
        """Return which instruction put nothing beside what a call calls; VALUE for none."""
        stack = self.stacks[number]
        if stack is None:
            return VALUE
        step = self.steps[number]
        below = OPERANDS_OF_CALLS[step.name](step.arg)
        return stack[-below + 1] if NOTHING_LAST else stack[-below]

    def _name_of(self, origin: int) -> tuple[str, int]:
        """Return the name of a function that is called, and the instruction that reads it."""
        number = origin
        if self.steps[origin].name == "PUSH_NULL":
            number += -1 if NOTHING_LAST else 1
        step = self.steps[number]
        if step.name == "LOAD_GLOBAL":
            return self.code.co_names[step.arg >> 1], number
        if step.name == "LOAD_NAME":
            return self.code.co_names[step.arg], number
        return "", number

    def _find_direct(self, number: int) -> None:
        """Note a call that is left as it is."""
        origin = self._origin(number)
        name, reads = self._name_of(origin)
        if name == "breakpoint":  # which stops in the frame that it stands in
            self.direct[origin] = reads

    def _call(self, number: int, step: Step) -> list[Step]:
        """Return what stands in the place of a call."""
        origin = self._origin(number)
        names = step.name == "CALL_KW" or self._before(number).name == "KW_NAMES"
        if step.name == "CALL_FUNCTION_EX":
            if origin in self.direct:
                return [step]
            return self._apply("call_spread", 2 + (step.arg & 1))
        count = step.arg + (origin == VALUE)
        if origin in self.direct:
            made = [step]
            if self.steps[number - 1].name == "PRECALL":
                made = [self.steps[number - 1], step]
            return made
        if origin == VALUE and self._stands_alone(number, step):
            return [self.steps[number - 1], step] if self._with_precall(number) else [step]
        if origin != VALUE and self._name_of(origin)[0] == "super" and not count:
            made = self._arguments_of_super()
            if made is not None:
                return [*made, *self._apply("super", 3)]
        return self._apply("call_named" if names else "called", 1 + count + names)

    def _with_precall(self, number: int) -> bool:
        return self.steps[number - 1].name == "PRECALL"

    def _before(self, number: int) -> Step:
        """Return the instruction before a call."""
        return self.steps[number - 1 - self._with_precall(number)]

    def _stands_alone(self, number: int, step: Step) -> bool:
        """Tell whether a call is not written as one: of a comprehension, or at the end of with."""
        last = number - self._with_precall(number)
        before = self.steps[max(last - 3, 0) : last]
        if step.arg == 0 and before and before[-1].name in ("GET_ITER", "GET_AITER"):
            return True
        none = [p.name == "LOAD_CONST" and self.consts[p.arg] is None for p in before]
        return step.arg == 2 and len(none) == 3 and all(none)

    def _arguments_of_super(self) -> list[Step] | None:
        """Return what loads the arguments that ``super()`` finds in its frame."""
        code = self.code
        if "__class__" not in code.co_freevars or not code.co_argcount:
            return None
        cells = [name for name in code.co_cellvars if name not in code.co_varnames]
        place = code.co_nlocals + len(cells) + code.co_freevars.index("__class__")
        own = "LOAD_DEREF" if code.co_varnames[0] in code.co_cellvars else "LOAD_FAST"
        return self._at([Step("LOAD_DEREF", place), Step(own, 0)])

    # Other instructions

    def _in_place_of(self, number: int, step: Step) -> list[Step]:
        """Return what stands in the place of an instruction."""
        name, arg = step.name, step.arg
        if name in OPERANDS_OF_CALLS:
            return self._call(number, step)
        if name == "PRECALL":
            return []
        if name == "KW_NAMES":
            call = number + 1 + (self.steps[number + 1].name == "PRECALL")
            if self._origin(call) in self.direct:
                return [step]
            return [step._replace(name="LOAD_CONST")]
        if name == "PUSH_NULL":
            return [step] if number in self.direct else []
        if name in OF_METHODS:
            return self._read(number, step)
        if number in self.direct.values():
            return [step, *self._apply("of_frame", 1)]
        if name in _CALLED:
            helper, count, gives = _CALLED[name]
            return [*self._apply(helper, count), *([] if gives else self._at([Step("POP_TOP")]))]
        if name == "BINARY_OP":
            if arg < len(_BINARY):
                return self._apply(_BINARY[arg], 2)
            return self._apply(f"in_place_{_BINARY[arg - len(_BINARY)].rstrip('_')}", 2)
        if name == "STORE_ATTR":
            label = self._const(self.code.co_names[arg])
            made = [Step("LOAD_CONST", label), *self._apply("set_attribute", 3), Step("POP_TOP")]
            return self._at(made)
        if name == "MATCH_SEQUENCE":  # it asks the class, which is that of all that is recorded
            return [*self._at([Step("COPY", 1)]), *self._apply("is_sequence", 1)]
        if name == "CALL_INTRINSIC_1" and arg == _POSITIVE:
            return self._apply("pos", 1)
        if name == "IS_OP":
            return [*self._beneath(2, self._apply("itself", 1)), *self._apply("itself", 1), step]
        if name == "CONTAINS_OP":
            return [*self._apply("searched", 1), step]
        if name == "FORMAT_VALUE":
            return [*self._beneath(2 if arg & 4 else 1, self._apply("through", 1)), step]
        if name in _SEEN and not self._delegates(number):
            helper, depth = _SEEN[name]
            return [*self._beneath(depth, self._apply(helper, 1)), step]
        if name in _LEFT or name in _SEEN:
            return [step]
        raise UnknownCode

    def _delegates(self, number: int) -> bool:
        """Tell whether an instruction yields what another generator yields.

        Python's own generators rely on the instruction before it.
        """
        return self.steps[number].name == "YIELD_VALUE" and self.steps[number - 1].name == "SEND"

    def _read(self, number: int, step: Step) -> list[Step]:
        """Return what stands in the place of an instruction that may put nothing on the stack."""
        name, arg = step.name, step.arg
        if name == "LOAD_GLOBAL":
            made = [step._replace(arg=arg & ~1)]
            if number in self.direct.values():
                made += self._apply("of_frame", 1)
            if number in self.direct:
                nothing = self._at([Step("PUSH_NULL")])
                made = made + nothing if NOTHING_LAST else nothing + made
            return made
        shift = 0
        if name == "LOAD_ATTR" and _BITS:
            shift = 1
        elif name == "LOAD_SUPER_ATTR":
            shift = 2
        label = self._at([Step("LOAD_CONST", self._const(self.code.co_names[arg >> shift]))])
        if name == "LOAD_SUPER_ATTR":
            written = "attribute_of_super" if arg & 2 else "attribute_of_bare_super"
            return [*label, *self._apply(written, 4)]
        return [*label, *self._apply("attribute", 2)]

    # Words of the new code

    def _const(self, value: Any) -> int:
        """Return the number of a constant, which is added."""
        key = type(value), value
        if key not in self.numbers:
            self.numbers[key] = len(self.consts)
            self.consts.append(value)
        return self.numbers[key]

    def _apply(self, helper: str, count: int) -> list[Step]:
        """Return what puts what a function gives in the place of its arguments on the stack."""
        key = helper, count == 1
        if key not in self.numbers:
            self.numbers[key] = len(self.consts)
            self.consts.append(Called(self.helpers[helper], count == 1))
        fn = Step("LOAD_CONST", self.numbers[key])
        first = [] if count == 1 else [Step("BUILD_TUPLE", count)]
        return self._at([*first, fn, Step("SWAP", 2), Step("BINARY_SUBSCR")])

    def _beneath(self, depth: int, steps: list[Step]) -> list[Step]:
        """Return what does something to an entry of the stack as if it were the last one."""
        swap = self._at([Step("SWAP", depth)]) if depth > 1 else []
        return [*swap, *self._at(steps), *swap]

    def _at(self, steps: list[Step]) -> list[Step]:
        return [step._replace(place=self.place) for step in steps]


def _more(helpers: dict[str, Any]) -> dict[str, Any]:
    """Return the functions that only instructions need, by name."""
    call, item, store = helpers["call"], helpers["item"], helpers["store"]

    def called(fn: Any, *args: Any, **options: Any) -> Any:
        if fn is on_backward and state.session is not None:
            raise ArgumentError(
                "on_backward is called in a function whose source text cannot be had",
                why="What goes on under the name of the value is not known without the text.",
                fixes=["write the function to a file"],
            )
        return call(fn, *args, **options)

    def call_named(*given: Any) -> Any:
        *args, names = given
        first = len(args) - len(names)
        return called(*args[:first], **dict(zip(names, args[first:], strict=True)))

    def call_spread(fn: Any, args: Any, options: Any = None) -> Any:
        return called(fn, *helpers["through"](args), **(options or {}))

    def of_super(fn: Any, cls: Any, own: Any) -> Any:
        return super(cls, own) if fn is super else call(fn)

    def attribute_of_super(fn: Any, cls: Any, own: Any, name: str) -> Any:
        found = super(cls, own) if fn is super else call(fn, cls, own)
        return helpers["attribute"](found, name)

    def attribute_of_bare_super(fn: Any, cls: Any, own: Any, name: str) -> Any:
        return helpers["attribute"](of_super(fn, cls, own), name)

    def of_frame(fn: Any) -> Any:
        return fn if fn is builtins.breakpoint else functools.partial(call, fn)

    made = {
        "call_named": call_named,
        "call_spread": call_spread,
        "called": called,
        "super": of_super,
        "attribute_of_super": attribute_of_super,
        "attribute_of_bare_super": attribute_of_bare_super,
        "of_frame": of_frame,
        "item_of_slice": lambda holder, start, stop: item(holder, slice(start, stop)),
        "store_slice": lambda value, holder, start, stop: store(value, holder, slice(start, stop)),
    }
    for name in _BINARY:
        op = f"i{name.rstrip('_')}"
        made[f"in_place_{op[1:]}"] = functools.partial(helpers["in_place"], op)
    return made
