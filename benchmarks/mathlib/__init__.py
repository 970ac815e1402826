"""The math library beside peers: `make bench-math`."""
