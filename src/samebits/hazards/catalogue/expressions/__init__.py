"""Hazards that change how an expression is evaluated: one a file."""
