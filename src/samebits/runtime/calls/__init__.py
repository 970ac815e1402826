"""Calls from Python: arguments to slots, entries run, results made, mostly by machine code."""
