"""An address in a text for people."""


class Node:
    def __repr__(self):
        return f"<node at {id(self):#x}>"
