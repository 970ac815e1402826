"""The same by name, and through a table."""

from numpy import arctan2, tanh

ACTIVATIONS = {"tanh": tanh}  # expect: SB401


def bearing(dy, dx):
    return arctan2(dy, dx)  # expect: SB401
