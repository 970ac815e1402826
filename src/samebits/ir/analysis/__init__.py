"""Analyses of the IR: memory, loops, definitions."""
