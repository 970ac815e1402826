"""Differential fuzzing: random kernels whose managed, evaluated and compiled bits must agree."""
