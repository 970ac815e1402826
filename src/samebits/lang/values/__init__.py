"""The values that kernels compute with: scalars, vectors, matrices, quaternions, fixed point."""
