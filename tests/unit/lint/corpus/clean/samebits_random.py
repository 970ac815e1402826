"""The library's generator."""

from samebits.random import Random

rng = Random(7)
