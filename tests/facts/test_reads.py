"""The state of the user's program is read in one module, which records what it read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import srcgrad

ROOT = Path(srcgrad.__file__).parent
COMPILER = [
    *("analysis", "emit", "expansion", "frontend", "ir", "load", "simplify", "transform"),
    *("transformation", "generation/generate.py", "generation/nested.py"),
    *(f"calling/arguments/{name}.py" for name in ("values", "signature", "stand_ins", "targets")),
    *("calling/dispatch.py", "calling/elementwise.py", "calling/transformed.py"),
    *("calling/reuse/specialisation.py",),
    *("program/guards.py", "program/namespaces.py", "program/registered.py"),
]
READS = {"getattr", "hasattr", "vars", "getattr_static", "signature", "getsource", "read_name"}
STATE = {
    *("__dict__", "__defaults__", "__kwdefaults__", "__code__", "__closure__", "cell_contents"),
    *("__mro__", "__bases__", "__wrapped__", "__globals__", "__annotations__"),
}
# Attributes that are not state of the user's program, with what they are.
NO_STATE = {
    "of arrays and their dtypes, which the kinds of arguments and facts are about": {
        *("shape", "dtype", "kind", "base", "__array_function__", "__iadd__", "_fields")
    },
    "names of functions and modules, for messages and for asking which library it is": {
        *("__name__", "__module__", "__qualname__")
    },
    "of bound functions of NumPy's ufuncs, which cannot be changed": {"__self__"},
    "srcgrad's own": {
        *("__srcgrad__", "__srcgrad_primal__", "__srcgrad_generated__", "__srcgrad_again__"),
        *("__srcgrad_of__", "__srcgrad_type__", "__srcgrad_made__", "__srcgrad_owner__"),
        *("wrt", "ranks", "__notes__"),
    },
    "of syntax trees": {
        *("args", "attr", "body", "func", "id", "leading_lines", "lineno", "lpar", "origin"),
        *("orelse", "target", "targets", "test", "value"),
    },
    "of the intermediate representation": {
        *("always", "arity", "constant", "exits", "externals_of_forward", "form", "forward_key"),
        "gives_new",
        *("function", "items", "kind", "object", "pair", "pattern", "template", "token", "values"),
    },
    "of a descriptor itself": {"__get__", "__set__", "__func__"},
}
NAMES = {name for names in NO_STATE.values() for name in names}
# What is no program of the user's: libraries, the syntax tree's library, srcgrad's own objects.
LIBRARIES = {"np", "math", "builtins", "cst", "integrate", "srcgrad", "operator", "object", "self"}
# Other reads, by module and function, with why they need not be recorded.
ELSEWHERE = {
    "analysis/shapes/questions.py:_asked": "the function behind a cache of srcgrad's",
    "emit/jvp.py:branch": "of the intermediate representation",
    "transform/directions/units.py:entry_of": "of the intermediate representation",
    "transformation/library_names.py:numpy_names": "of the modules of NumPy",
    "transformation/library_names.py:place_in_scipy": "of the modules of SciPy",
    "program/namespaces.py:held_by": "for those below, with their reasons",
    "frontend/state/rewriting.py:_held": "of the compiler's own state",
    "load/texts.py:owner_of": "of generated code",
    "generation/generate.py:_attempt": "of an error",
    "generation/generate.py:_texts_apart": "of generated code",
    "frontend/checks/changed_state.py:_classes_of": "of arguments, whose form the signature tests",
    "calling/elementwise.py:_is_elementwise": "beside facts.code",
    "calling/elementwise.py:_called": "beside facts.read_name",
    "calling/transformed.py:whole": "of generated code",
    "calling/transformed.py:kinds": "beside facts.code",
    "frontend/calls/recorded_calls.py:lower_recorded": "of generated code",
    "frontend/statements/functions.py:_check": "beside facts.code",
    "frontend/checks/iterating.py:gives_iter": "beside facts.code",
    "frontend/checks/effect_search.py:widen": "functions, which are read as facts",
    "frontend/checks/effect_search.py:_add_module": "functions, which are read as facts",
    "frontend/checks/effect_search.py:_add_methods": "beside facts.in_class",
    "frontend/checks/effect_search.py:_go": "beside facts.code",
    "frontend/checks/effect_search.py:_read": "beside facts.in_class",
    "frontend/checks/effect_search.py:_note": "beside facts.code",
    "frontend/checks/effect_search.py:_note_setter": "beside facts.code",
    "frontend/checks/effect_search.py:_reach": "of what functools made of a function",
    "frontend/checks/effect_search.py:_is_written": "of methods that dataclasses write",
    "frontend/checks/effect_search.py:_is_method": "beside facts.in_class",
    "frontend/checks/function_text.py:outside": "names of cells",
    "frontend/checks/function_text.py:own": "names of cells",
    "frontend/checks/function_text.py:_looked_up": "beside facts.read_name",
    "frontend/checks/function_text.py:_is_of_standard_library": "the module, which stays",
    "frontend/checks/purity.py:inside": "of syntax trees",
    "frontend/checks/purity.py:_of_setting": "beside what is recorded",
    "frontend/checks/purity.py:makers_of": "beside what is recorded",
    "frontend/checks/purity.py:_is_begun": "of syntax trees",
    "frontend/checks/purity.py:names_of": "what has an effect is recorded, and then read live",
    "frontend/checks/purity.py:include": "as above",
    "frontend/checks/purity.py:_named": "as above",
    "frontend/checks/purity.py:of_object": "as above",
    "frontend/checks/purity.py:of_method": "as above",
    "frontend/checks/purity.py:of_implied": "beside facts.in_class",
    "frontend/checks/purity.py:changes_operators": "as above",
    "frontend/checks/purity.py:_fields_of": "of what is written, which stays in the text",
    "frontend/checks/effect_order.py:is_generator": "as above",
    "frontend/containers/constructors.py:calls_more": "what dataclasses wrote",
    "emit/preparing.py:inline": "of srcgrad's own functions that send messages",
    "frontend/checks/messages.py:messages_of": "as above",
    "ir/nodes.py:acts": "as above",
    "transform/parts.py:gradient_name": "as above",
    "frontend/checks/function_text.py:thing_at": "of modules, as above",
    "frontend/checks/purity.py:_calling": "as above",
    "frontend/checks/purity.py:_classes_around": "of modules, as above",
    "frontend/containers/indexing.py:of_known_text": "of a string, whose class stays as it is",
    "frontend/checks/texts.py:require_no_numbers_of_text": "modules, which are no text",
    "frontend/checks/texts.py:_reads": "what reads text is recorded, and then read live",
    "frontend/checks/texts.py:require_usual_names": "beside facts.code; of names of Python's",
    "frontend/statements/attempted.py:_text_of": "beside facts.code",
    "frontend/containers/attributes.py:_is_spelled": "beside facts.read_name",
    "frontend/statements/attempted.py:_writes": "of the intermediate representation",
    "frontend/text/exits.py:map_suites": "of syntax trees",
    "frontend/text/definite_assignment.py:suites_of": "of syntax trees",
    "frontend/text/definite_assignment.py:_free_of": "of syntax trees",
    "frontend/desugar/checkpointed.py:_options": "beside facts.read_name",
    "frontend/containers/attributes.py:_known_attribute": "what formulas read of libraries",
    "frontend/checks/foreign_values.py:_text_gives": "beside facts.code and facts.defaults",
    "frontend/checks/foreign_values.py:gives_foreign": "beside facts.mro and facts.in_class",
    "frontend/statements/functions.py:_helpers": "names of srcgrad's helpers in generated text",
    "frontend/text/out_arguments.py:_places": "of the functions of NumPy",
    "frontend/state/outer_names.py:outer_value": "beside facts.read_name",
    "frontend/state/outer_names.py:_is_named": "beside facts.read_name",
    "ir/demands.py:key_of": "a key within one transformation",
    "frontend/calls/solved.py:_pullback": "of generated code",
    "frontend/checks/outside.py:reads_libraries_alone": "the namespace that facts.read_name reads",
    "frontend/text/source.py:__init__": "beside facts.code; globals and cells stay",
    "frontend/text/source.py:_definition": "beside facts.code",
    "frontend/text/source.py:_read_lambda": "beside facts.code",
    "frontend/text/trees.py:children": "of syntax trees",
    "frontend/text/trees.py:below": "of syntax trees",
    "frontend/text/trees.py:rewritten": "of syntax trees",
    "program/guards.py:attribute_now": "the test of what was recorded",
    "ir/forms.py:is_plain_dataclass": "what dataclasses wrote when it made the class",
    "ir/forms.py:parts": "of arguments, whose structure the signature tests",
    "load/compile.py:_make": "defaults of generated code, beside facts.signature",
    "load/compile.py:_defaults_now": "defaults of generated code, when it is loaded",
    "load/readers.py:names_read": "of generated code",
    "load/instrumented.py:replaced": "the cells of generated code",
    "load/instrumented.py:compound": "of syntax trees",
    "load/instrumented.py:_like": "of syntax trees",
    "program/namespaces.py:read_name": "what facts.read_name is made of",
    "ir/structures.py:form_of": "of arguments, whose structure the signature tests",
    "transform/regions.py:reverse_branch": "of the intermediate representation",
    "calling/transformed.py:_read": "of srcgrad's own derivatives",
    "calling/reuse/specialisation.py:names": "when code runs, not when it is generated",
    "calling/dispatch.py:make_dispatch": "of generated code",
    "calling/dispatch.py:write_dispatch": "of generated code",
}


def _modules() -> Iterator[Path]:
    for name in COMPILER:
        path = ROOT / name
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _reads(path: Path) -> Iterator[tuple[str, int]]:
    """The reads in a module, as ``module:function``, with their lines."""
    label = path.relative_to(ROOT).as_posix()

    def visit(node: ast.AST, inside: str) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inside = node.name
        if isinstance(node, ast.Call):
            func = node.func
            named = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
            owner = func.value if isinstance(func, ast.Attribute) else None
            ours = isinstance(owner, ast.Name) and owner.id == "facts"
            what = node.args[1] if len(node.args) > 1 else None
            told = isinstance(what, ast.Constant) and what.value in NAMES
            of = node.args[0] if node.args else None
            known = isinstance(of, ast.Name) and of.id in LIBRARIES
            if named in READS and not (ours or told or known):
                yield f"{label}:{inside}", node.lineno
        if isinstance(node, ast.Attribute) and node.attr in STATE:
            if not isinstance(node.ctx, ast.Store):
                yield f"{label}:{inside}", node.lineno
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    yield from visit(ast.parse(path.read_text()), "<module>")


def test_nothing_else_reads_the_state_of_the_program():
    """What the compiler reads besides ``facts`` is told above, with the reason."""
    found = [(place, line) for path in _modules() for place, line in _reads(path)]
    unknown = [f"{place} (line {line})" for place, line in found if place not in ELSEWHERE]
    assert not unknown, "\n".join(unknown)
    gone = set(ELSEWHERE) - {place for place, _ in found}
    assert not gone, f"no longer there: {gone}"
