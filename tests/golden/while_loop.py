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
        root = math.sqrt(u * u + v * v)
        slow = drag * root
        saved.append((u, v, root, slow))
        u = u - h * slow * u
        v = v - h * (9.81 + slow * v)
        y = y + h * v

    # while_loop.py:20  return x - u * y / v
    v_bar = u * y / v / v
    u_bar = -y / v
    y_bar = -u / v
    drag_bar = 0.0
    for u, v, root, slow in saved[::-1]:
        # while_loop.py:18  y = y + h * v
        v_bar += 0.05 * y_bar
        # while_loop.py:17  x = x + h * u
        u_bar += 0.05
        # while_loop.py:16  v = v - h * (9.81 + slow * v)
        sum_bar = -0.05 * v_bar
        slow_bar = sum_bar * v
        v_bar += sum_bar * slow
        # while_loop.py:15  u = u - h * slow * u
        slow_bar -= 0.05 * u_bar * u
        u_bar -= 0.05 * u_bar * slow
        # while_loop.py:14  slow = drag * math.sqrt(u * u + v * v)
        drag_bar += slow_bar * root
        pre_bar = slow_bar * drag / (2 * root)
        v_bar += 2 * pre_bar * v
        u_bar += 2 * pre_bar * u
    # while_loop.py:11  v = speed * math.sin(angle)
    speed_bar = v_bar * sin_angle
    angle_bar = v_bar * speed * math.cos(angle)
    # while_loop.py:10  u = speed * math.cos(angle)
    speed_bar += u_bar * cos_angle
    angle_bar -= u_bar * speed * math.sin(angle)
    return speed_bar, angle_bar, drag_bar
