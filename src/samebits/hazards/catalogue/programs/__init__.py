"""Hazards that change a program: one a file."""
