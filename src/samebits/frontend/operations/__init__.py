"""Expressions of each kind, lowered to operations."""
