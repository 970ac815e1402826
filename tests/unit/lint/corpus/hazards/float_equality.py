"""A branch on equality after arithmetic."""


def arrived(x: float, v: float, dt: float, goal: float) -> bool:
    if x + v * dt == goal:  # expect: SB205
        return True
    moved = x + v * dt
    return moved != goal  # expect: SB205
