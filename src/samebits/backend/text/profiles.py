"""The codegen profile of each goal, as a table. No row changes a result's bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from samebits.backend.targets.table import Target
from samebits.modes import Goal


@dataclass(frozen=True, slots=True)
class CodegenProfile:
    """The choices by which one goal's LLVM text is made and compiled. `level` is the level of
    LLVM's own pipeline, which runs unless `passes` names others; `codegen` that of its code
    generator, 0 to 3."""

    attributes: str
    """Attributes of every function, as LLVM writes them."""
    inline_limit: int
    """Most statements, callees included, of an always inlined function."""
    library_limit: int
    """The same for the math library's functions, which vectorised loops call."""
    vectorise: bool
    """Whether loops are emitted for the vectoriser, and it runs."""
    slp: bool
    """Whether straight-line code is vectorised too (SLP)."""
    unroll: bool
    level: int
    codegen: int
    most_cold_optimised: int
    """Most cold functions with optimised code generation; if there are more, none has it."""
    passes: tuple[str, ...] = ()
    optnone: bool = False
    """Whether code generation is not optimised, which takes half the time."""

    @property
    def is_small(self) -> bool:
        """Whether the goal is small code."""
        return "optsize" in self.attributes

    def attributes_for(self, target: Target) -> str:
        """`attributes`, without `minsize` if it would turn wide shifts into library calls."""
        return self.attributes if target.has_int64 else self.attributes.replace(" minsize", "")


_ANY = 1 << 20
COLD_PASSES = (
    "sroa", "simplify_cfg", "instruction_combine", "aggressive_instcombine", "always_inliner",
    "simplify_cfg", "global_dead_code_eliminate",
)  # fmt: skip
"""The passes of the cold section: a tenth of the cost of all passes, and most of the gain.
Functions that are inlined into several are optimised once, before."""
PROFILES: Mapping[Goal, CodegenProfile] = {
    # A loop around a call is not vectorised, hence the high limits.
    "speed": CodegenProfile("", 512, 1152, True, True, True, 3, 3, 32),
    "size": CodegenProfile(" minsize optsize", 12, 12, False, False, False, 2, 2, _ANY),
    "compile_time": CodegenProfile(
        "", 32, 32, False, False, False, 1, 1, 0,
        ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "simplify_cfg",
         "global_dead_code_eliminate"),
    ),
}  # fmt: skip
SPEED = PROFILES["speed"]
