"""Sources, the context of a lowering, and what expressions are."""
