"""Tables that run by turns: all of a table runs within n turns, and each case once."""

import pytest

from tests import rotation

NAMES = [f"test_formula[case{k}]" for k in range(100)]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_each_case_has_its_turn_once(n, monkeypatch):
    """In n turns after each other, wherever one begins."""
    counts = dict.fromkeys(NAMES, 0)
    for turn in range(1000, 1000 + n):
        monkeypatch.setenv("SRCGRAD_TESTS_TURN", str(turn))
        for name in NAMES:
            counts[name] += rotation.has_its_turn(name, n)
    assert set(counts.values()) == {1}


def test_all_at_once(monkeypatch):
    """With ``--all``, every case has its turn."""
    monkeypatch.setenv("SRCGRAD_TESTS_TURN", rotation.ALL)
    assert all(rotation.has_its_turn(name, 7) for name in NAMES)


def test_the_first_turn_is_the_default(monkeypatch):
    """Without a number, everybody tests the same cases."""
    monkeypatch.delenv("SRCGRAD_TESTS_TURN", raising=False)
    assert rotation.turn() == 0


def test_tables_with_names_are_cut_before_tests_are_made_of_them():
    """Those whose cases get their names from pytest are left to it."""
    named = [pytest.param(k, id=f"case{k}") for k in range(100)]
    kept = rotation.cases("test_formula", named, 7)
    assert [f"test_formula[{case.id}]" for case in kept] == [
        name for name in NAMES if rotation.has_its_turn(name, 7)
    ]
    assert rotation.cases("test_formula", [*named, 5], 7) == []


def test_a_case_has_one_of_its_choices_at_each_turn(monkeypatch):
    """Another one at the next turn, and all of them where everything runs."""
    found = []
    for turn in range(5, 8):
        monkeypatch.setenv("SRCGRAD_TESTS_TURN", str(turn))
        found += rotation.by_turns(NAMES[0], ["a", "b", "c"])
    assert sorted(found) == ["a", "b", "c"]
    monkeypatch.setenv("SRCGRAD_TESTS_TURN", rotation.ALL)
    assert rotation.by_turns(NAMES[0], ["a", "b"]) == ["a", "b"]


@pytest.mark.parametrize("name", NAMES[:7])
def test_second_derivatives_take_turns(name, monkeypatch):
    """A test compares them at one of six turns, and where everything runs."""
    monkeypatch.setenv("PYTEST_CURRENT_TEST", f"tests/test_rotation.py::{name} (call)")
    orders = []
    for turn in (*map(str, range(6)), rotation.ALL):
        monkeypatch.setenv("SRCGRAD_TESTS_TURN", turn)
        orders.append(rotation.highest())
    assert sorted(orders[:6]) == [1, 1, 1, 1, 1, 2]
    assert orders[6] == 2
