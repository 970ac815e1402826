"""Models of floating-point arithmetic other than strict IEEE 754: evaluated, and lowered to IR."""
