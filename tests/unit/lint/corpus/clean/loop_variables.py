"""Elements are not their container."""


def total(groups: list[list[int]]) -> int:
    result = 0
    for group in groups:
        for value in group:
            result += value
    return result
