"""Floating-point control and status registers of threads."""
