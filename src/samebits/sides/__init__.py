"""A side: one way to run a simulation, from the words that spell it to a run."""
