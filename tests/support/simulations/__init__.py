"""Simulations, each a file of its own: imported, or given by its path as a user gives it."""
