"""Edits of kernels that hazards are made of."""
