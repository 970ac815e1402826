"""Golden files of what the compiler makes, and the kernels that they are made from."""
