"""Bisection of fast-math flags, for code that no trace reproduces."""
