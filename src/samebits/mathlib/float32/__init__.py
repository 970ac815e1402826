"""The elementary functions of float32, a file a family and precision."""
