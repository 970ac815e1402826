"""The words that spell a side, as a table: what each means and which executions it applies to.

Owns the notation of a side and its errors; `side` owns what the words do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from samebits.backend.llvm import engine
from samebits.backend.targets.fp_environments import FLUSHINGS, ROUNDINGS, environment_bits
from samebits.backend.targets.table import Target
from samebits.digits import whole
from samebits.errors import SideError, TargetError, nearest
from samebits.modes import from_text
from samebits.runtime.emulation.machines import emulation_reason
from samebits.runtime.threads.pool import MOST_WORKERS

MANAGED, EVALUATE, NATIVE, EMULATED = "managed", "evaluate", "native", "emulated"
"""The kinds of execution."""
OPTIMISATIONS = (0, 3)
_LAST_START = 10**12


@dataclass(frozen=True, eq=False)
class SideSpec:
    """A side's words, parsed. `target` is None if Python runs the side."""

    kind: str
    target: Target | None
    opt: int
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    workers: int | None = None
    """How many threads run parallel ranges; None for the process's default."""
    environment: tuple[str, ...] = ()
    source: str | None = None
    hazards: tuple[str, ...] = ()
    start: int | None = None
    """The first frame in which hazards and environment act; None includes `init`."""


@dataclass(frozen=True, slots=True)
class SideWord:
    """A row: `name=value`. `read` parses the value; its ValueError names the choices."""

    name: str
    values: str
    what: str
    read: Callable[[str], Any]
    kinds: tuple[str, ...]


_COMPILED = (NATIVE, EMULATED)
_FROM_IR = (EVALUATE, *_COMPILED)


def _choice(name: str, *values: str | bool) -> Callable[[str], Any]:
    texts = {_text(value): value for value in values}

    def read(text: str) -> Any:
        if text not in texts:
            raise ValueError(" or ".join(texts))
        return from_text(name, texts[text])

    return read


def _text(value: str | bool) -> str:
    return value if isinstance(value, str) else "on" if value else "off"


