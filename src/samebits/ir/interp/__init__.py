"""The reference interpreter."""
