"""The rules of a match, which its relay keeps.

Knows nothing of how they are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from samebits.net import limits
from samebits.net.relay.closing import ClosingRules

Policy = Literal["heal", "pause", "end", "log"]
Validator = Callable[[int, int, bytes], bool]
"""`validator(slot, frame, input)` says whether a canonical input is possible."""


@dataclass(frozen=True, slots=True)
class MatchRules:
    """How a match is played. It starts when `needed` players are ready, all by default, and ends
    after `frames`, if given. Spectators see it `spectator_delay` frames late. `ordered` says
    whether the transport keeps messages in order and loses none. A match without a `referee` gets
    one when votes are tied, who runs it from its beginning, unless `retrial` is false."""

    seed: int = 0
    needed: int | None = None
    frames: int | None = None
    closing: ClosingRules = field(default_factory=ClosingRules)
    delay: int = 0
    most_delay: int = 30
    policy: Policy = "heal"
    referee: bool = True
    retrial: bool = True
    spectator_delay: int = 0
    away: int = limits.AWAY
    ordered: bool = True
    validator: Validator | None = None
