"""Inputs that are hard to round, of functions of which no list is published."""
