"""Diagnosis: from two sides of a simulation to the differing frame, field, operation and cause."""
