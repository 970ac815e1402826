"""The elementary functions of float64, a file a family and precision."""
