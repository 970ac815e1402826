"""Functions of engines' math packages beyond elementary ones: interpolation, vectors, halves."""
