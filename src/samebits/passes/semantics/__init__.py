"""The meaning of the float modes, written out in IR."""
