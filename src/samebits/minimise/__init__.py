"""The shortest replay that still shows what a long one shows: a difference of two sides, a trap."""
