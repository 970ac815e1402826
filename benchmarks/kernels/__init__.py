"""One benchmark a file: the samebits kernel, its C and Numba peers, and their data."""
