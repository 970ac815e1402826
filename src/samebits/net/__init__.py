"""Matches over a network: lockstep and rollback peers around a relay, every frame proven the same.

`limits`, `wire`, `messages`, `input_codec`, `identity`, `tickets` and `transfers` are what both
ends share; `relay` and `peer` are cores that open no socket and read no clock; `simnet` joins them
by simulated links; what opens sockets comes last.
"""
