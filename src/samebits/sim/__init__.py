"""Simulations: definition, program, executions, sessions, inputs and recordings."""
