"""A branch in a loop: Newton's method for a square root, with large steps damped."""

from srcgrad import grad


def damped(x, a):
    for k in range(6):
        step = (x * x - a) / (2 * x)
        if abs(step) > 1.0:
            x = x - 0.5 * step       # damp large steps
        else:
            x = x - step
    return x


def arguments():
    return 9.0, 2.0


derivative = grad(damped, wrt=("x", "a"))


# ------------------------------------------------------------------------------------------

def damped_grad(x, a):
    """Gradient of damped (damped_newton.py:6) with respect to (x, a)."""
    saved = []
    for k in range(6):
        step = (x * x - a) / (2 * x)
        cond = abs(step) > 1.0
        saved.append((x, step, cond))
        if cond:
            x = x - 0.5 * step       # damp large steps
        else:
            x = x - step

    x_bar = 1.0
    a_bar = 0.0
    for x, step, cond in saved[::-1]:
        if cond:
            # damped_newton.py:10  x = x - 0.5 * step
            step_bar = -0.5 * x_bar
        else:
            # damped_newton.py:12  x = x - step
            step_bar = -x_bar
        # damped_newton.py:8  step = (x * x - a) / (2 * x)
        num_bar = step_bar / (2 * x)
        a_bar -= num_bar
        x_bar = x_bar - 2 * num_bar * step + 2 * num_bar * x
    return x_bar, a_bar
