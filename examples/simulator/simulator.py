"""A simulator as an objective: the PID controller of a mass on a spring, after a step of the target.

x = (proportional gain, integral time in s, derivative time in s). The value rates the response. In practice no single
number is right for that, and a person would compare responses instead. The optimum is unknown.
"""

import popbench


def respond(gain, integral, derivative, dt=0.01, seconds=10.0):
    """The position after each time step of dt s, and the force; the target is 1."""
    position = speed = total = 0.0
    positions, forces = [], []
    for _ in range(round(seconds / dt)):
        error = 1 - position
        force = gain * (error + total / integral - derivative * speed)
        force = min(max(force, -20), 20)  # what the drive can do
        if abs(force) < 20:
            total += error * dt  # else the integral would wind up
        speed += dt * (force - 0.4 * speed - 2 * position)  # a mass of 1 kg, a damper and a spring
        position += dt * speed
        positions.append(position)
        forces.append(force)
    return positions, forces


class Controller(popbench.Problem):
    box = popbench.Box([0.5, 0.1, 0.0], [30, 10, 2])
    title = "PID controller"

    def evaluate(self, x):
        positions, forces = respond(*x)
        late = sum(abs(1 - p) for p in positions) / 100  # the area of the error, in s
        overshoot = max(0.0, max(positions) - 1)
        effort = sum(abs(a - b) for a, b in zip(forces, forces[1:])) / 100
        return -(2 * late + 5 * overshoot + 3 * effort)


popbench.serve(Controller)
