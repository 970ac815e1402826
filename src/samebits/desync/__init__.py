"""Desync reports: their format, reading, writing and comparing."""
