"""A relay's match without sockets or clocks.

`seats` says who plays, `closing` and `frames` what was closed, `votes` which hashes agree; `core`
speaks with the peers.
"""
