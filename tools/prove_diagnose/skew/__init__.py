"""Version skew: versions of the examples' sources with drawn edits, diagnosed and judged."""
