"""Memory that holds what was there before: in a local struct or array, in a field of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random

from samebits.bits import float_to_bits, round_float
from samebits.diagnose.drafts import Draft, entries, own_functions
from samebits.diagnose.hazards.hazard import Structural, Way
from samebits.diagnose.places import Numbered, Place, statement_at
from samebits.diagnose.writes import ANY, Path, leaves, written
from samebits.ir.grammar import Module, Op, Value, walk
from samebits.types import BOOL, INT, FixedArrayType, RefType, ScalarType

_MOST = 256
"""Scalars of one struct or array that are tried."""


def _places(module: Module) -> list[Place]:
    found = [
        Place(function.name, op.id)
        for function in own_functions(module)
        for op in walk(function.body)
        if isinstance(op, Op) and op.opcode == "zero"
    ]
    begin = _beginning(module)
    if begin is not None and begin not in found and next(_unwritten(module), None) is not None:
        found.append(begin)
    order = {name: i for i, name in enumerate(module.functions)}
    return sorted(found, key=lambda place: order[place.function])


def _beginning(module: Module) -> Place | None:
    """The first statement of a simulation's `init`; None in a module that has none."""
    try:
        init, _ = entries(module)
    except LookupError:
        return None
    body = module.functions[init].body
    first = next((s for s in body if isinstance(s, Numbered)), None)
    return None if first is None else Place(init, first.id)


def _unwritten(module: Module) -> Iterator[Path]:
    """The scalars of the state that nothing writes before the first step."""
    init, _ = entries(module)
    name, t = module.functions[init].params[0]
    assert isinstance(t, RefType)
    done = written(module)[init].get(name, set[Path]())
    for path in leaves(t.target):
        if not any(path[:length] in done for length in range(len(path) + 1)):
            yield path


class _Drawn:
    """What may have been there before, and in which element: as it is drawn."""

    def __init__(self, draws: Random) -> None:
        self._draws = draws

    def index(self, length: int) -> int:
        return self._draws.randrange(length)

    def value(self, t: ScalarType) -> bool | int | float | None:
        """Some number of ordinary size, not zero."""
        if t is BOOL:
            return True
        if t.is_ieee:
            number = self._draws.choice((1, -1)) * self._draws.uniform(1.0, 1000.0)
            # In IR a half is its bits.
            return round_float(number, t.bits) if t.is_float else float_to_bits(number, t.bits)
        return self._draws.randint(1, min(t.storage.maximum, 10_000))


class _Known:
    """A value that was seen, in the element at some indices."""

    def __init__(self, t: ScalarType, value: bool | int | float, at: Sequence[int]) -> None:
        self._type, self._value = t, value
        self._at = list(at)

    def index(self, length: int) -> int:
        return min(self._at.pop(0), length - 1) if self._at else 0

    def value(self, t: ScalarType) -> bool | int | float | None:
        return self._value if t.storage == self._type else None


def _spoilt(draft: Draft, ref: Value, path: Path, there: _Drawn | _Known) -> str | None:
    """Write garbage to the scalar at a path; how the path is written, None where none was."""
    shown = ""
    for part in path:
        assert isinstance(ref.type, RefType)
        t = ref.type.target
        if part == ANY:
            assert isinstance(t, FixedArrayType)
            at = [there.index(length) for length in t.shape]
            ref = draft.element(ref, *(draft.const(INT, i) for i in at))
            shown += f"[{', '.join(map(str, at))}]"
        elif isinstance(part, str):
            ref = draft.field(ref, part)
            shown += f".{part}"
        else:
            ref = draft.component(ref, part)
            shown += f".{'xyzw'[part]}" if part < 4 else f"[{part}]"
    assert isinstance(ref.type, RefType)
    t = ref.type.target
    assert isinstance(t, ScalarType)
    value = there.value(t)
    if value is None:
        return None
    draft.store(ref, draft.const(t.storage, value))
    return shown


def holding(
    module: Module, place: Place, t: ScalarType, value: bool | int | float, at: Sequence[int] = ()
) -> Iterator[Way]:
    """The ways at a place, with a value that was seen as the garbage: in each scalar of type `t`,
    of an array in the element at the indices `at`, or the first."""
    yield from _all(module, place, lambda: _Known(t, value, at))


def _ways(module: Module, place: Place, draws: Random) -> Iterator[Way]:
    yield from _all(module, place, lambda: _Drawn(draws))


def _all(module: Module, place: Place, there: Callable[[], _Drawn | _Known]) -> Iterator[Way]:
    statement = statement_at(module, place)
    if isinstance(statement, Op) and statement.opcode == "zero":
        yield from islice(_local_ways(module, place, statement, there), _MOST)
    if place == _beginning(module):
        yield from islice(_state_ways(module, place, there), _MOST)


def _local_ways(
    module: Module, place: Place, op: Op, there: Callable[[], _Drawn | _Known]
) -> Iterator[Way]:
    ref = op.args[0]
    assert isinstance(ref.type, RefType)
    for path in leaves(ref.type.target):
        draft = Draft(module, place.function)
        with draft.instead(place.op) as zero:
            draft.keep(zero)
            shown = _spoilt(draft, ref, path, there())
        if shown is not None:
            yield draft.done(), f"garbage in {ref.type.target}{shown} of a local"


def _state_ways(
    module: Module, place: Place, there: Callable[[], _Drawn | _Known]
) -> Iterator[Way]:
    for path in _unwritten(module):
        draft = Draft(module, place.function)
        with draft.first():
            state = draft.get(draft.function.params[0][0])
            shown = _spoilt(draft, state, path, there())
        if shown is not None:
            yield draft.done(), f"garbage in state{shown}, which init leaves alone"


UNINITIALISED = Structural(
    "uninitialised",
    "memory that was not initialised",
    _places,
    _ways,
    practice="malloc, `T x;` in C and C++, pools and stacks that are used again",
    remedy="write every field before it is read; run under MSan or Valgrind",
)
