"""Proof over several machines: bits files, their comparison, and the workflows that make them."""
