"""IR to IR: what makes a checked kernel fast without changing what it does."""
