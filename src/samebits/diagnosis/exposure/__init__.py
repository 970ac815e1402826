"""Which other operations a cause may change, and how far they are from the state."""
