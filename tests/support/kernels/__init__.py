"""Kernels that several tests run, and what their results are compared with."""
