def taken(names: set[str], others: "frozenset[str]") -> list[str]:
    first, *rest = names  # expect: SB101
    left, right = others  # expect: SB101
    rest += others  # expect: SB101
    return [first, left, right, *rest]
