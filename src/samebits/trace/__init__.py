"""One frame, operation by operation: recorded, reduced, encoded, restored."""
