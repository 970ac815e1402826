"""A parameter that says it is a set."""


def strongest(names: set[str], power: dict[str, float]) -> str:
    best = ""
    for name in names:  # expect: SB101
        if power[name] >= power.get(best, 0.0):
            best = name
    return best
