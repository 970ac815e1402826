"""Compilers' flags: what each does to bits, what is on by default, and which set is safe."""
