"""Range analysis, and the removal of checks that it allows."""
