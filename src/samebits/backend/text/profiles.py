"""How LLVM text is made and compiled for each goal, as a table. No row changes a result's bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from samebits.backend.targets.table import Target
from samebits.modes import Goal


@dataclass(frozen=True, slots=True)
class CodegenProfile:
    """One goal's choices. `level` is that of LLVM's own pipeline, which runs unless `passes` names
    others; `codegen` that of its code generator, 0 to 3."""

    attributes: str
    """Of every function, as LLVM writes them."""
    inline_limit: int
    """Statements, callees' included, of the functions that are always inlined."""
    library_limit: int
    """The same of the math library's, of which a loop is to become vectors."""
    vectorise: bool
    """Whether loops are made for the vectoriser, and it runs."""
    slp: bool
    """Whether straight code is looked through for vectors as well."""
    unroll: bool
    level: int
    codegen: int
    most_cold_optimised: int
    """Functions for rare inputs for which code is selected with optimisation; of more, for none."""
    passes: tuple[str, ...] = ()
    optnone: bool = False
    """Whether code for all of it is selected without optimisation, in half the time."""

    @property
    def is_small(self) -> bool:
        """Whether code is to be small."""
        return "optsize" in self.attributes

    def attributes_for(self, target: Target) -> str:
        """`attributes`; of `minsize`, shifts wider than the registers become calls of a library."""
        return self.attributes if target.has_int64 else self.attributes.replace(" minsize", "")


_ANY = 1 << 20
COLD_PASSES = (
    "sroa", "simplify_cfg", "instruction_combine", "aggressive_instcombine", "always_inliner",
    "simplify_cfg", "global_dead_code_eliminate",
)  # fmt: skip
"""The passes of functions for rare inputs: at a tenth of the cost of all, they gain most. What is
inlined into several functions is optimised before, once."""
PROFILES: Mapping[Goal, CodegenProfile] = {
    # A loop around a call that is left does not vectorise, so that much is inlined.
    "speed": CodegenProfile("", 512, 1152, True, True, True, 3, 3, 32),
    "size": CodegenProfile(" minsize optsize", 12, 12, False, False, False, 2, 2, _ANY),
    "compile_time": CodegenProfile(
        "", 32, 32, False, False, False, 1, 1, 0,
        ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "simplify_cfg",
         "global_dead_code_eliminate"),
    ),
}  # fmt: skip
SPEED = PROFILES["speed"]
