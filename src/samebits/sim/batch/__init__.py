"""Many worlds of one simulation in one block of memory, stepped by compiled code."""
