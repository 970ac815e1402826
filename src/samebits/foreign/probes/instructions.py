"""The instructions of LLVM IR that probes watch, read from its text.

Owns how their lines read, of LLVM 15 to 22, whose pointers are opaque. What is done with them is
`instrument.py`'s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TYPE = r"(?:<\d+ x (?:half|float|double|i\d+)>|half|bfloat|float|double|x86_fp80|i\d+)"
_NAME = r"%[-\w.$]+|%\"[^\"]*\""
_NUMBER = r"0x[0-9A-FHKLMRa-f]+|-?[0-9][-+.0-9eE]*|true|false|undef|poison"
_VALUE = rf"(?:{_NAME}|{_NUMBER})"
_FAST = "fast|nnan|ninf|nsz|arcp|contract|afn|reassoc"
_FLAGS = rf"((?:(?:{_FAST}|nsw|nuw|exact|nneg|disjoint|samesign) )*)"
_ATTRIBUTE = r"(?:noundef|zeroext|signext|inreg|nofpclass\([a-z ]*\)|range\([^)]*\)\)?)"
_INTEGER = "add|sub|mul|sdiv|udiv|srem|urem|shl|lshr|ashr|and|or|xor"
_DEBUG = re.compile(r", !dbg (![0-9]+)")
_RESULT = r"^  (%[-\w.$]+) = "
_STORE = re.compile(rf"^  store (?:volatile )?({_TYPE}) ({_VALUE}), ptr ")
_BINARY = re.compile(
    _RESULT
    + rf"(fadd|fsub|fmul|fdiv|frem|{_INTEGER}) {_FLAGS}({_TYPE}) ({_VALUE}), ({_VALUE})"
)  # fmt: skip
_UNARY = re.compile(_RESULT + rf"(fneg) {_FLAGS}({_TYPE}) ({_VALUE})")
_CAST = re.compile(
    _RESULT
    + rf"(fptrunc|fpext|fptosi|fptoui|sitofp|uitofp) {_FLAGS}({_TYPE}) ({_VALUE}) to ({_TYPE})"
)
_SELECT = re.compile(
    _RESULT + rf"(select) {_FLAGS}i1 {_VALUE}, ({_TYPE}) ({_VALUE}), {_TYPE} ({_VALUE})"
)
_CALL = re.compile(
    _RESULT
    + rf"(?:tail |notail )?call {_FLAGS}(?:\w+cc )?((?:{_ATTRIBUTE} )*)({_TYPE}) "
    + r"(@[-\w.$]+|@\"[^\"]*\")\((.*)$"
)
_ARGUMENT = re.compile(rf"^({_TYPE}) (?:{_ATTRIBUTE} )*({_VALUE})$")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One that is watched: `opcode` is LLVM's, or a call's function with its `@`."""

    opcode: str
    result: str
    """The name of its result; empty for a store."""
    type: str
    """Of its result, or of what is stored."""
    operands: tuple[tuple[str, str], ...]
    """Type and value of each number among them, three at most."""
    flags: str
    location: str
    """Of its source, such as `!12`; empty where it has none."""


def instruction_of(line: str) -> Instruction | None:
    """The instruction of a line, None where it is none that is watched."""
    if not line.startswith("  ") or "x" * 2000 in line:
        return None
    found = _store(line) if line.startswith("  store ") else _valued(line)
    if found is None:
        return None
    debug = _DEBUG.search(line)
    opcode, result, type, operands, flags = found
    return Instruction(opcode, result, type, operands, flags, debug[1] if debug else "")


_Parts = tuple[str, str, str, tuple[tuple[str, str], ...], str]


def _store(line: str) -> _Parts | None:
    match = _STORE.match(line)
    return None if match is None else ("store", "", match[1], ((match[1], match[2]),), "")


def _valued(line: str) -> _Parts | None:
    if " = " not in line:
        return None
    if match := _BINARY.match(line):
        result, opcode, flags, type, a, b = match.groups()
        return opcode, result, type, ((type, a), (type, b)), flags.strip()
    if match := _UNARY.match(line):
        result, opcode, flags, type, a = match.groups()
        return opcode, result, type, ((type, a),), flags.strip()
    if match := _CAST.match(line):
        result, opcode, flags, before, a, type = match.groups()
        return opcode, result, type, ((before, a),), flags.strip()
    if match := _SELECT.match(line):
        result, opcode, flags, type, a, b = match.groups()
        return opcode, result, type, ((type, a), (type, b)), flags.strip()
    if match := _CALL.match(line):
        result, flags, _, type, name, rest = match.groups()
        return name.replace('"', ""), result, type, tuple(_arguments(rest)[:3]), flags.strip()
    return None


def _arguments(rest: str) -> list[tuple[str, str]]:
    """The numbers among a call's arguments, `rest` being what stands behind its parenthesis."""
    found: list[tuple[str, str]] = []
    depth, start = 0, 0
    for at, sign in enumerate(rest):
        if sign in "([{<":
            depth += 1
        elif sign in ")]}>" and depth:
            depth -= 1
        elif (sign == "," and not depth) or sign == ")":
            match = _ARGUMENT.match(rest[start:at].strip())
            if match is not None:
                found.append((match[1], match[2]))
            start = at + 1
            if sign == ")":
                break
    return found
