"""A set that is only asked, or sorted."""

fighters = {"ada", "bob", "cyd"}


def round_of(health):
    for name in sorted(fighters):
        health[name] -= 1
    return len(fighters), "ada" in fighters, max(fighters), any(n == "x" for n in fighters)
