"""Instructions of x86 that break a rule, by iced-x86.

A function without a byte that such an instruction must have is not decoded at all.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, cast

from samebits.audit.decode.words import Hit
from samebits.audit.rules.instructions import Instructions

_MAY = re.compile(
    rb"[\xd8\xda\xdc\xde][\x00-\xff]|\xd9[\x20-\x2f\x60-\x6f\xa0-\xaf\xf0-\xff]"  # x87
    rb"|\xdd[\x20-\x27\x60-\x67\xa0-\xa7]"
    rb"|[\xc4\x62\x8f]"  # VEX in three bytes, EVEX, XOP
    rb"|\xc5[\x00-\xff][\x52\x53\xae]"
    rb"|\x0f[\x0f\x31\x52\x53\xae\xc7]|\x0f\x01\xf9",
    re.DOTALL,
)


class X86Decoder:
    """A decoder for 64 or 32 bits."""

    def __init__(self, bits: int) -> None:
        iced_x86: Any = import_module("iced_x86")
        self._iced = iced_x86
        self._bits = bits
        self._formatter = iced_x86.Formatter(iced_x86.FormatterSyntax.INTEL)
        self._rules = _codes("x86_64" if bits == 64 else "i686")

    def hits(self, code: memoryview) -> tuple[list[Hit], int]:
        """What breaks a rule, in order, and the number of instructions: of code that is skipped
        an estimate, four bytes each."""
        raw = bytes(code)
        if _MAY.search(raw) is None:
            return [], len(raw) // 4
        rules: list[str | None] = self._rules
        found: list[Hit] = []
        count = 0
        for instruction in self._iced.Decoder(self._bits, raw):
            count += 1
            rule = rules[int(instruction.code)]
            if rule is not None:
                text = self._formatter.format(instruction)
                found.append(Hit(int(instruction.ip), rule, text))
        return found, count

    def reached(self, code: memoryview) -> tuple[set[int], list[int]]:
        """The offsets that control flow from the beginning reaches, and those of indirect jumps,
        behind which more may follow."""
        iced, raw = self._iced, bytes(code)
        flow: Any = iced.FlowControl
        decoder = iced.Decoder(self._bits, raw)
        seen: set[int] = set()
        indirect: list[int] = []
        waiting = [0]
        while waiting:
            at = waiting.pop()
            while 0 <= at < len(raw) and at not in seen:
                decoder.position, decoder.ip = at, at
                instruction = decoder.decode()
                if not instruction.code:  # no instruction: what comes is data
                    break
                seen.add(at)
                kind = instruction.flow_control
                if kind in (flow.CONDITIONAL_BRANCH, flow.UNCONDITIONAL_BRANCH):
                    waiting.append(_signed(int(instruction.near_branch_target), self._bits))
                if kind == flow.INDIRECT_BRANCH:
                    indirect.append(at)
                if kind in (
                    flow.UNCONDITIONAL_BRANCH, flow.INDIRECT_BRANCH, flow.RETURN, flow.EXCEPTION
                ):  # fmt: skip
                    break
                at += instruction.len
        return seen, indirect


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _codes(architecture: str) -> list[str | None]:
    """The rule of each of iced's codes, by its number."""
    iced_x86: Any = import_module("iced_x86")
    rules = Instructions(architecture)
    mnemonics = _numbers(iced_x86.Mnemonic)
    named = {number: rules.code(name.lower(), "") for name, number in mnemonics.items()}
    codes = _numbers(iced_x86.Code).values()
    found: list[str | None] = [None] * (max(codes) + 1)
    for code in codes:
        found[code] = named[iced_x86.OpCodeInfo(code).mnemonic]
    return found


def _numbers(enumeration: object) -> dict[str, int]:
    """iced's enumerations are modules."""
    members = cast("dict[str, object]", vars(enumeration))
    return {name: value for name, value in members.items() if type(value) is int}
