"""The work on files that were taken: they are read, compared and diagnosed by other processes."""
