"""Matches over a network from the command line."""
