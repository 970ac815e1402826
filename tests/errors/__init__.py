"""Exact messages."""
