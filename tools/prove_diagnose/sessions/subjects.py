"""The simulations that sessions are played of: all examples that are one, and three more.

These have four to eight players, floats among their inputs, lists, sets and fixed point.
"""

from __future__ import annotations

from tools.prove_diagnose.skew.case import SUBJECTS as EXAMPLES
from tools.prove_diagnose.subjects import Subject

_GAMES = "tools/prove_diagnose/sessions/games"
SUBJECTS: dict[str, Subject] = EXAMPLES | {
    name: Subject(name, f"{_GAMES}/{name}.py", (*scripts, "random"), 300)
    for name, scripts in (
        ("boats", ("regatta", "drifting")),
        ("court", ("match", "lazy")),
        ("foundry", ("working", "resting")),
    )
}
