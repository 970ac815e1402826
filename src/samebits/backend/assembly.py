"""What must not appear in emitted assembly, per architecture, as data; and the search for it.

Options and flags promise; this looks. Knows the assembly's text, not how it came about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from samebits.backend.targets import Target


@dataclass(frozen=True, slots=True)
class Rule:
    """Mnemonics (a regular expression over the whole mnemonic) that break a promise, and why."""

    name: str
    mnemonics: str
    why: str
    is_fused: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One forbidden instruction: where in the text (1-based line), in which function, and why."""

    rule: str
    line: int
    function: str
    text: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.function}: {self.text}: {self.why}"


_ESTIMATE = "an estimate, whose bits differ between processors"
_FUSED = "rounds a product and a sum once, where the source rounds twice"

FORBIDDEN: dict[str, tuple[Rule, ...]] = {
    "x86_64": (
        Rule("fused", r"vf(n?m(add|sub)|maddsub|msubadd)(132|213|231)?[ps][sdh]", _FUSED, True),
        Rule("estimate", r"v?r(cp|sqrt)(14|28)?[ps][sdh]", _ESTIMATE),
        Rule("estimate", r"vexp2p[sd]", _ESTIMATE),
        Rule(
            "x87",
            r"f(i?(add|sub|mul|div)r?p?[slt]?|ld[a-z0-9]*|ild\w*|i?st(p|pp)?[slt]?|ist\w*|sqrt|sin"
            r"|cos|sincos|ptan|patan|prem1?|rndint|scale|yl2x(p1)?|2xm1|chs|abs|u?comi?p?p?i?|tst"
            r"|xch|cmov\w+)",
            "x87 arithmetic, which keeps 64 bits of significand",
        ),
        Rule("bf16", r"v(dpbf16ps|cvtne2?ps2bf16)\w*", "flushes subnormals whatever MXCSR says"),
    ),
    "aarch64": (
        Rule(
            "fused", r"f(n?m(add|sub|la|ls|lal2?|lsl2?)|n?m(ad|sb|la|ls)|cmla|mmla)", _FUSED, True
        ),
        Rule("estimate", r"fr(ecp[esx]|sqrt[es])", _ESTIMATE),
        Rule("bf16", r"bf\w*(dot|mmla|mlalb|mlalt|mla|mls|cvt\w*)", "rounds in ways of its own"),
    ),
}
"""Forbidden instructions by architecture."""

ALLOWED_CALLS = frozenset({"memcpy", "memset", "memmove"})
"""The C library's functions that code may call: they compute nothing."""

_CALLS = {"x86_64": r"(?:callq?|jmpq?)", "aarch64": r"(?:bl|b)"}
_LABEL = re.compile(r'^("(?:[^"\\]|\\.)*"|[A-Za-z_$][\w.$@:<>]*):')
_STATEMENT = re.compile(r"^\s+(?:(?:rep|lock|\{evex\}|\{vex\})\s+)?([a-z][\w.]*)(?:\s+(.*))?$")
_SYMBOL = re.compile(r'^"?([A-Za-z_][^"@\s,]*)"?(?:@PLT)?$')


def _own_symbols(lines: list[str]) -> set[str]:
    return {m.group(1).strip('"') for line in lines if (m := _LABEL.match(line))}


def audit(assembly_text: str, target: Target, allow_fma: bool = False) -> list[Finding]:
    """Every forbidden instruction, and every call of a function that the text does not define.

    `allow_fma` is for code whose source asks for fused multiply-add. Raises KeyError for an
    architecture without a table.
    """
    rules = [
        (rule, re.compile(rule.mnemonics))
        for rule in FORBIDDEN[target.architecture]
        if not (allow_fma and rule.is_fused)
    ]
    call = re.compile(_CALLS[target.architecture])
    lines = assembly_text.splitlines()
    own = _own_symbols(lines)
    findings: list[Finding] = []
    function = "the beginning"
    for number, line in enumerate(lines, 1):
        label = _LABEL.match(line)
        if label:
            if not label.group(1).startswith("."):
                function = label.group(1).strip('"')
            continue
        statement = _STATEMENT.match(line.split(" #", 1)[0].split("//", 1)[0].rstrip())
        if statement is None:
            continue
        mnemonic, operands = statement.group(1), statement.group(2) or ""
        # NEON writes the shape after a dot: `fmla.4s` in one of the two syntaxes.
        base = mnemonic.split(".", 1)[0]
        text = " ".join(line.split())
        for rule, pattern in rules:
            if pattern.fullmatch(base):
                findings.append(Finding(rule.name, number, function, text, rule.why))
        symbol = _SYMBOL.match(operands.strip()) if call.fullmatch(base) else None
        if symbol and symbol.group(1) not in own | ALLOWED_CALLS:
            why = f"calls {symbol.group(1)}, which is not part of the code"
            findings.append(Finding("call", number, function, text, why))
    return findings
