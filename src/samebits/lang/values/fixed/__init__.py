"""Fixed-point numbers: classes, rules on integers, text, vectors."""
