"""Total energy by the built-in sum."""


def energy(masses: list[float], speeds: list[float]) -> float:
    kinetic = sum(0.5 * m * v * v for m, v in zip(masses, speeds))  # expect: SB201
    return kinetic + sum(masses)  # expect: SB201
