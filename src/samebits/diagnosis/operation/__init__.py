"""The first operation that differs, and how the two sides are aligned."""
