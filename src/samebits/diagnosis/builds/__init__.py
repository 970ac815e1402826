"""Whole builds as hypotheses: what another compiler, library or processor makes of a program."""
