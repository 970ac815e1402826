"""`make prove-targets`: the same bits on every target that can run here, counted in a table."""
