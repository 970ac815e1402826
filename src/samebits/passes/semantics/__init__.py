"""What the float modes mean, as IR."""
