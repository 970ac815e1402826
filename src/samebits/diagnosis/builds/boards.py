"""The boards of a run's searches, each made once.

Owns which are kept: those of one hazard, which several searches try.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from samebits.diagnosis.builds.board_plans import BoardPlan
from samebits.diagnosis.builds.board_run import BoardRun
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.hypotheses import FORMS
from samebits.errors import SamebitsError
from samebits.hazards.injection import switches_of
from samebits.hazards.switchboard import switchboard
from samebits.sides.input_stream import InputStream
from samebits.sides.side import Side

Made = tuple[BuiltSide, BoardRun]
"""The program that a board is put into, and the board."""


@dataclass
class Boards:
    """Boards of side a's program over some inputs, against the hashes `known` by frame."""

    a: Side
    inputs: InputStream
    known: Mapping[int, int]
    is_library_tried: bool = False
    """Whether a math library that is off in some calls was looked for, and gives no hash."""
    _kept: dict[BoardPlan, Made | None] = field(default_factory=dict[BoardPlan, Made | None])

    def of(self, plan: BoardPlan) -> Made | None:
        """A plan's board, with all switches off and no trials; None where it has no switches, or
        cannot be built."""
        found = self._kept[plan] if plan in self._kept else self._new(plan)
        if plan.is_plain:
            self._kept[plan] = found
        if found is not None:
            found[1].trials = 0
        return found

    def _new(self, plan: BoardPlan) -> Made | None:
        try:
            base = plan.base(self.a)
            kernels = base.program.kernels
            board = switchboard(kernels, switches_of(kernels, plan.hazards, FORMS, plan.library))
            if not board.switches:
                return None
            return base, BoardRun(base.program, board, self.inputs, self.known)
        except SamebitsError:
            return None
