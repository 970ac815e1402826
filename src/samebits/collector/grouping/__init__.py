"""The groups of reports that have one cause, as crash collectors group stacks."""
