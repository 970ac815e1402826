"""Functions of fixed-point numbers, from integers alone."""
