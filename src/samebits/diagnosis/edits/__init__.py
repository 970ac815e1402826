"""Two versions of a source as a set of edits, and the smallest sets that explain a difference."""
