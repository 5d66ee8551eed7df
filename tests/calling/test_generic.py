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

# Programs that only the ranks of their arguments make clear: x += y writes into an array and
# rebinds a number, a view of a number is none; how long is it, how many are there, which keys?
NEED_RANKS = {
    "applications.spline_energy", "array_likes.edges_and_weights", "array_likes.products",
    "attempts.factorised_at_last", "closures.chosen_by_a_helper", "comprehensions.over_functions",
    "counterexamples.element_of_a_list_that_is_replaced", "gone_through.arguments",
    "gone_through.rows_of_a_matrix_that_the_loop_writes", "iterators.filtered",
    "iterators.items_of_a_dict_in_turn", "iterators.rows_as_tuples", "iterators.taken_one_by_one",
    "iterators.taken_until_there_is_none", "left_early.chosen_dicts", "left_early.sorted_objects",
    "list_changes.arrays_in_a_list_that_nested_loops_augment", "list_changes.last_two_of_a_list",
    "list_changes.one_of_several_replaced", "list_changes.replaced_in_turn",
    "lists_as_arrays.array_of_tuples_whose_parts_become_active",
    "local_writes.factor_of_a_matrix_in_loops", "local_writes.jitter_on_the_diagonal",
    "local_writes.positions_that_calls_give", "local_writes.sorted_in_place",
    "local_writes.written_after_products",
    "made_objects.attributes_by_names_that_a_loop_goes_through", "made_objects.begun_and_reset",
    "made_objects.cells_that_pull_at_each_other", "made_objects.changed_by_a_method_of_a_base",
    "made_objects.closest_of_several", "made_objects.nearest_or_none", "made_objects.network",
    "made_objects.network_of_constants", "made_objects.none_before_the_first",
    "made_objects.of_the_iteration_before", "made_objects.of_the_last_arm_that_was_taken",
    "made_objects.particle", "made_objects.running_pair", "made_objects.sum_of_arrays_from_none",
    "matching.fields", "missing_values.smallest", "nested.hessian_of_a_matrix",
    "nested.implicit_function", "nested.jacobian_of_a_number", "ordering.starred",
    "overloading.operators_that_are_the_right_operand_s", "returned_arrays.parts_of_a_dict_written",
    "shaping.junctions_of_one", "shaping.split_into_a_number_of_parts[2]", "stars.rows_of_a_matrix",
    "tables.by_members_of_an_enum", "tables.by_pairs_of_names", "tables.dict_filled_by_names",
    "tables.dict_of_given_names", "tables.dict_of_names_and_an_array", "tables.sum_over_a_table",
    "tables.tree_as_a_vector", "views.array_of_a_view_without_a_name",
    "views.rows_in_a_loop_over_the_array",
    "while_loops.entries_of_a_dict_between_loops_that_are_counted",
    "while_loops.walrus_in_the_condition", "workshop.calls_under_another_name",
    "workshop.discharge", "workshop.driven_box", "workshop.gated_sequence", "workshop.joined_rows",
    "workshop.number_given_to_what_augments_it",
}  # fmt: skip
# Which keys and attributes there are is known from the arguments only.
TREES = {"dicts", "handed_trees", "objects", "structures"}
CASES = [
    case
    for case in programs()
    if not case.vector
    and case.name not in NEED_RANKS | set(REFUSED)
    and case.name.partition(".")[0] not in TREES
    and not any(np.iscomplexobj(x) for x in fd.numbers(case.make_args()))
]


@pytest.mark.one_of(18)
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
