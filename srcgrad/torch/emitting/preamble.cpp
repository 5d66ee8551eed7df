using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

namespace {

// Refuses complex numbers: their gradients are conjugated in PyTorch, and not in formulas.
void require_real(std::initializer_list<Tensor> arguments) {
  for (const auto& x : arguments)
    TORCH_CHECK(!x.is_complex(), "this derivative is one of real numbers");
}

// Returns a number as a tensor like another one.
Tensor number(double value, const Tensor& like) { return at::full({}, value, like.options()); }
Tensor number(const Tensor& value, const Tensor&) { return value; }

// Returns whole numbers and truth values in double precision, anything else as it is.
Tensor as_floats(const Tensor& x) {
  return at::isIntegralType(x.scalar_type(), true) ? x.to(at::kDouble) : x;
}

// Returns a cotangent summed over the axes along which an argument was broadcast.
Tensor sum_to(const Tensor& bar, const Tensor& like) {
  return at::sum_to(bar.expand(at::infer_size(bar.sizes(), like.sizes())), like.sizes());
}

// Returns zeros in the shape of a tensor, with something on a diagonal.
Tensor diagonal_like(const Tensor& bar, const Tensor& like, int64_t offset, int64_t axis1,
                     int64_t axis2) {
  const auto length = like.diagonal(offset, axis1, axis2).size(-1);
  auto wide = bar.dim() && bar.size(-1) == length ? bar : bar.unsqueeze(-1);
  if (bar.dim() == 0) wide = bar.expand({length});
  wide = wide.expand_as(like.diagonal(offset, axis1, axis2));
  return at::diagonal_scatter(at::zeros_like(like), wide, offset, axis1, axis2);
}

// Returns a tensor with its axes in another order, reversed if none is given.
Tensor permuted(const Tensor& x, at::IntArrayRef axes) {
  if (!axes.empty()) return x.permute(axes);
  std::vector<int64_t> reversed(x.dim());
  for (int64_t k = 0; k < x.dim(); ++k) reversed[k] = x.dim() - 1 - k;
  return x.permute(reversed);
}

// Returns the gamma function, of numbers of either sign.
Tensor gamma(const Tensor& x) {
  const auto folded = M_PI / (at::sin(M_PI * x) * at::exp(at::lgamma(1 - x)));
  return at::where(x > 0, at::exp(at::lgamma(x)), folded);
}

// Returns for each entry the product of the others along an axis, or of all.
Tensor product_of_others(const Tensor& x, std::optional<int64_t> axis = std::nullopt) {
  const auto rows = axis ? x.movedim(*axis, -1) : x.reshape({-1});
  const auto own = at::eye(rows.size(-1), x.options().dtype(at::kBool));
  const auto others = at::prod(at::where(own, at::ones({}, x.options()), rows.unsqueeze(-2)), -1);
  return axis ? others.movedim(-1, *axis) : others.reshape(x.sizes());
}

// Returns the slopes of the determinants of matrices.
Tensor cofactors(const Tensor& x) {
  return at::linalg_det(x).unsqueeze(-1).unsqueeze(-1) * at::linalg_inv(x).transpose(-1, -2);
}

}  // namespace
