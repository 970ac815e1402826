"""Probes put into LLVM IR as text: calls that see values and give none back.

A probe reads what the compiler has computed anyway, by `bitcast` and `zext`, and is said to touch
no memory that the program sees. What it adds has names, so that numbered values keep theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from samebits.foreign.probes.debug_info import DebugInfo, SourcePlace
from samebits.foreign.probes.instructions import Instruction, instruction_of

MEMORY, CALLS, STORES, OPERATIONS = "memory", "calls", "stores", "operations"
"""The levels: what is stored elsewhere than in a local variable; that, and what calls give; all
that is stored; and every operation on numbers besides. The less a level asks for, the less does it
keep from the compiler."""
_DECLARED = """
declare void @sb_probe(i32, i64, i64, i64, i64) #99999
declare void @sb_probe_begin(i64)
declare void @sb_probe_end(i64)
attributes #99999 = { nounwind willreturn memory(inaccessiblemem: readwrite) }
"""
_FRAME = re.compile(r"(?:call|invoke) .*@(sb_begin|sb_end)\(ptr [^,]*, i64 (?:noundef )?([-%\w.]+)")
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_VECTOR = re.compile(r"<(\d+) x (\w+)>")
_OWN = re.compile(r"^(sb_|llvm\.dbg|llvm\.lifetime)")


@dataclass(frozen=True, slots=True)
class Site:
    """One instruction with a probe."""

    place: SourcePlace
    opcode: str
    type: str
    operands: tuple[str, ...]
    """Their types."""
    turn: int
    """How many alike there are before it in its function."""
    flags: str
    line: int
    """In the IR, from 0: where the instruction itself stands."""
    module: str
    symbol: str
    """The function as the linker knows it."""
    literals: tuple[bool, ...]
    """Whether each operand is a number that stands in the code."""

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same on another side."""
        return (self.place, plain_name(self.opcode), self.type, self.turn)

    @property
    def width(self) -> int:
        """Bits of its result."""
        return bits_of(self.type)


def bits_of(type: str) -> int:
    """The bits of a type that probes show, 64 at most."""
    vector = _VECTOR.match(type)
    if vector is not None:
        return min(64, int(vector[1]) * bits_of(vector[2]))
    if type.startswith("i"):
        return min(64, int(type[1:]))
    return _BITS.get(type, 64)


_NAMES = re.compile(r"^@(?:llvm\.)?_?_?(\w+?)(?:\.[fiv]\d+\w*)?$")
_LIBM_FLOAT = re.compile(
    r"^(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|sqrt"
    r"|cbrt|hypot|fmod|fma|fabs|floor|ceil|round|trunc|rint|remainder|fmin|fmax|copysign|erf|tgamma"
    r"|lgamma)[fl]?(?:_finite)?$"
)


