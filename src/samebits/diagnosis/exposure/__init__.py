"""Exposed operations: the others that a cause may change, and their distance from the state."""
