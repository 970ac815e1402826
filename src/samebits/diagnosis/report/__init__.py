"""A diagnosis as facts, JSON and a page."""
