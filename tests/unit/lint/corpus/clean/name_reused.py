"""A name that is a list where it is gone through."""


def visit(cells):
    queue = [cells[0]]
    known = {cells[0]}
    for cell in queue:
        if cell not in known:
            known.add(cell)
    return sum(1 for cell in known)
