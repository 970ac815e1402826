"""What engines' math packages have beside elementary functions: interpolation, vectors, halves."""
