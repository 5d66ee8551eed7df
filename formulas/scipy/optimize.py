"""What SciPy's roots and minima are to derivatives: functions that call them are recorded."""

from __future__ import annotations

from scipy import optimize
from srcgrad.formulas.scipy import named

from srcgrad.registry import in_python, nondifferentiable, refused
from srcgrad.runtime.scipy import valleys

nondifferentiable(*named(optimize, "linear_sum_assignment linprog_verbose_callback show_options"))
refused("it gives more than places; call it with stop_gradient(...) and read what it chose", *named(
    optimize, "quadratic_assignment"
))  # fmt: skip
refused("its steps are not followed; a function that calls it is recorded", *named(optimize, (
    "brentq brenth bisect ridder toms748 newton fsolve root minimize fixed_point root_scalar "
    "bracket brent fminbound golden minimize_scalar "
    "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov "
    "fmin fmin_bfgs fmin_cg fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc "
    "leastsq least_squares curve_fit basinhopping brute differential_evolution direct "
    "dual_annealing shgo"
)))  # fmt: skip
refused("where constraints are active, its derivative jumps", *named(optimize, (
    "isotonic_regression linprog lsq_linear milp nnls"
)))  # fmt: skip
refused("call the function itself", *named(optimize, "approx_fprime check_grad line_search"))
for name in ["rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"]:
    in_python(getattr(optimize, name), getattr(valleys, name))
refused("its objects are not followed", *named(optimize, (
    "BFGS Bounds BroydenFirst HessianUpdateStrategy InverseJacobian KrylovJacobian "
    "LbfgsInvHessProduct LinearConstraint NonlinearConstraint OptimizeResult RootResults SR1"
)))  # fmt: skip
refused("it only stands for a kind of error", *named(optimize, "NoConvergence OptimizeWarning"))
