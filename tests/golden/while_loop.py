"""A while loop: how far a ball flies that the air slows down."""

import math

from srcgrad import grad


def distance(speed, angle, drag):
    x, y = 0.0, 0.0
    u = speed * math.cos(angle)
    v = speed * math.sin(angle)
    h = 0.05
    while y >= 0:
        slow = drag * math.sqrt(u * u + v * v)
        u = u - h * slow * u
        v = v - h * (9.81 + slow * v)
        x = x + h * u
        y = y + h * v
    # back to the ground along the last step
    return x - u * y / v


def arguments():
    return 9.0, 0.7, 0.02


derivative = grad(distance, wrt=("speed", "angle", "drag"))


# ------------------------------------------------------------------------------------------

def distance_grad(speed, angle, drag):
    """Gradient of distance (while_loop.py:8) with respect to (speed, angle, drag)."""
    x, y = 0.0, 0.0
    cos_angle = math.cos(angle)
    u = speed * cos_angle
    sin_angle = math.sin(angle)
    v = speed * sin_angle
    h = 0.05
    saved = []
    while y >= 0:
        sqrt_ = math.sqrt(u * u + v * v)
        slow = drag * sqrt_
        saved.append((u, v, sqrt_, slow))
        u = u - h * slow * u
        v = v - h * (9.81 + slow * v)
        y = y + h * v
    ratio = u * y / v

    # while_loop.py:20  return x - u * y / v
    num_bar = -1 / v
    v_bar = ratio / v
    u_bar = num_bar * y
    y_bar = num_bar * u
    x_bar = 1.0
    drag_bar = 0.0
    for u, v, sqrt_, slow in saved[::-1]:
        # while_loop.py:18  y = y + h * v
        v_bar += 0.05 * y_bar
        # while_loop.py:17  x = x + h * u
        u_bar += 0.05 * x_bar
        # while_loop.py:16  v = v - h * (9.81 + slow * v)
        term = -0.05 * v_bar
        slow_bar = term * v
        v_bar = v_bar + term * slow
        # while_loop.py:15  u = u - h * slow * u
        u_bar2 = u_bar - u_bar * (0.05 * slow)
        slow_bar += -0.05 * (u_bar * u)
        # while_loop.py:14  slow = drag * math.sqrt(u * u + v * v)
        drag_bar += slow_bar * sqrt_
        pre_bar = slow_bar * drag / (2 * sqrt_)
        v_bar += 2 * (pre_bar * v)
        u_bar2 += 2 * (pre_bar * u)
        u_bar = u_bar2
    # while_loop.py:11  v = speed * math.sin(angle)
    speed_bar = v_bar * sin_angle
    angle_bar = v_bar * speed * math.cos(angle)
    # while_loop.py:10  u = speed * math.cos(angle)
    speed_bar += u_bar * cos_angle
    angle_bar -= u_bar * speed * math.sin(angle)
    return speed_bar, angle_bar, drag_bar
