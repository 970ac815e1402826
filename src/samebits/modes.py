"""The float modes, precisions and options of kernels as tables: what each allows and promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any, Literal, TypedDict

from samebits.errors import ArgumentError


class Precision(Enum):
    """Accuracy of the math functions; every precision has the same bits everywhere."""

    HIGH = "HIGH"
    """Correctly rounded."""
    MEDIUM = "MEDIUM"
    """At most 1 ULP off, as each function states."""
    LOW = "LOW"
    """At most 575 ULP off on the range that each function states; the fastest."""

    __hash__ = object.__hash__  # Enum's own is written in Python, and this is part of hot keys


@dataclass(frozen=True, slots=True)
class Mode:
    """One row of the mode table."""

    name: str
    promise: str

    def __repr__(self) -> str:
        return f"sb.{self.name}"


STRICT = Mode("STRICT", "the bits of the managed run, on every target")
DETERMINISTIC = Mode("DETERMINISTIC", "the bits of the rewritten IR, on every target")
FAST = Mode("FAST", "no promise")
MODES = {mode.name: mode for mode in (STRICT, DETERMINISTIC, FAST)}
HIGH = Precision.HIGH
MEDIUM = Precision.MEDIUM
LOW = Precision.LOW

MAX_RECURSION = 4096
"""The greatest bound of a recursive kernel. What its calls take of the stack may allow less."""

Denormals = Literal["keep", "flush"]
Goal = Literal["speed", "size", "compile_time"]


@dataclass(frozen=True, slots=True)
class Options:
    """The options by which one kernel is computed and compiled.

    Each option holds for the kernel that has it, never for those that it calls. It is the
    kernel's own where its decorator gives it; otherwise, for a job's `execute` and a simulation's
    `init` and `step`, that of the job or simulation; otherwise that of the module
    (`sb.defaults`); otherwise the one here.
    """

    mode: Mode = STRICT
    precision: Precision = HIGH
    """Precision of the math functions that the kernel itself calls."""
    contract: bool = False
    """Whether DETERMINISTIC makes one fused operation of a product and a sum."""
    denormals: Denormals = "keep"
    """Whether subnormal numbers are kept or flushed to a zero of their sign."""
    bounds_check: bool = True
    """Whether compiled code checks indices. Without, a wrong index is undefined behaviour."""
    optimize_for: Goal = "speed"
    """What the compiler aims at. Never changes a bit."""
    cosmetic: bool = False
    """Whether FAST results may reach a simulation's state, because they don't matter there."""
    prints: bool = True
    """Whether `print` and `sb.trace` do anything. Without, what they are given is computed all the
    same where it may trap or change something, so that no result changes."""
    arena: int = 1 << 24
    """The bytes that local arrays whose size is known only at run time may take at once, those of
    the kernels that called this one included."""
    debug_info: bool = False
    """Whether a debugger of machine code can step through its lines and read its names: what is
    compiled with it is not optimised. Never changes a bit."""

    def merged(self, given: Mapping[str, Any]) -> Options:
        """A copy with the `given` options replaced. Raises ArgumentError as `checked` does."""
        return replace(self, **checked(given)) if given else self


class OptionArguments(TypedDict, total=False):
    """The keyword arguments of decorators and simulations; see `Options`."""

    mode: Mode
    precision: Precision
    contract: bool
    denormals: Denormals
    bounds_check: bool
    optimize_for: Goal
    cosmetic: bool
    prints: bool
    arena: int
    debug_info: bool


class KernelArguments(OptionArguments, total=False):
    """The keyword arguments of `@kernel`: options, and the bound of its recursion."""

    recursion: int


def checked_recursion(bound: object) -> int:
    """`bound` if it is one of a recursive kernel; ArgumentError otherwise."""
    if type(bound) is int and 1 <= bound <= MAX_RECURSION:
        return bound
    raise ArgumentError(
        f"recursion is how many calls may be inside one another, 1 to {MAX_RECURSION:,}, not "
        f"{bound!r:.60}",
        fix="write recursion=64",
    )


_CHOICES: Mapping[str, tuple[object, ...]] = {
    "mode": tuple(MODES.values()),
    "precision": tuple(Precision),
    "contract": (False, True),
    "denormals": ("keep", "flush"),
    "bounds_check": (True, False),
    "optimize_for": ("speed", "size", "compile_time"),
    "cosmetic": (False, True),
    "prints": (True, False),
    "debug_info": (False, True),
}
"""The values that each option may have."""

MAX_ARENA = 1 << 30
"""The most bytes of an arena."""

_ELSEWHERE: Mapping[str, str] = {
    "fastmath": "write mode=sb.FAST, which promises no bits, or mode=sb.DETERMINISTIC",
    "parallel": "drop it: loops over sb.prange(n) are parallel by themselves",
    "nopython": "drop it: a kernel is always compiled",
    "cache": "drop it: compiled code is always kept on disk",
    "nogil": "drop it: a job runs beside Python",
    "boundscheck": "write bounds_check=False to take the checks out",
    "error_model": "drop it: floats divide as IEEE 754 says, integers trap",
    "inline": "drop it: the compiler inlines",
}
"""Where other compilers' options are here."""

DEFAULTS = Options()
DEFAULTS_NAME = "__samebits_defaults__"
"""The module global that holds the defaults of its kernels (`sb.defaults`)."""


def checked(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """`given` if every name is an option and every value allowed; ArgumentError otherwise."""
    for name, value in given.items():
        if name == "arena":
            _check_arena(value)
            continue
        if name not in _CHOICES:
            listed = f"the options are {', '.join(_CHOICES)} and arena"
            raise ArgumentError(f"there is no option '{name}'", fix=_ELSEWHERE.get(name, listed))
        choices = _CHOICES[name]
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            shown = [_shown(choice) for choice in choices]
            what = "a precision" if name == "precision" else name
            listed = f"{', '.join(shown[:-1])} or {shown[-1]}"
            raise ArgumentError(f"{what} is {listed}, not {value!r:.60}", fix=f"write {listed}")
    return given


def _check_arena(size: object) -> None:
    if type(size) is not int or not 1 <= size <= MAX_ARENA:
        raise ArgumentError(
            f"arena is the bytes of local arrays of run-time sizes, 1 to {MAX_ARENA:,}, not "
            f"{size!r:.60}",
            fix="write arena=1 << 24",
        )


def _shown(value: object) -> str:
    return f"sb.{value.name}" if isinstance(value, Precision | Mode) else repr(value)


def changed_options(options: Options) -> dict[str, Any]:
    """The options that differ from their defaults, by name."""
    return {
        field.name: getattr(options, field.name)
        for field in fields(options)
        if getattr(options, field.name) != getattr(DEFAULTS, field.name)
    }


def to_text(value: object) -> str | bool:
    """An option's value as a name or truth value, which `from_text` reads."""
    return value if isinstance(value, bool) else str(getattr(value, "name", value))


def from_text(name: str, text: str | bool) -> object:
    """The value of option `name` that `to_text` wrote; ValueError where there is none."""
    for choice in _CHOICES.get(name, ()):
        if to_text(choice) == text and type(to_text(choice)) is type(text):
            return choice
    raise ValueError(f"option {name} has no value {text!r}")
