"""`samebits doctor`: the host's floating-point environment, its libraries, and programs."""
