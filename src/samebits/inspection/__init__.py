"""What becomes of a kernel: as data, as text, as a page."""
