"""A class of one's own that is called Set, and a method called pop."""


class Set:
    def __init__(self):
        self.items = []

    def pop(self):
        return self.items.pop()


box = Set()
box.items.append(1)
top = box.pop()
rest = [item for item in box.items]
