"""The verifier finds each thing that a pass must not do."""

import operator
from dataclasses import replace

import numpy as np
import pytest

from srcgrad import errors
from srcgrad.ir import verify
from srcgrad.ir.nodes import (
    INDEX_ADD,
    LIST_APPEND,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    OPAQUE,
    PAIR,
    Const,
    Equation,
    If,
    Loop,
    Marker,
    Merge,
    Method,
    Op,
    Var,
)
from srcgrad.ir.operands import operand_problem
from srcgrad.ir.types import INTEGER, REAL, Type
from srcgrad.ir.unassigned import UNDEFINED
from srcgrad.ir.verify import type_problem, verify_backward, verify_function
from srcgrad.transform.parts import Reversed
from tests.ir.lowering import NUMBER, VECTOR, lowered, lowered_and_reversed


def straight(x, y):
    """A product and a sum."""
    s = x * y
    return s + x


def branching(x, y):
    """A branch with one merged value."""
    if y > 0:
        z = x * y
    else:
        z = x + y
    return z


def looping(x, y):
    """A loop with one carried value."""
    for _ in range(3):
        x = x * y
    return x


def summed(x, y):
    """A loop that brings a name into being and adds to another."""
    s = 0.0
    for _ in range(3):
        t = np.sin(x)
        s = s + np.sum(t * y)
    return s


def expect(function, problem):
    """Verify a function and compare what is wrong with it; return the error."""
    with pytest.raises(errors.InternalError) as caught:
        verify_function("a pass", function)
    assert caught.value.what == f"after a pass of {function.source.name}: {problem}"
    return caught.value


def with_body(function, *body):
    """The function with other statements."""
    return replace(function, body=body)


def copied(equation, **changes):
    """The equation with changes."""
    return replace(equation, **changes)


@pytest.fixture
def line():
    """Equations only."""
    return lowered(straight, NUMBER, NUMBER)


@pytest.fixture
def fork():
    """A function with a branch."""
    return lowered(branching, NUMBER, NUMBER)


@pytest.fixture
def round_trip():
    """A function with a loop."""
    return lowered(looping, NUMBER, NUMBER)


def test_what_lowering_makes_is_in_order(line, fork, round_trip):
    """The functions that the other tests spoil have no fault of their own."""
    for function in (line, fork, round_trip):
        verify_function("a pass", function)


def test_the_message_shows_the_equation(line):
    """It names the pass and the function, and prints the equation and its line."""
    product, total = line.body
    error = expect(with_body(line, product, product, total), "s is assigned twice")
    assert error.why == "s: real* = mul(x, y)"
    assert error.spots[0].line.strip() == "s = x * y"
    assert "report it" in error.fixes[0]


def test_reading_before_the_definition(line):
    """Equations stand in the order in which they are computed."""
    expect(with_body(line, *line.body[::-1]), "s is read where it is not defined")


def test_what_an_arm_defines_stays_in_it(fork):
    """Only merges bring something out of an arm."""
    (node,) = (s for s in fork.body if isinstance(s, If))
    expect(replace(fork, result=node.merges[0].then), "z is read where it is not defined")
    crossed = Merge(node.merges[0].out, node.merges[0].orelse, node.merges[0].orelse)
    body = [replace(s, merges=(crossed,)) if s is node else s for s in fork.body]
    expect(with_body(fork, *body), "z is read where it is not defined")


def test_what_an_iteration_defines_stays_in_it(round_trip):
    """Only carried entries bring something out of a loop, or into the next iteration."""
    (loop,) = round_trip.body
    entry = loop.carried[-1]
    for inner in (entry.param, entry.next, loop.index):
        problem = f"{inner.name} is read where it is not defined"
        expect(replace(round_trip, result=inner), problem)
    early = tuple(replace(c, init=c.next) for c in loop.carried)
    problem = f"{loop.carried[0].next.name} is read where it is not defined"
    expect(with_body(round_trip, replace(loop, carried=early)), problem)


