"""The proof of range analysis: its claims on integers hold, and no guard lets a bad index pass.

By enumeration of everything at a few bits, and by an SMT solver at full width. Both ask the passes
themselves: what they check is what `samebits.passes` answers, never a copy of its rules.
"""
