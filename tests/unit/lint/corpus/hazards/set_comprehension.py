"""A list of targets made from a set."""


def targets(units):
    near = {u.target for u in units if u.target}
    return [t for t in near]  # expect: SB101
