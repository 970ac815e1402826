"""Matches over a network: what they cost a relay and a peer."""
