"""Probes in the code of other programs: what each store and each operation of one frame gives."""
