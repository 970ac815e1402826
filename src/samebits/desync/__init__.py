"""Desync reports: what one machine records of a run, written, read and compared."""
