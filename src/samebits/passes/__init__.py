"""IR to IR: float modes written out, checks removed where proven, dead code removed."""
