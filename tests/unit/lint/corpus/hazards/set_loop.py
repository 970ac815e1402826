"""Who attacks first follows the order of a set of names."""

fighters = {"ada", "bob", "cyd"}


def round_of(health):
    for name in fighters:  # expect: SB101
        health[name] -= 1
