"""`samebits play`: a simulation as one page."""
