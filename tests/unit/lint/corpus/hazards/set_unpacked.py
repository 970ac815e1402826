"""A set is unpacked into a list, and its first element taken."""

colours = {"red", "green", "blue"}
chosen = [*colours][0]  # expect: SB101
first = next(iter(colours))  # expect: SB101
