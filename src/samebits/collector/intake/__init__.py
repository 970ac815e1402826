"""The intake: whose a file is, whether it is taken, and where it is kept."""
