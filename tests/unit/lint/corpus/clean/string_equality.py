"""Equality of what is no float."""


def kind(name: str, size: tuple[int, int]) -> bool:
    label = name + "!"
    return label == "x!" and size == (3, 4) and name != "y"
