"""A relay's match without sockets or clocks: `seats` who plays, `frames` what was closed, `votes`
which hashes agree, `core` speaks with the peers."""
