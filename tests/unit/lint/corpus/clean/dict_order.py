"""Dicts keep the order in which they were filled."""

units = {"b": 1, "a": 2}


def step():
    for name, count in units.items():
        units[name] = count + 1
    return [n for n in units], list(units.values())
