"""Lattice noise in two and three dimensions: one kind a file, one hash for all."""
