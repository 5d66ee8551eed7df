"""PyTorch's table of derivatives is read, translated, and agrees with PyTorch."""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from srcgrad.torch.importing.comparing import Case, NotComparable, load_formulas
    from srcgrad.torch.importing.expressions import NotAnExpression, parse
    from srcgrad.torch.importing.files import imported, write_files
    from srcgrad.torch.importing.samples import made_samples
    from srcgrad.torch.importing.table import entries


def test_every_expression_of_the_table_is_parsed():
    """The parser knows all that stands there."""
    texts = [text for e in entries() for _, text in (*e.backward, *e.forward)]
    assert len(entries()) == 687
    assert len([parse(text) for text in texts]) > 1200


@pytest.mark.parametrize("text", ["a +", "f(a", "a.b", "a ? b", "a # b"])
def test_what_is_no_expression_is_refused(text):
    """A text that is cut off, or has other signs in it, is no expression."""
    with pytest.raises(NotAnExpression):
        parse(text)


WRITTEN = {
    "sin": "return z_bar * np.cos(self)",
    "exp": "return z_bar * z",
    "addmv": "mat_bar = np.outer(z_bar, vec) * alpha",
    "sigmoid": "return z_bar * ((1 - z) * z)",
    "erf": "return 2.0 / np.sqrt(np.pi) * np.exp(-self ** 2) * z_bar",
    "bmm": "self_bar = z_bar @ np.swapaxes(mat2, 1, 2)",
    "maximum": "self_bar = np.where(self < other, 0, np.where(self == other, z_bar / 2, z_bar))",
    "transpose_int": "return np.swapaxes(z_bar, dim0, dim1)",
}


def test_entries_read_as_formulas():
    """Conjugates are gone, helpers of one expression are written in place."""
    found, left_out = imported()
    texts = {w.name: w.text for w in found}
    assert {n: line for n, line in WRITTEN.items() if line not in texts[n]} == {}
    assert len(found) >= 350
    assert len(found) + sum(map(len, left_out.values())) == 687


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """What was written, and the formulas, by the name of the entry."""
    folder = tmp_path_factory.mktemp("imported")
    found, _ = write_files(folder)
    made = load_formulas(folder, found)
    return {w.entry.name: (w, made[w.name]) for w in found}


SAMPLES = {dtype: made_samples(getattr(torch, dtype)) for dtype in ("float64", "complex128")}


@pytest.mark.parametrize("dtype", SAMPLES)
def test_values_and_gradients_are_those_of_pytorch(rules, dtype):
    """Value, gradient and tangent agree at made arguments, for each entry that has some."""
    problems = {}
    for key, rows in SAMPLES[dtype].items():
        written, rule = rules.get(key.removesuffix(".default"), (None, None))
        if written is None or (dtype == "complex128" and not written.entry.takes_complex):
            continue
        for sample in rows:
            try:
                case = Case(written, rule, sample)
            except NotComparable:
                continue
            with np.errstate(all="ignore"):
                problems |= {(key, what): p for _, what, p in case.first() if p}
    assert problems == {}


@pytest.mark.parametrize("name", ["sigmoid", "addcdiv", "matmul", "log", "mean.dim", "cumsum"])
def test_second_derivatives_are_those_of_pytorch(rules, tmp_path, name):
    """Imported formulas are differentiated again, and agree."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.5, 1.0, (3, 3)), rng.uniform(0.5, 1.0, (3, 3))
    args = {"addcdiv": (a, b, a), "matmul": (a, b), "mean.dim": (a, [0]), "cumsum": (a, 0)}
    written, rule = rules[name]
    case = Case(written, rule, (args.get(name, (a,)), {}))
    assert [p for _, _, p in (*case.first(), *case.second(tmp_path)) if p] == []