def test_the_result_exists(line):
    """A function returns what it computed."""
    expect(replace(line, result=UNDEFINED), "it returns no value")
    stranger = Var("stranger", NUMBER)
    expect(replace(line, result=stranger), "stranger is read where it is not defined")


def test_targets_are_variables(line):
    """And there is at least one."""
    product, total = line.body
    wrong = copied(product, targets=(Const(1.0),))
    expect(with_body(line, wrong, total), "Const(value=1.0) is assigned, which is no variable")
    expect(with_body(line, copied(product, targets=())), "an equation without a target")


def test_operands_are_values(line):
    """Neither something unassigned nor a method that waits for its call."""
    product, total = line.body
    x = product.args[0]
    for bad in (UNDEFINED, Method(x, "sum")):
        wrong = copied(product, args=(x, bad))
        expect(with_body(line, wrong, total), f"the operand {bad!r} is no value")


def test_the_number_of_operands(line):
    """It is that of the operation."""
    product, total = line.body
    expect(with_body(line, copied(product, args=product.args[:1])), "1 operands instead of 2")
    wrong = copied(product, options=(("axis", Const(0)),))
    expect(with_body(line, wrong, total), "the unknown option axis")


def test_merged_values_are_of_one_kind(fork):
    """A number and an array of known rank cannot be one variable of known rank."""
    (node,) = (s for s in fork.body if isinstance(s, If))
    out = Var("z", VECTOR, named=True)
    fork.layout.definitions[out] = fork.layout.definitions[node.merges[0].out]
    merges = (replace(node.merges[0], out=out),)
    body = [replace(s, merges=merges) if s is node else s for s in fork.body]
    error = expect(with_body(fork, *body), "the merge z has another kind than a part")
    assert error.why == "merge z.3: real[n]* = z | z.2"


def test_activity_is_not_lost(line, fork, round_trip):
    """A real value that depends on an active one is active."""
    product, _ = line.body

    def inactive(var, layout):
        made = Var(var.name, var.type.with_active(False), named=True)
        layout.definitions[made] = layout.definitions[var]
        return made

    wrong = copied(product, targets=(inactive(product.targets[0], line.layout),))
    expect(with_body(line, wrong), "the activity of an operand is lost")
    (node,) = (s for s in fork.body if isinstance(s, If))
    merge = replace(node.merges[0], out=inactive(node.merges[0].out, fork.layout))
    body = [replace(s, merges=(merge,)) if s is node else s for s in fork.body]
    expect(with_body(fork, *body), "the merge z loses the activity of a part")
    (loop,) = round_trip.body
    carried = tuple(
        replace(c, out=inactive(c.out, round_trip.layout)) if c.out.type.active else c
        for c in loop.carried
    )
    problem = "the carried x loses the activity of a part"
    expect(with_body(round_trip, replace(loop, carried=carried)), problem)


def test_activity_does_not_come_from_nowhere(line):
    """Nothing is active that has no active operand."""
    product, total = line.body
    wrong = copied(product, args=(Const(1.0), Const(2.0)))
    expect(with_body(line, wrong, total), "s is active, and no operand is")


def test_the_layout_knows_where_things_are(line, round_trip):
    """The planner of residuals looks every variable up in it."""
    product, total = line.body
    made = Var("s", NUMBER, named=True)
    wrong = copied(product, targets=(made,))
    expect(with_body(line, wrong, total), "the layout does not know s")
    (loop,) = round_trip.body
    definitions = line.layout.definitions
    s = product.targets[0]
    definitions[s] = replace(definitions[s], frame=loop.frame)
    expect(line, "the layout has s in another region")
    expect(
        with_body(round_trip, replace(loop, frame=None)),
        "a region that does not stand in the one around it",
    )


