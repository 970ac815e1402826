"""Helpers that several tests share: limits, folders, and ways to run and to interrupt code."""
