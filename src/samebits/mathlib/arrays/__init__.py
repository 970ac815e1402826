"""Functions of whole arrays: sums, extremes, scans, in shapes that depend on lengths alone."""
