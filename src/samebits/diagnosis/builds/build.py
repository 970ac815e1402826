"""A build of side a's program that gives another machine's hashes, or the first of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point, Settings
from samebits.diagnosis.builds.built_side import BuiltSide
from samebits.diagnosis.builds.decode import Decoded
from samebits.diagnosis.builds.hypotheses import Story, story_of
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.hazards.injection import ExpressionVariant, variants_among
from samebits.hazards.site_variants import SiteVariant
from samebits.hazards.switchboard import Switch
from samebits.ir.grammar import Module
from samebits.ir.refs import described
from samebits.sides.side import Side

_MOST_PLACES = 12
"""Places that are told one by one."""
_Spot = tuple[str, str]
"""A function, and where in it which operation stands."""


@dataclass(frozen=True)
class Build:
    """One build, which `side` runs."""

    story: Story
    hazards: tuple[str, ...]
    side: Side | BuiltSide
    agreement: Agreement
    everywhere: bool
    """Whether it does one thing wherever it can."""
    events: int
    """Frames that show it, `SURE_FRAMES` at most."""
    places: tuple[str, ...] = ()
    """Where it does something, and where nothing, unless `everywhere`: lists, of a line a place."""
    variants: tuple[SiteVariant, ...] = ()
    """What acts, at its places; an option has none."""
    shown: Side | None = None
    """The build of the first frame alone, without what that frame's hash does not need; None for
    the side itself."""
    sure: bool = True
    """Whether nothing that is not tried would look so."""
    told: str = ""
    """How it was made and what it gives; empty where the side's words say it."""


@dataclass(frozen=True)
class Attempt:
    """A board of `hazards`, over the program of `base`, in which the hazard `beneath` acts
    everywhere, if one does; and how far its settings go."""

    run: BoardRun
    base: BuiltSide
    hazards: tuple[str, ...]
    beneath: str | None
    decoded: Decoded
    frame: int
    """The first whose hash side a does not have."""
    agreement: Agreement

    @property
    def is_whole(self) -> bool:
        """Whether all hashes are given."""
        return self.decoded.parting is None

    def build(self) -> Build:
        """The build that the settings stand for: one that does one thing everywhere, where no
        frame says otherwise."""
        found = self._everywhere() if self.is_whole and len(self.hazards) == 1 else None
        return self._in_places() if found is None else found

    @property
    def _under(self) -> tuple[str, ...]:
        return () if self.beneath is None else (self.beneath.split("#")[0],)

    @property
    def _events(self) -> int:
        return self.run.events(self.decoded.settings, SURE_FRAMES) if self.is_whole else 0

    def _everywhere(self) -> Build | None:
        hazard, base = self.hazards[0], self.base
        for number, variant in enumerate(variants_among(base.program.kernels, hazard)):
            settings = self._settings(variant)
            if settings is None or self.run.parting(Point(INIT, b""), settings) is not None:
                continue
            spec = replace(base.spec, hazards=(*base.spec.hazards, f"{hazard}#{number}"))
            text = ",".join(f"hazard={each}" for each in spec.hazards)
            side = replace(base, text=text, spec=spec)
            names = hazard, *self._under
            return Build(
                story_of(names), names, side, self.agreement, True, self._events,
                variants=variant.parts, shown=self._shown(settings),
            )  # fmt: skip
        return None

    def _settings(self, variant: ExpressionVariant) -> Settings | None:
        """Those of one form everywhere; None where some frame refutes it."""
        at = {switch.place: number for number, switch in enumerate(self.run.board.switches)}
        settings = self.run.off()
        for part in variant.parts:
            number = at.get(part.place)
            form = None if number is None else _form(self.run.board.switches[number], part)
            if number is None or form is None:
                return None
            settings[number] = form
        left = self.decoded.left
        fits = all(form in some for form, some in zip(_forms(settings), left, strict=False))
        return settings if fits else None

    def _in_places(self) -> Build:
        run, base, decoded = self.run, self.base, self.decoded
        needed = run.needed(decoded.settings, decoded.parting)
        on = self._variants(needed)
        names = tuple(dict.fromkeys(variant.hazard.name for variant in on)) or self.hazards
        text = f"{' and '.join(names)} at {len(on)} place{'' if len(on) == 1 else 's'}"
        text += "" if self.beneath is None else f" on top of hazard={self.beneath}"
        names = (*names, *self._under)
        side = replace(base, text=text, variants=on)
        told = tuple(_told(base.program.kernels, run.board.switches, needed, decoded.left))
        return Build(
            story_of(names), names, side, self.agreement, False, self._events, told, on,
            self._shown(needed),
        )  # fmt: skip

    def _shown(self, settings: Settings) -> BuiltSide:
        on = self._variants(self.run.needed_in(self.frame, settings))
        return replace(self.base, text="shown", variants=on)

    def _variants(self, settings: Settings) -> tuple[SiteVariant, ...]:
        """What the settings let act."""
        forms = zip(self.run.board.switches, _forms(settings), strict=False)
        return tuple(switch.variants[form - 1] for switch, form in forms if form)


def _forms(settings: Settings) -> list[int]:
    return [int(form) for form in settings]


def _form(switch: Switch, part: SiteVariant) -> int | None:
    wanted = part.note, part.tree, part.arithmetic
    for form, each in enumerate(switch.variants, 1):
        if (each.note, each.tree, each.arithmetic) == wanted:
            return form
    return None


def _told(
    kernels: Module, switches: Sequence[Switch], settings: Settings, left: Sequence[set[int]]
) -> Iterator[str]:
    """Where something acts, and where nothing does: a list each, a line a place."""
    on, off, untold = Counter[_Spot](), Counter[_Spot](), 0
    for switch, form, forms in zip(switches, _forms(settings), left, strict=False):
        function = switch.place.function
        spot = function, described(kernels, switch.place).removesuffix(f" in {function}")
        if form:
            on[spot] += 1
        elif len(forms) == 1:
            off[spot] += 1
        else:
            untold += 1
    yield "\n".join(["it acts at", *_listed(on)])
    without = Counter({spot: count for spot, count in off.items() if spot not in on})
    if without:
        yield "\n".join(["it does not at", *_listed(without)])
    if untold:
        yield f"this run does not tell of {untold} more place{'' if untold == 1 else 's'}"


def _listed(spots: Mapping[_Spot, int]) -> Iterator[str]:
    """Places by function, of which each is named once."""
    shown = sorted(spots, key=lambda spot: spot[0])[:_MOST_PLACES]  # which keeps their order
    width = max((len(function) for function, _ in shown), default=0)
    last = ""
    for function, where in shown:
        name = "" if function == last else function
        times = f", {spots[function, where]} times" if spots[function, where] > 1 else ""
        yield f"  {name:<{width}}  {where}{times}"
        last = function
    if more := len(spots) - len(shown):
        yield f"  and {more} more"
