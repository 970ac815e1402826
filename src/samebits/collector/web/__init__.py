"""The collector's answers to requests: what is taken, and the pages that show it."""
