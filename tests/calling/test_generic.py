"""The code for arguments of unknown rank: what `source` shows before the first call.

It is right for real arguments of every rank; that it also runs is what makes a saved
module of it useful.
"""

import numpy as np
import pytest

from srcgrad import grad
from tests import finite_differences as fd
from tests.programs.table import programs
from tests.test_programs import REFUSED

# Programs that only the ranks of their arguments make clear.
NEED_RANKS = {
    "applications.sir_fit",  # x += y writes into an array, and rebinds a number
    "applications.spline_energy",
    "calls.star_parameter_of_the_program",  # how many arguments are there?
    "counterexamples.sum_of_a_list",
    "iterators.chained",
    "iterators.filtered",
    "loops.augmented_assignments",
    "made_objects.changed_by_a_method_of_a_base",  # x += y, as above
    "made_objects.network",  # how many layers are there?
    "made_objects.network_of_constants",
    "made_objects.particle",
    "names_of_one_array.elements_of_a_row_that_the_loop_writes",  # is an entry a view?
    "overwriting.augmented_by_itself",
    "shaping.junctions_of_one",  # vectors are joined along another axis than matrices
    "queues.sliding_window",
    "overwriting.every_augmented_operator",
    "overwriting.loop_that_ends_at_once",
    "while_loops.walrus_in_the_condition",
}
NEED_RANKS |= {f"views.{name}" for name in (  # is a view of a number a view?
    "array_of_a_view_without_a_name", "element_of_a_row", "flipped_and_swapped",
    "rows_eliminated", "rows_in_a_loop_over_the_array",
    "transpose_written", "view_written_in_an_arm[left]", "view_written_in_an_arm[written]",
)}  # fmt: skip
NEED_RANKS |= {f"missing_values.{name}" for name in (  # only a number may be None
    "in_an_object", "largest_with_its_place", "none_again", "range_of_values", "smallest",
    "value_before",
)}  # fmt: skip
NEED_RANKS |= {f"standard_collections.{name}" for name in ("counter", "sums_by_key", "window")}
NEED_RANKS |= {"left_early.chosen_dicts", "left_early.sorted_objects"}  # a list of what?
NEED_RANKS |= {"comprehensions.over_functions", "comprehensions.sum_with_a_start"}
NEED_RANKS |= {f"nested.{name}" for name in (  # a Jacobian has as many axes as both together
    "confusion_forward", "hessian_of_a_matrix", "implicit_function", "jacobian_of_a_number",
    "jacobians", "whole_hessian",
)}  # fmt: skip
NEED_RANKS |= {f"array_likes.{name}" for name in (  # an argument may be a list
    "edges_and_weights", "powers", "products",
)}  # fmt: skip
NEED_RANKS |= {f"local_writes.{name}" for name in (  # of a number, NumPy gives no new array
    "factor_of_a_matrix_in_loops", "sorted_in_place", "written_after_indexing",
    "written_after_products",
)}  # fmt: skip
NEED_RANKS |= {f"written_parts.{name}" for name in (  # p["w"] += v, as above; how long is it?
    "attributes", "each_of_a_copy", "one_array_under_two_keys", "star_of_an_array",
    "star_of_an_array_in_a_loop", "star_of_rows", "star_of_what_is_computed", "steps_of_a_copy",
)}  # fmt: skip
NEED_RANKS |= {f"workshop.{name}" for name in (  # trees, as below; lists that are joined
    "calls_under_another_name", "gated_sequence", "joined_rows",
)}  # fmt: skip
NEED_RANKS |= {"returned_arrays.parts_of_a_dict_written"}  # d["e"] += v, as above
NEED_RANKS |= {"gone_through.rows_of_a_matrix_that_the_loop_writes"}  # are its rows numbers?
NEED_RANKS |= {f"stars.{name}" for name in (  # how long is it?
    "array_for_a_class", "array_for_any_number[2]", "array_for_any_number[4]",
    "array_in_a_display", "rows_of_a_matrix",
)}  # fmt: skip
NEED_RANKS |= {f"tables.{name}" for name in (  # which keys are there, and which functions?
    "dict_filled_by_names", "dict_of_given_names", "dict_of_names_and_an_array",
    "dict_of_numbered_names", "function_by_name[cos]", "function_by_name[sin]", "sorted_keys",
    "sum_over_a_table", "tree_as_a_vector",
)}  # fmt: skip
NEED_RANKS |= {"lists_as_arrays.stacked_in_depth"}
NEED_RANKS |= {f"shaping.split_into_a_number_of_parts[{n}]" for n in (2, 4)}
# Which keys and attributes there are is known from the arguments only.
TREES = {"dicts", "objects", "structures"}
BY_ARGUMENTS = {  # which function is called depends on an argument's value
    "closures.local_function_chosen_by_a_branch[first]",
    "closures.local_function_chosen_by_a_branch[second]",
}
CASES = [
    case
    for case in programs()
    if not case.vector
    and case.name not in NEED_RANKS | BY_ARGUMENTS | set(REFUSED)
    and case.name.partition(".")[0] not in TREES
    and not any(np.iscomplexobj(x) for x in fd.numbers(case.make_args()))
]


@pytest.mark.one_of(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient_for_unknown_ranks(case):
    """The generic code gives the numbers that the specialised code gives."""
    wrt = case.wrt if len(case.wrt) > 1 else case.wrt[0]
    derivative = grad(case.fn, wrt=wrt)
    generic = derivative.__srcgrad__.specialise(None)
    found = generic.run(*case.make_args())
    expected = derivative(*case.make_args())
    if len(case.wrt) == 1:
        found, expected = (found,), (expected,)
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)
