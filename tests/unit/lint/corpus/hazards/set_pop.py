"""Takes work from a set until it is empty."""


def flood(start, neighbours):
    open_cells = {start}
    order = []
    while open_cells:
        cell = open_cells.pop()  # expect: SB101
        order.append(cell)
        open_cells |= neighbours(cell)
    return order