@pytest.mark.parametrize(
    ("type_", "problem"),
    [
        (Type("vector"), "the unknown kind vector"),
        (Type("array", (), "double"), "the unknown element type double"),
        (Type("scalar", (3,), "f"), "a number with dimensions"),
        (Type("list", (3, 2)), "a list of another length than one number"),
        (Type("array", element=REAL), "elements of kind array"),
        (Type("array", (-1,), "f"), "the impossible shape (-1,)"),
        (INTEGER.with_active(True), "an active value of integers or booleans"),
        (REAL, None),
        (VECTOR, None),
        (Type("list", element=(REAL, VECTOR)), None),
    ],
)
def test_types(type_, problem):
    """A type that nothing can have is found wherever it is given to a variable."""
    assert type_problem(type_) == problem


def variable(type_=REAL):
    """A variable of some type."""
    return Var("v", type_)


PAIRS = Type("list", element=(REAL, VECTOR))


@pytest.mark.parametrize(
    ("targets", "fn", "args", "payload", "problem"),
    [
        (1, INDEX_ADD, 3, None, None),
        (1, INDEX_ADD, 2, None, "2 operands instead of 3"),
        (2, INDEX_ADD, 3, None, "2 targets instead of 1"),
        (1, OPAQUE, 5, None, None),
        (2, OPAQUE, 5, None, None),
        (1, LIST_APPEND, 3, (REAL, VECTOR), None),
        (1, LIST_APPEND, 2, (REAL, VECTOR), "2 operands instead of 3"),
        (1, LIST_APPEND, 2, (REAL, None), None),
        (3, LIST_POP, 1, (REAL, VECTOR), None),
        (2, LIST_POP, 1, (REAL, VECTOR), "2 targets instead of 3"),
        (2, Marker("new"), 1, None, "the unknown operation new"),
        (1, np.sum, 1, None, None),
        (1, len, 2, None, "too many positional arguments"),
    ],
)
def test_operands_of_operations(targets, fn, args, payload, problem):
    """Markers and functions take what they take."""
    equation = Equation(
        tuple(variable() for _ in range(targets)),
        Op(fn),
        tuple(variable() for _ in range(args)),
        payload=payload,
    )
    assert operand_problem(equation) == problem


def test_operands_of_lists():
    """Elements come and go with all their leaves."""
    pairs = variable(PAIRS)
    made = Equation((pairs,), Op(LIST_NEW), tuple(variable() for _ in range(3)))
    assert operand_problem(made) == "3 operands for elements of 2 leaves"
    assert operand_problem(replace(made, args=made.args[:2])) is None
    read = Equation((variable(),), Op(LIST_ITEM), (pairs, Const(0)))
    assert operand_problem(read) == "1 targets instead of 2"


def test_operands_of_calls():
    """A call passes what the function takes, and takes what it returns."""
    function = lowered(caller, NUMBER, NUMBER)
    (call,) = (e for e in function.body if e.op.fn is PAIR)
    assert operand_problem(call) is None
    assert operand_problem(replace(call, args=call.args[:1])) == "1 operands instead of 2"
    assert operand_problem(replace(call, targets=call.targets * 2)) == "2 targets instead of 1"


def caller(x, y):
    """A function that calls another one."""
    return straight(x, y) + 1.0


# backward blocks


def expect_backward(function, part, problem, block=None, **options):
    """Verify a backward block and compare what is wrong with it."""
    made = part.block if block is None else block
    with pytest.raises(errors.InternalError) as caught:
        verify_backward("a pass", function, part, made, part.cotangents.values(), **options)
    assert caught.value.what == f"after a pass of {function.source.name}: {problem}"


def equation(fn, *args, target=None):
    """An equation of a backward block."""
    return Equation((target or Var("made", NUMBER),), Op(fn), args)


@pytest.fixture
def halves():
    """A forward part and its backward part, with a loop."""
    return lowered_and_reversed(summed, VECTOR, VECTOR)


def test_what_the_reverse_pass_makes_is_in_order(halves):
    """The block that the other tests spoil has no fault of its own."""
    function, part = halves
    verify_backward("a pass", function, part, part.block, part.cotangents.values())


