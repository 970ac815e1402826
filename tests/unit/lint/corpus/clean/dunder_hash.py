"""A hash of one's own, for dicts only."""


class Cell:
    def __init__(self, x: int, y: int):
        self.x, self.y = x, y

    def __hash__(self):
        return hash((self.x, self.y))

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)
