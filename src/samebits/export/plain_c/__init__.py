"""A simulation's kernels as plain C, as a port by hand would have them."""
