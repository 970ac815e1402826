"""Prints the gains of `pendulum.py`: the regulator that is optimal near upright.

One frame of the simulation's own dynamics is differentiated numerically, and Riccati's equation
iterated to its fixed point. The cost of a frame is WEIGHTS times the squares of place, angles and
their changes, plus the square of the force.
"""

from typing import Any

import numpy as np
from pendulum import SIZE, Cart, advance

WEIGHTS = (2.0, 20.0, 20.0, 0.5, 1.0, 1.0)
FORCE_WEIGHT = 0.05
EPSILON = 1e-5
ROUNDS = 3000

Array = np.ndarray[Any, Any]


def after(state: Array, force: float) -> Array:
    """A state, three coordinates and their changes, one frame later."""
    cart = Cart()
    cart.memory["q"], cart.memory["v"] = state[:SIZE], state[SIZE:]
    cart.force = force
    advance(cart)
    return np.concatenate([cart.memory["q"], cart.memory["v"]])


def gains() -> Array:
    """The force is minus these times the state."""
    zero, units = np.zeros(2 * SIZE), EPSILON * np.eye(2 * SIZE)
    a = np.stack([(after(u, 0) - after(-u, 0)) / (2 * EPSILON) for u in units], axis=1)
    b = (after(zero, EPSILON) - after(zero, -EPSILON))[:, None] / (2 * EPSILON)
    p: Array = np.diag(WEIGHTS)
    k: Array = np.zeros((1, 2 * SIZE))
    for _ in range(ROUNDS):
        k = np.linalg.solve(FORCE_WEIGHT + b.T @ p @ b, b.T @ p @ a)
        p = np.diag(WEIGHTS) + a.T @ p @ (a - b @ k)
    return k.reshape(-1)


if __name__ == "__main__":
    print(", ".join(f"{gain:.4f}" for gain in gains()))
