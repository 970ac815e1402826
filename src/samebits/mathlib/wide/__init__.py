"""Numbers of 192 bits, for the float64 results that nothing shorter can round."""
