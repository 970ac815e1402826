"""Commands of the collector, and the one that sends to it."""
