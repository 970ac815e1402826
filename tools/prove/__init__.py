"""Proofs and tests of the math library against MPFR."""
