"""Traces of one frame: each operation's result, recorded, shortened, stored and restored."""
