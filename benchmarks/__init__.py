"""Peers side by side: samebits, C and Numba on the same data in one process."""