def plain_name(opcode: str) -> str:
    """An operation by one name on all sides: `@llvm.sqrt.f32`, `@sqrtf` and `@__sqrtf_finite` are
    `sqrt`; other functions keep theirs, with its `@`."""
    if opcode in ("@llvm.fmuladd.f32", "@llvm.fmuladd.f64"):
        return "fmuladd"
    match = _NAMES.match(opcode)
    found = None if match is None else _LIBM_FLOAT.match(match[1])
    return opcode if found is None else found[1]


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A module with probes, and its sites by number from `first` on."""

    text: str
    sites: tuple[Site, ...]
    frames: int
    """Calls that begin or end a frame."""


def instrumented(text: str, level: str, first: int, module: str) -> Instrumented:
    """The module with probes at a level, outside of the recorder."""
    debug = DebugInfo(text)
    sites: list[Site] = []
    out: list[str] = []
    turns: dict[tuple[object, ...], int] = {}
    frames = 0
    symbol, is_own = "", False
    local: set[str] = set()
    for number, line in enumerate(text.split("\n")):
        if line.startswith("define "):
            symbol = _symbol(line)
            is_own = bool(_OWN.match(symbol))
            turns, local = {}, set()
        frame = _FRAME.search(line) if "@sb_" in line and not is_own else None
        if frame is not None and symbol:
            frames += 1
            debugged = re.search(r", !dbg ![0-9]+", line)
            call = f"  call void @sb_probe_{frame[1][3:]}(i64 {frame[2]})"
            call += debugged[0] if debugged else ""
            out += [call, line]  # in front of both, as the recorder has no probes of its own
            continue
        out.append(line)
        if is_own or not symbol:
            continue
        if level in (MEMORY, CALLS) and _is_local(line, local):
            continue
        site = _site(line, level, debug, turns, number, module, symbol)
        if site is not None:
            found, instruction = site
            out += _probe(instruction, first + len(sites))
            sites.append(found)
        if line == "}":
            symbol = ""
    return Instrumented("\n".join(out) + _DECLARED, tuple(sites), frames)


_ALLOCATED = re.compile(r"^  (%[-\w.$]+) = alloca ")
_WITHIN = re.compile(r"^  (%[-\w.$]+) = getelementptr .*?ptr (%[-\w.$]+),")
_STORED = re.compile(r"^  store .*, ptr (%[-\w.$]+)")


def _is_local(line: str, local: set[str]) -> bool:
    """Whether a line stores to a local variable; `local` are the addresses of those known."""
    if (match := _ALLOCATED.match(line)) or ((match := _WITHIN.match(line)) and match[2] in local):
        local.add(match[1])
    elif match := _STORED.match(line):
        return match[1] in local
    return False


def _symbol(line: str) -> str:
    match = re.search(r"@([-\w.$]+|\"[^\"]*\")\(", line)
    return match[1].strip('"') if match else ""


def _site(
    line: str,
    level: str,
    debug: DebugInfo,
    turns: dict[tuple[object, ...], int],
    number: int,
    module: str,
    symbol: str,
) -> tuple[Site, Instruction] | None:
    found = instruction_of(line)
    if found is None or not _is_of(level, found.opcode):
        return None
    place = debug.place(found.location) if found.location else None
    if place is None or _OWN.match(place.function) or _OWN.match(found.opcode[1:]):
        return None
    like = (place, plain_name(found.opcode), found.type)
    turn = turns[like] = turns.get(like, -1) + 1
    types = tuple(type for type, _ in found.operands)
    literals = tuple(not value.startswith("%") for _, value in found.operands)
    site = Site(
        place, found.opcode, found.type, types, turn, found.flags, number, module, symbol, literals
    )
    return site, found


def _is_of(level: str, opcode: str) -> bool:
    """Whether an operation has a probe at a level."""
    is_call = opcode.startswith("@") and not opcode.startswith("@llvm.")
    return level == OPERATIONS or opcode == "store" or (level == CALLS and is_call)


def _probe(found: Instruction, number: int) -> Iterator[str]:
    """The lines that show an instruction's operands and its result."""
    shown: list[str] = []
    values = [*found.operands[:3]]
    result = (found.type, found.result) if found.result else values[0]
    debug = f", !dbg {found.location}"
    for letter, (type, value) in zip("abcr", [*values, *[("", "")] * (3 - len(values)), result],
                                     strict=True):  # fmt: skip
        if not type:
            shown.append("i64 0")
            continue
        name = f"%sb.{number}{letter}"
        yield from _as_word(name, type, value, debug)
        shown.append(f"i64 {name}")
    yield f"  call void @sb_probe(i32 {number}, {', '.join(shown)}){debug}"


def _as_word(name: str, type: str, value: str, debug: str) -> Iterator[str]:
    """The lines that make an i64 of a value, the lowest 64 bits of a wider one."""
    if type == "x86_fp80":
        yield f"  {name}.d = fptrunc x86_fp80 {value} to double{debug}"
        type, value = "double", f"{name}.d"
    vector = _VECTOR.match(type)
    width = int(vector[1]) * _whole(vector[2]) if vector else _whole(type)
    if not type.startswith("i"):
        yield f"  {name}.i = bitcast {type} {value} to i{width}{debug}"
        value = f"{name}.i"
    if width < 64:
        yield f"  {name} = zext i{width} {value} to i64{debug}"
    elif width > 64:
        yield f"  {name} = trunc i{width} {value} to i64{debug}"
    else:
        yield f"  {name} = add i64 {value}, 0{debug}"


def _whole(type: str) -> int:
    return int(type[1:]) if type.startswith("i") else _BITS[type]
