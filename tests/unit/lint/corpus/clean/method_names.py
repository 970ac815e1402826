"""Methods of one's own with the names of NumPy's."""


class Ledger:
    def __init__(self):
        self.rows = []

    def sum(self):
        return len(self.rows)

    def dot(self, other):
        return self.sum() + other.sum()


total = Ledger().sum() + Ledger().dot(Ledger())
