"""One way to run a simulation, from its words to a run."""
