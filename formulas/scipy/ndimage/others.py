"""SciPy's functions of images that are constant, or refused, and why."""

from __future__ import annotations

from scipy import ndimage
from srcgrad.formulas.scipy import named

from srcgrad.effects import effects
from srcgrad.registry import NOT_YET, nondifferentiable, refused

nondifferentiable(*named(ndimage, (
    "binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss "
    "binary_opening binary_propagation distance_transform_cdt find_objects "
    "generate_binary_structure histogram iterate_structure label maximum_position "
    "minimum_position value_indices watershed_ift"
)))  # fmt: skip

refused("it calls a function itself; call that function on the windows", *named(ndimage, (
    "generic_filter generic_filter1d generic_gradient_magnitude generic_laplace "
    "geometric_transform labeled_comprehension vectorized_filter"
)))  # fmt: skip
refused("its distances depend on sampling; call it on a mask, as x != 0, and constants", *named(
    ndimage, "distance_transform_bf distance_transform_edt"
))  # fmt: skip
refused("complex numbers are not supported yet", *named(ndimage, (
    "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform"
)))  # fmt: skip
refused("use scipy.ndimage.map_coordinates", *named(ndimage, (
    "affine_transform rotate shift zoom"
)))  # fmt: skip
refused("add or join scipy.ndimage.gaussian_filter with order=1 or 2 along each axis", *named(
    ndimage, "gaussian_gradient_magnitude gaussian_laplace"
))  # fmt: skip
refused(NOT_YET, *named(ndimage, (
    "black_tophat center_of_mass extrema grey_closing grey_dilation grey_erosion grey_opening "
    "maximum maximum_filter maximum_filter1d mean median median_filter minimum minimum_filter "
    "minimum_filter1d morphological_gradient morphological_laplace percentile_filter rank_filter "
    "spline_filter spline_filter1d standard_deviation sum sum_labels variance white_tophat"
)))  # fmt: skip

effects(
    *named(ndimage, "distance_transform_bf distance_transform_cdt distance_transform_edt"),
    writes="distances, indices",
)
