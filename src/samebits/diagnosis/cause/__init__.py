"""Experiments that find the cause of a difference."""
