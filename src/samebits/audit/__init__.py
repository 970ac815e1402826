"""The audit of other programs: what in binaries, builds and sources can change bits.

Needs the extra `samebits[foreign]`. `scan.py` reads one file, `process.py` has it done by a limited
process; `rules/` are tables.
"""
