"""What is registered for a function is asked again at each call of a derivative."""

import numpy as np

from srcgrad import formula, grad, hessian, nondifferentiable, vjp


def test_formulas_that_are_registered_again():
    """Derivatives that ran before are those of the new formula; of local functions, too."""

    def cube(x):
        return x * x * x

    def loss(x):
        return cube(x) + 0.0

    slope = grad(loss)

    def local(c):
        return grad(lambda x: c * cube(x))(2.0)

    assert slope(2.0) == local(1.0) == vjp(loss, 2.0)[1](1.0) == 12.0
    assert hessian(loss)(2.0) == 12.0

    @formula(cube)
    def doubled(x):
        return cube(x), lambda z_bar: z_bar * 2 * x**2

    assert slope(2.0) == local(1.0) == vjp(loss, 2.0)[1](1.0) == 8.0
    assert hessian(loss)(2.0) == 8.0

    @formula(cube)
    def halved(x):
        return cube(x), lambda z_bar: z_bar * 0.5 * x**2

    assert slope(2.0) == local(1.0) == vjp(loss, 2.0)[1](1.0) == 2.0
    assert hessian(loss)(2.0) == 2.0


def test_functions_that_are_declared_constant():
    """`nondifferentiable` counts from the next call on."""

    def bucket(x):
        return x * 1.0

    slope = grad(lambda x: bucket(x) * x)
    assert slope(2.5) == 5.0
    nondifferentiable(bucket)
    assert slope(2.5) == 2.5
    np.testing.assert_array_equal(slope(np.float64(2.5)), 2.5)
