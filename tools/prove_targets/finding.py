"""The finding of one check on one target: plain data that workers send, and that adds up."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Finding:
    """`count` things were compared; `differing` names those that were not the same."""

    target: str
    check: str
    count: int = 0
    differing: list[str] = field(default_factory=list[str])
    failure: str | None = None
    """Why not everything was compared: the program crashed, hung, or did not link."""
    seconds: float = 0.0
    agreed: dict[str, int] = field(default_factory=dict[str, int])
    """Math functions with the host's bits on so many inputs, by their names in `make prove`."""

    @property
    def same(self) -> bool:
        return not self.differing and self.failure is None
