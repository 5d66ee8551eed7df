"""Formulas become C++ for PyTorch's engine, and entries of its table."""

import warnings

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from srcgrad import formula
    from srcgrad.torch.emitting.catalog import Spec
    from srcgrad.torch.emitting.checking import check
    from srcgrad.torch.emitting.cpp import struct
    from srcgrad.torch.emitting.entries import new_entries, read_back
    from srcgrad.torch.emitting.files import build, emitted, emitted_of, straight_of, write_files
    from srcgrad.torch.emitting.folding import folded


def test_many_formulas_have_words_in_cpp():
    """Elementwise ones, reductions, shapes, products and equations."""
    found, left_out = emitted()
    assert len(found) >= 150
    assert {"tanh", "sum_axis", "swapaxes", "matmul", "solve", "special_erf"} <= {
        one.spec.name for one in found
    }
    assert all(left_out.values())


def squared_norm(x):
    """Return the sum of squares: its formula keeps an intermediate."""
    return (x * x).sum()


@formula(squared_norm)
def squared_norm_formula(x):
    """z = the square of x, summed; slow on purpose: square is kept."""
    square = x * x
    z = square.sum()

    def backward(z_bar):
        return z_bar * 2 * square / x

    return z, backward


def test_an_intermediate_is_computed_anew_where_the_backward_part_is_recorded():
    """What is saved is a constant for PyTorch's engine: second derivatives would be wrong."""
    text = struct("Example", folded(squared_norm, {}, {"x": 1}), "squared_norm", False)
    assert "ctx->save_for_backward({x, square});" in text
    assert "square = at::GradMode::is_enabled() ? x * x : saved[1];" in text


def test_an_intermediate_that_is_only_saved_passes_one_check_and_fails_the_other():
    """The bug that is avoided, in PyTorch itself: gradcheck passes, gradgradcheck does not."""

    class Saved(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            square = x * x
            ctx.save_for_backward(x, square)
            return square.sum()

        @staticmethod
        def backward(ctx, bar):
            x, square = ctx.saved_tensors
            return bar * 2 * square / x

    x = torch.tensor([0.5, 0.7], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Saved.apply, (x,))
    assert not torch.autograd.gradgradcheck(Saved.apply, (x,), raise_exception=False)


class Own(Spec):
    """A function that stands in no table."""

    target = property(lambda self: squared_norm)


def test_functions_compile_and_agree(tmp_path):
    """Values are NumPy's and SciPy's; PyTorch's checks pass at both orders, of what is kept too."""
    names = ("np.tanh", "np.hypot", "special.erf", "sum_axis", "swapaxes", "solve", "cholesky")
    found, _ = emitted(names)
    found.append(emitted_of(Own("squared_norm", "squared_norm", ((2, 3),))))
    assert len(found) == 8
    write_files(tmp_path, found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        build(tmp_path, ("-O0",))
    assert {one.spec.name: p for one in found if (p := check(one).problem)} == {}


def test_entries_are_taken_by_the_reader():
    """PyTorch's own reader reads them in the places of those that have no derivative."""
    found = new_entries()
    read = read_back(found)
    assert len(read) == len(found) == 18
    assert read["special_bessel_j0(Tensor self) -> Tensor"] == (
        "-grad * at::special_bessel_j1(self)"
    )


def test_a_formula_is_straight_for_what_is_known():
    """Branches on options and numbers of axes are decided."""
    straight = straight_of(Spec("sum_axis", "np.sum", ((2, 3),), {"axis": 1}))
    assert [name for name, _ in straight.backward] == ["thin", "wide"] or straight.backward
