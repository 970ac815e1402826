"""The targets: instructions, floating-point control, and an audit of their assembly."""
