"""The kind of each assembly instruction (packed, scalar, forbidden, …), by architecture.

A kind says what the instruction is, not what it is used for: `xorps` that clears one float is
packed. Knows the text that LLVM prints, not how it came about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache

from samebits.backend.targets.audit import APPLE_COMMENTS, COMMENTS, audit, called
from samebits.backend.targets.table import Target


class InstructionKind(Enum):
    """The kind of a line of assembly."""

    PACKED = "packed"
    """SIMD: several lanes, floats or integers."""
    SCALAR = "scalar"
    """One float: arithmetic, comparison, conversion, or a move of a float register."""
    FORBIDDEN = "forbidden"
    """Would break the same bits: see `targets.audit`."""
    CALL = "call"
    OTHER = "other"
    """Integers, addresses, control flow."""
    LABEL = "label"
    DATA = "data"
    """Constants in memory."""
    DIRECTIVE = "directive"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Mnemonics:
    """Instructions of one kind: a regular expression over the whole mnemonic, and one that must be
    found in the operands."""

    kind: InstructionKind
    mnemonic: str
    operands: str = ""


_P, _S, _O = InstructionKind.PACKED, InstructionKind.SCALAR, InstructionKind.OTHER

_X86 = (
    Mnemonics(_O, r"v?zero(upper|all)|v?(ld|st)mxcsr|popcnt[wlq]?|push\w*|pop\w*"),
    Mnemonics(_O, r"v?mov[dq]|k\w+|pextr\w|prefetch\w*"),
    Mnemonics(_P, r"vbroadcast\w+"),
    Mnemonics(_S, r"v?cvt\w*(s[sd]2u?si|si2s[sd])[lq]?|v?cvts[sd]2s[sd]|v?u?comis[sd]"),
    Mnemonics(_S, r"v?[a-z]\w*[a-z0-9]s[sd]", r"%[xyz]mm"),
    Mnemonics(_P, r"v?\w+p[sd]\w?|v?cvt\w+p[sd]\w*", r"%[xyz]mm"),
    Mnemonics(_P, r"v?p[a-z]\w+|v?mov(dq\w+|ntdq\w*|s[hl]dup|ddup)|v?lddqu", r"%[xyz]mm"),
    Mnemonics(_P, r"v\w+", r"%[xyz]mm"),
)
_PPC = (
    Mnemonics(
        _O, r"mt(vsr|fprd?|fprwz?)\w*|mf(vsr|fprd?|fprwz?)\w*|vrsave|mtctr|mfctr|mtlr|mflr|mtocrf"
    ),
    Mnemonics(_S, r"xs\w+|lxs\w+|stxs\w+|lf[sd]\w*|stf[sdi]\w*|mffs\w*|mtfsf\w*|mtfsb\w*"),
    Mnemonics(_P, r"xv\w+|xx\w+|lxv\w*|stxv\w*|lvx|stvx|lvsl|lvsr|v[a-z]\w+"),
    Mnemonics(_S, r"f[a-z]\w+\.?"),
)
_MIPS = (
    Mnemonics(
        _S,
        r"[a-z]\w*(\.\w+)*\.[sd](\.[wl])?|cvt\.\w+\.\w+|[ls][wd]x?c1|d?m[tf]h?c1|bc1[tf]\w*",
    ),
)

INSTRUCTIONS: dict[str, tuple[Mnemonics, ...]] = {
    "x86_64": _X86,
    "i686": _X86,
    "aarch64": (
        Mnemonics(_O, r"m[sr][sr]"),
        Mnemonics(_P, r".*", r"\bv\d+\.\d*[bhsdq]\b|\bq\d+\b"),
        Mnemonics(_P, r"\w+\.(16b|8b|8h|4h|4s|2s|2d|1d|b|h|s|d)", r"\bv\d+"),
        Mnemonics(_S, r".*", r"\b[hsd]([12]?\d|3[01])\b"),
    ),
    "armv7": (
        Mnemonics(_O, r"vm[sr][sr]"),
        Mnemonics(_P, r"v\w+(\.\w+)*", r"\bq\d+"),
        Mnemonics(_S, r"v\w+(\.\w+)*"),
    ),
    "riscv64": (
        Mnemonics(_O, r"fence\S*|[fs]s?(r|rm|flags)(i)?|frcsr|fscsr"),
        Mnemonics(_S, r"f\w+\.[sd]\S*|fmv\.\S+|fcvt\.\S+|c?\.?f[ls][wd](sp)?"),
        Mnemonics(_P, r"v\w+(\.\w+)*"),
    ),
    "powerpc64le": _PPC,
    "powerpc64": _PPC,
    "s390x": (
        Mnemonics(_P, r"v[a-z]\w+|w[a-z]+[sdx]b"),
        Mnemonics(_S, r"([asmdck]|sq|l[cpnt]|ml|m[ade]+|ms)[ed]br?a?|meebr?|mdebr?|l[ed]e?br?a?"
                r"|lz[ed]r|l[ed]y?r?|st[ed]y?|c[dlegx]+[gf]?br?a?|fi[ed]br?a?|tc[ed]b|cpsdr|l[pnc]dfr"
                r"|l[dg][gd]r|ldeb|ledbr"),
    ),
    "loongarch64": (
        Mnemonics(_O, r"movgr2fcsr|movfcsr2gr"),
        Mnemonics(_S, r"f\w+\.\S+|mov(gr2fr|fr2gr|gr2frh|frh2gr|cf2gr|gr2cf|fr2cf|cf2fr)\S*"
                r"|fsel|b(ceq|cne)z"),
        Mnemonics(_P, r"x?v\w+\.\w+"),
    ),
    "mips64el": _MIPS,
    "wasm32": (
        Mnemonics(_P, r"(v128|[if]\d+x\d+)\.\S+"),
        Mnemonics(_S, r"f(32|64)\.\S+|i(32|64)\.(trunc\w*_f\d+\w*|reinterpret_f\d+)"),
    ),
}  # fmt: skip
"""Rows by architecture; the first one that matches gives the kind, and an instruction without a row
is `OTHER`."""

_DATA = re.compile(
    r"\.(?:byte|int8|int16|int32|int64|short|[248]byte|hword|half|word|long|quad|xword|dword|ascii"
    r"|asciz|string|zero|space|skip|fill|gpword|gpdword)\b"
)
_LABEL = re.compile(r'^(?:"(?:[^"\\]|\\.)*"|[\w$.@:<>]+):')


@cache
def _rows(
    architecture: str,
) -> tuple[tuple[InstructionKind, re.Pattern[str], re.Pattern[str]], ...]:
    table = INSTRUCTIONS[architecture]
    return tuple((r.kind, re.compile(r.mnemonic), re.compile(r.operands)) for r in table)


def instruction_kind(mnemonic: str, operands: str, target: Target) -> InstructionKind:
    """The kind by the table alone, without calls and forbidden instructions."""
    for kind, pattern, wanted in _rows(target.architecture):
        if pattern.fullmatch(mnemonic) and wanted.search(operands):
            return kind
    return InstructionKind.OTHER


def kinds(assembly: str, target: Target, allow_fma: bool = False) -> list[InstructionKind]:
    """The kind of every line of LLVM's assembly, in order; `allow_fma` as for `audit`."""
    comment = comment_mark(target)
    forbidden = {found.line for found in audit(assembly, target, allow_fma)}
    return [
        InstructionKind.FORBIDDEN
        if number in forbidden
        else _line_kind(without_comment(line, comment), target)
        for number, line in enumerate(assembly.splitlines(), 1)
    ]


def comment_mark(target: Target) -> str:
    """The mark that begins a comment in LLVM's assembly for a target."""
    apple = APPLE_COMMENTS if "-apple-" in target.triple else {}
    return {**COMMENTS, **apple}[target.architecture]


def without_comment(line: str, comment: str) -> str:
    """A line of assembly without LLVM's comment at its end."""
    before, found, _ = line.partition(comment)
    # A comment starts a line or follows white space; `#` also begins ARM's immediates.
    while found and before and not before[-1].isspace():
        more, found, _ = line[len(before) + len(comment) :].partition(comment)
        before += comment + more
    return before.rstrip()


def _line_kind(line: str, target: Target) -> InstructionKind:
    text = line.strip()
    if not text:
        return InstructionKind.COMMENT
    if _LABEL.match(text):
        return InstructionKind.LABEL
    if text.startswith("."):
        return InstructionKind.DATA if _DATA.match(text) else InstructionKind.DIRECTIVE
    if not line[0].isspace():  # an assignment: `name = value`
        return InstructionKind.DIRECTIVE
    mnemonic, _, operands = text.replace("\t", " ").partition(" ")
    if called(mnemonic, operands, target):
        return InstructionKind.CALL
    return instruction_kind(mnemonic, operands, target)
