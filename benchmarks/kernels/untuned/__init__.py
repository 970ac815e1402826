"""Kernels that the compiler was not tuned on: as they were written first, in every language."""
