"""Two stars that are no power."""


def make(**options):
    return dict(**options)


made = make(**{"a": 1.5})