def _count(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = whole(text)
        if number is not None and least <= number <= most:
            return number
        raise ValueError(f"a whole number from {least} to {most:,}")

    return read


def _opt(text: str) -> int:
    if text in map(str, OPTIMISATIONS):
        return int(text)
    raise ValueError(" or ".join(map(str, OPTIMISATIONS)))


def _environment(text: str) -> tuple[str, ...]:
    words = tuple(text.split("+"))
    if unknown := [word for word in words if word not in _ENVIRONMENTS]:
        raise ValueError(f"{', '.join(_ENVIRONMENTS)}, joined by + ({unknown[0]!r} is unknown)")
    return words


_ENVIRONMENTS = (*FLUSHINGS, *ROUNDINGS)


def _some(text: str) -> str:
    if text:
        return text
    raise ValueError("text")


WORDS: Mapping[str, SideWord] = {word.name: word for word in (
    SideWord("opt", "0|3", "LLVM's optimisation level", _opt, _COMPILED),
    SideWord("mode", "STRICT|DETERMINISTIC|FAST", "the float mode of every kernel of its own",
         _choice("mode", "STRICT", "DETERMINISTIC", "FAST"), _FROM_IR),
    SideWord("contract", "on|off", "whether DETERMINISTIC fuses products and sums",
         _choice("contract", True, False), _FROM_IR),
    SideWord("precision", "HIGH|MEDIUM|LOW", "of the math functions that its kernels call",
         _choice("precision", "HIGH", "MEDIUM", "LOW"), _FROM_IR),
    SideWord("denormals", "keep|flush", "whether its kernels flush subnormal numbers",
         _choice("denormals", "keep", "flush"), _FROM_IR),
    SideWord("optimize_for", "speed|size|compile_time", "what the compiler aims at",
         _choice("optimize_for", "speed", "size", "compile_time"), _COMPILED),
    SideWord("workers", "N", "threads that run parallel ranges",
         _count(1, MOST_WORKERS), (NATIVE,)),
    SideWord("fpenv", "WORD[+WORD]",
         f"the environment that code runs in: {', '.join(_ENVIRONMENTS)}",
         _environment, _COMPILED),
    SideWord("source", "PATH[:NAME]", "another version of the source", _some,
         (MANAGED, *_FROM_IR)),
    SideWord("hazard", "HAZARD[@PLACE][#VARIANT]",
         "a hazard injected at a place or everywhere; several",
         _some, _FROM_IR),
    SideWord("from", "FRAME", "hazards and environment act from this frame on",
         _count(0, _LAST_START), _FROM_IR),
)}  # fmt: skip
"""Words with a value. Words without one name an execution (managed, evaluate, a target, a target
with its level such as x86-64-v3-O0), or are `contract`, for contract=on."""

OPTIONS = ("mode", "contract", "precision", "denormals", "optimize_for")
"""The words that are options of kernels."""
_REPEATED = ("hazard",)


def read_words(text: str) -> SideSpec:
    """Parse comma-separated words. Raises SideError, TargetError."""
    execution: str | None = None
    found: dict[str, Any] = {}
    for part in (part.strip() for part in text.split(",")):
        if not part and text.strip():
            raise SideError(f"'{text}' has an empty word", fix="leave out the comma")
        name, equals, value = part.partition("=")
        if part == "contract":
            name, equals, value = "contract", "=", "on"
        if not equals:
            if execution is not None:
                raise SideError(
                    f"'{text}' names two executions: {execution} and {part}", fix="name one"
                )
            execution = part
            continue
        word = WORDS.get(name)
        if word is None:
            raise _unknown(part)
        try:
            read = word.read(value)
        except ValueError as error:
            raise SideError(f"{name}= takes {error}, not '{value}'") from None
        if name in _REPEATED:
            found[name] = (*found.get(name, ()), read)
        elif name in found:
            raise SideError(f"'{text}' gives {name}= twice", fix="give it once")
        else:
            found[name] = read
    kind, target, level = _execution(execution, text)
    if level is not None and found.setdefault("opt", level) != level:
        raise SideError(f"'{text}' gives two optimisation levels", fix="give one")
    _check(found, kind, target)
    return SideSpec(
        kind, target, found.get("opt", OPTIMISATIONS[-1]),
        {name: found[name] for name in OPTIONS if name in found},
        found.get("workers"), found.get("fpenv", ()), found.get("source"),
        found.get("hazard", ()), found.get("from"),
    )  # fmt: skip


def default_words() -> str:
    """The words that name this machine's best level, optimised."""
    try:
        return f"{engine.host_target().name}-O{OPTIMISATIONS[-1]}"
    except TargetError:
        return EVALUATE


def described_words() -> list[tuple[str, str]]:
    """Every word with its meaning, for a list."""
    rows = [(MANAGED, "CPython runs the source"), (EVALUATE, "the reference interpreter runs IR")]
    rows += [("TARGET[-O0|-O3]", f"compiled code: {', '.join(_targets())}")]
    return rows + [(f"{word.name}={word.values}", word.what) for word in WORDS.values()]


def _targets() -> dict[str, tuple[Target, str | None, bool]]:
    """Targets by name, each with the reason why it cannot run here, and whether it is emulated."""
    rows: dict[str, tuple[Target, str | None, bool]] = {}
    for level in engine.available_targets():
        here = level.reason is None
        reason = None if here else emulation_reason(level.target)
        rows[level.target.name] = level.target, reason, not here
    return rows


def _execution(name: str | None, text: str) -> tuple[str, Target | None, int | None]:
    """The execution's kind, its target, and the optimisation level if the name includes one."""
    if not name:
        return NATIVE, engine.host_target(), None
    if name in (MANAGED, EVALUATE):
        return name, None, None
    targets = _targets()
    base, level = name, None
    for opt in OPTIMISATIONS:
        if name.endswith(f"-O{opt}"):
            base, level = name.removesuffix(f"-O{opt}"), opt
    if base not in targets:
        raise _unknown(name)
    target, reason, emulated = targets[base]
    if reason is not None:
        raise TargetError(
            f"target '{base}' cannot run here: {reason}",
            fix="`samebits targets` lists what can",
        )
    return EMULATED if emulated else NATIVE, target, level


def _unknown(part: str) -> SideError:
    names = ", ".join([MANAGED, EVALUATE, *_targets()])
    words = ", ".join(f"{word.name}={word.values}" for word in WORDS.values())
    name, equals, value = part.partition("=")
    meant = nearest(name, WORDS if equals else [MANAGED, EVALUATE, *_targets(), "contract"])
    return SideError(
        f"'{part}' does not name an execution or an option",
        note=f"executions are {names}; words are contract, {words}",
        fix="write words separated by commas, such as x86-64-v2,opt=0"
        if meant is None
        else f"write {meant}{equals}{value}",
    )


_WHY = {
    MANAGED: "CPython runs the source as it is written",
    EVALUATE: "it is not compiled",
    EMULATED: "it runs in one thread of another machine",
}


def _check(found: Mapping[str, Any], kind: str, target: Target | None) -> None:
    for name in found:
        kinds = WORDS[name].kinds
        if kind not in kinds:
            like = EVALUATE if EVALUATE in kinds else "a target of this machine"
            raise SideError(
                f"{name}= does not apply to {kind if target is None else target.name}",
                note=_WHY[kind],
                fix=f"leave it out, or name {like}",
            )
    if target is not None:
        environment_bits(target.fp_control, found.get("fpenv", ()))
    if "from" in found and "hazard" not in found and "fpenv" not in found:
        raise SideError(
            "from= needs a hazard= or an fpenv= that acts from that frame on",
            fix="add one, or leave from= out",
        )
