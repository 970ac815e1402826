"""Manners in which the switches of a board act together: as compilers do, one thing all over."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product

from samebits.diagnosis.builds.board_run import Settings
from samebits.hazards.site_variants import ACROSS, SiteVariant
from samebits.hazards.switchboard import Switch

Changes = tuple[tuple[int, int], ...]
"""Switches by number, each with the variant that it is set to."""
_MOST_JOINED = 4
"""Manners of a hazard that are joined with others'."""


def altered(settings: Settings, changes: Changes) -> Settings:
    """Settings with some of them set otherwise."""
    made = settings.copy()
    for number, form in changes:
        made[number] = form
    return made


def manners(
    switches: Sequence[Switch], left: Sequence[set[int]], numbers: Sequence[int]
) -> list[dict[int, int]]:
    """Manners in which the switches of these numbers may act, of the variants that are left: by
    those with one note, of these the first, the second and so on, a switch with fewer by its last;
    then manners of several hazards at once. What acts across statements acts within them too."""
    by_note: dict[tuple[str, str], dict[int, list[int]]] = {}
    for number in numbers:
        for form, variant in enumerate(switches[number].variants, 1):
            if form in left[number]:
                key = variant.hazard.name, variant.note
                by_note.setdefault(key, {}).setdefault(number, []).append(form)
    for (hazard, note), forms in by_note.items():
        if note.endswith(ACROSS):
            within = by_note.get((hazard, note.removesuffix(ACROSS)), {})
            forms.update({k: v for k, v in within.items() if k not in forms})
    found: list[tuple[str, dict[int, int]]] = []
    most = max((len(v) for forms in by_note.values() for v in forms.values()), default=0)
    for rank in range(most):
        for (hazard, _), forms in by_note.items():
            if rank < max(map(len, forms.values())):
                chosen = {k: v[min(rank, len(v) - 1)] for k, v in forms.items()}
                found.append((hazard, chosen))
    return [forms for _, forms in found] + list(_joined(found))


def parts_of(switches: Sequence[Switch], forms: dict[int, int]) -> Iterator[Changes]:
    """A manner in one function, on one line, and of one switch alone."""
    yield from _grouped(switches, forms, lambda switch: switch.place.function)
    yield from _grouped(switches, forms, _line)
    yield from (((number, form),) for number, form in forms.items())


def _grouped(
    switches: Sequence[Switch], forms: dict[int, int], key: Callable[[Switch], Hashable]
) -> Iterator[Changes]:
    found: dict[Hashable, list[tuple[int, int]]] = {}
    for number, form in forms.items():
        found.setdefault(key(switches[number]), []).append((number, form))
    return (tuple(some) for some in found.values() if len(some) > 1)


def _joined(found: list[tuple[str, dict[int, int]]]) -> Iterator[dict[int, int]]:
    """The first manners of each hazard beside those of all others."""
    by_hazard: dict[str, list[dict[int, int]]] = {}
    for hazard, forms in found:
        by_hazard.setdefault(hazard, []).append(forms)
    if len(by_hazard) > 1:
        for some in product(*(each[:_MOST_JOINED] for each in by_hazard.values())):
            together: dict[int, int] = {}
            for forms in reversed(some):  # where two act at one place, the first one does
                together.update(forms)
            yield together


def line_of(variant: SiteVariant) -> Hashable:
    """The file and line at which a variant acts."""
    span = variant.site.op.span
    return span.file, span.line


def _line(switch: Switch) -> Hashable:
    return line_of(switch.variants[0])
