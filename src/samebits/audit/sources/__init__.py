"""Hazards in C and C++ sources, by libclang."""
