"""A bit generator with a seed: its bits are promised."""

from numpy.random import PCG64, Generator

rng = Generator(PCG64(7))
