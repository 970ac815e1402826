"""The names that kernels import, and what they do in CPython: the managed execution."""
