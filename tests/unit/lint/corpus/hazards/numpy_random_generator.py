"""A generator of NumPy's, without a seed."""

from numpy.random import default_rng

rng = default_rng()  # expect: SB302
