"""A case of a foreign build: a simulation, its inputs, a build, its layout and a form of evidence.

Draws know nothing of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from tools.prove_diagnose.foreign import evidence
from tools.prove_diagnose.foreign.c.style import EXACT
from tools.prove_diagnose.foreign.compilers import BUILDS
from tools.prove_diagnose.foreign.truth import WITH_LIBRARY
from tools.prove_diagnose.skew.case import SUBJECTS as EXAMPLES
from tools.prove_diagnose.subjects import Subject

from samebits.sim.inputs import Inputs
from samebits.sim.sources import InputSource

_OWN = "tools/prove_diagnose/foreign/simulations"
OWN = {name: Subject(name, f"{_OWN}/{name}.py", (script, "random"), 400) for name, script in (
    ("nbody", "circle"), ("springs", "swing"), ("particles", "gusts"), ("steering", "tack"),
    ("integrator", "shove"), ("lights", "tilt"), ("decay", "pour"),
)}  # fmt: skip
LEFT_OUT = {
    "flock": "its kernels ask for DETERMINISTIC, whose lanes plain C has no words for",
    "maze": "it computes no floats",
}
SUBJECTS = {n: s for n, s in EXAMPLES.items() if n not in LEFT_OUT} | OWN
LAYOUTS = ("one file", "one file", "separate files", "separate files", "some files",
           WITH_LIBRARY)  # fmt: skip
"""All in one file, each function in one of its own, or some of these alone built by the flags, the
library's functions being built strictly; or all, and the library's too."""
MOST_FRAMES, LEAST_FRAMES = 300, 40
LOADED = 0.6
CONTROLS = 12
"""One case in so many has a build that keeps all bits."""


@dataclass(frozen=True)
class Case:
    number: int
    subject: str
    inputs: str
    seed: int
    frames: int
    build: str
    layout: str
    form: str
    loaded: bool = False
    """Whether the foreign program loads the state that it begins with."""

    def __str__(self) -> str:
        return (
            f"{self.subject} {self.inputs} seed {self.seed}, {self.frames} frames: "
            f"{self.build}, {self.layout}{', start loaded' * self.loaded}; {self.form}"
        )

    @property
    def path(self) -> Path:
        return SUBJECTS[self.subject].path

    def source(self) -> InputSource:
        return SUBJECTS[self.subject].source(self.inputs, self.seed, self.frames)

    def given(self) -> tuple[int, Inputs]:
        """The seed and all inputs."""
        source = self.source()
        return source.seed, np.concatenate([block.inputs for block in source.blocks()])


def draw(
    number: int, seed: int, attempt: int, builds: tuple[str, ...] = (),
    subjects: tuple[str, ...] = (), forms: tuple[str, ...] = evidence.FORMS,
) -> Case:  # fmt: skip
    """A case. Builds and forms come in turn, the rest is drawn."""
    names = builds or tuple(BUILDS)
    controls = [n for n in names if BUILDS[n].control]
    others = [n for n in names if not BUILDS[n].control]
    draws = Random(f"{seed} foreign {number} {attempt}")
    if controls and (number % CONTROLS == CONTROLS - 1 or not others):
        build = controls[number // CONTROLS % len(controls)]
    else:
        build = others[number % len(others)]
    wanted = subjects or tuple(sorted(SUBJECTS))
    fitting = [name for name in BUILDS[build].of or wanted if name in wanted]
    subject = SUBJECTS[draws.choice(fitting or wanted)]
    layouts = LAYOUTS[:-1] if BUILDS[build].of or BUILDS[build].style != EXACT else LAYOUTS
    form = forms[(number + number // len(others or names)) % len(forms)]
    layout = draws.choice(layouts)
    least = MOST_FRAMES if BUILDS[build].hazards == ("flush",) else LEAST_FRAMES
    return Case(
        number, subject.name, draws.choice(subject.inputs), draws.randrange(1, 1 << 32),
        draws.randint(least, min(MOST_FRAMES, subject.frames)), build,
        layout, form, layout != WITH_LIBRARY and draws.random() < LOADED,
    )  # fmt: skip
