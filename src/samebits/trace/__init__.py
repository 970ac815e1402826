"""One frame, operation by operation: recorded, reduced, stored, restored."""
