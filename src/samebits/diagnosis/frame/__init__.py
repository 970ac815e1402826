"""The first frame that differs, and what differs in it."""
