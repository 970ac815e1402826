"""Sources, the state of a function's lowering, and operands."""
