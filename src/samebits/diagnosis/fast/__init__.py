"""Bisection of fast-math permissions, for code that no trace reproduces."""
