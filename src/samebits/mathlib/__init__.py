"""Math functions in the kernel language itself: the same code managed and on every target."""