def test_a_forward_region_is_read_from_its_mirror_only(halves):
    """Outside of the loop it is not known which iteration is meant."""
    function, part = halves
    (loop,) = (s for s in function.body if isinstance(s, Loop))
    inner = loop.body[1].targets[0]
    block = (*part.block, equation(np.sum, inner))
    expect_backward(function, part, f"{inner.name} is read where it is not defined", block)


def test_a_name_that_the_loop_brings_into_being_has_no_first_value(halves):
    """At the start of an iteration it may not be assigned."""
    function, part = halves
    (mirror,) = (s for s in part.block if isinstance(s, Loop))
    (unset,) = (c.param for c in mirror.header.carried if c.param.name == "t")
    body = (*mirror.body, equation(np.sum, unset))
    block = tuple(replace(s, body=body) if s is mirror else s for s in part.block)
    expect_backward(function, part, "t is read where it is not defined", block)


def test_a_backward_loop_mirrors_a_forward_loop(halves):
    """It goes back through one, and counts with its index."""
    function, part = halves
    (mirror,) = (s for s in part.block if isinstance(s, Loop))

    def spoilt(**changes):
        return tuple(replace(s, **changes) if s is mirror else s for s in part.block)

    problem = "a loop that goes back through no loop of the forward part"
    expect_backward(function, part, problem, spoilt(header=None))
    problem = "a backward loop with an index of its own"
    expect_backward(function, part, problem, spoilt(index=Var("j", INTEGER)))


def test_a_backward_branch_mirrors_a_forward_branch():
    """Its arms are the regions of the arms that were taken."""
    function, part = lowered_and_reversed(branching, NUMBER, NUMBER)
    block = tuple(replace(s, frames=(None, None)) if isinstance(s, If) else s for s in part.block)
    problem = "a region that does not stand in the one around it"
    expect_backward(function, part, problem, block)


def test_forward_variables_are_not_assigned_again(halves):
    """A backward block has variables of its own."""
    function, part = halves
    ((_, x), _) = function.params
    block = (*part.block, equation(operator.neg, x, target=x))
    expect_backward(function, part, "x is assigned twice", block)


def test_forward_operations_do_not_stand_in_backward_blocks(halves):
    """They are taken apart by the reverse pass."""
    function, part = halves
    block = (*part.block, equation(OPAQUE))
    expect_backward(function, part, "an operation that stands in forward parts only", block)


def test_a_cotangent_has_the_rank_of_its_variable(halves):
    """Else something was not summed over the axes it was broadcast to."""
    function, part = halves
    ((_, x), _) = function.params
    spoilt = Reversed(part.block, part.seeds, {x: Const(1.0)}, {}, {})
    expect_backward(function, spoilt, "the cotangent of x is not of its kind")


def test_results_are_defined(halves):
    """What is returned was computed."""
    function, part = halves
    ((_, x), _) = function.params
    spoilt = Reversed(part.block, part.seeds, {x: Var("x_bar", VECTOR)}, {}, {})
    expect_backward(function, spoilt, "x_bar is read where it is not defined")


def test_simplified_code_has_no_dead_statement(halves):
    """The order of the passes sees to it that nothing is left over."""
    function, part = halves
    ((_, x), _) = function.params
    block = (*part.block, equation(operator.neg, x))
    verify_backward("a pass", function, part, block, part.cotangents.values())
    expect_backward(function, part, "a statement that no result needs", block, simplified=True)


def test_users_pay_for_lowering_only(line, monkeypatch):
    """What lowering gives is always verified; the rest is where somebody switches it on."""
    monkeypatch.setattr(verify, "backward", None)
    verify_backward("a pass", line, None, (), ())
    with pytest.raises(errors.InternalError):
        verify_function("a pass", with_body(line, *line.body[::-1]))


def test_the_rest_is_off_by_default():
    """A fresh process does not verify what the passes behind lowering make."""
    import subprocess
    import sys

    code = "from srcgrad.ir import verify; print(verify.backward, verify.tangents)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None None"
