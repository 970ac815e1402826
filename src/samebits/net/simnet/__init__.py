"""A simulated network: seeded, on a clock of its own.

A match of minutes takes seconds, and is the same each time. `links` is the network, `world` runs a
match over it, `oracle` judges it, `soak` runs many.
"""
