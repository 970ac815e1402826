"""The kinds of shapes that kernels make, as numbers that pages know too."""

DISC, LINE, TRIANGLE, QUAD, NUMBER = 1, 2, 3, 4, 5
CORNERS = {TRIANGLE: "abc", QUAD: "abcd"}
"""The fields of a filled shape's corners, by its kind."""
