"""The same source gives the same text: in every process, whatever was transformed before."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests import rotation
from tests.generated_texts import generate

ROOT = Path(__file__).resolve().parents[1]
# Sets of names and of variables, loops, branches, lists, writes, calls, formulas out of line.
NAMES = (
    "branches.nested_branches[tf]",
    "branches.different_names_in_each_branch[first]",
    "broadcasting.standardisation",
    "calls.helper_of_different_arguments",
    "calls.helper_in_a_loop",
    "calls.nested_tuple_result",
    "calls.recursion[3]",
    "closures.captured_intermediate",
    "closures.integral_with_a_parameter_and_active_limits",
    "elementwise.functions_of_two_arguments",
    "exits.break_continue_and_return_in_one_loop[2]",
    "exits.return_of_an_array_in_a_loop[returns]",
    "expressions.conditional_expression_of_arrays",
    "indexing.springs_between_points",
    "integrators.runge_kutta_of_lotka_volterra",
    "integrators.gravity_between_bodies",
    "iteration.over_a_list",
    "local_writes.cholesky_by_columns",
    "loops.sum_of_a_sum",
    "models.kalman_filter_with_matrices",
    "nested_exits.return_in_nested_loops[returns]",
    "overwriting.overwritten_in_a_while",
    "products.gaussian_log_density_by_cholesky",
    "reductions.layer_normalisation",
    "unpacking.tuple_from_a_branch[pair]",
    "while_loops.while_in_for",
)


def texts_of_another_process(names, seed):
    """Start generating texts where strings, and sets of them, have another order."""
    env = os.environ | {"PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-m", "tests.generated_texts", *names]
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)


def differing(texts, others):
    """The programs and kinds of texts that differ."""
    assert texts.keys() == others.keys()
    return [
        (name, kind)
        for name in texts
        for kind in texts[name]
        if texts[name][kind] != others[name].get(kind)
    ]


def test_texts_are_the_same_in_every_process_and_order():
    """Neither the hash seed nor what was transformed before shows in a text."""
    now = rotation.turn()
    names = NAMES if now is None else NAMES[now % 4 :: 4]
    running = [
        texts_of_another_process(names, seed)
        for names, seed in ((names, 0), (names[::-1], 1), (names, 12345))
    ]
    outputs = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    first, *rest = map(json.loads, outputs)
    assert len(first) == len(names)
    assert min(len(kinds) for kinds in first.values()) >= 1
    for others in rest:
        assert differing(first, others) == []


def test_texts_do_not_depend_on_earlier_ones():
    """Within one process, transforming the same programs again, backwards."""
    now = rotation.turn()
    names = NAMES if now is None else NAMES[now % 6 :: 6]
    assert differing(generate(names), generate(names[::-1])) == []
