"""The audit of assembly: the instructions that must not appear, per architecture.

Options and flags are promises; the audit verifies. It reads the text that LLVM prints for the
module and options of an object, since llvmlite has no disassembler. Knows the assembly's text, not
how it came about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from samebits.backend.targets.table import Target


@dataclass(frozen=True, slots=True)
class AuditRule:
    """Forbidden instructions, and why: a regular expression over the whole mnemonic, or its part
    before the first dot, and one over the beginning of the operands."""

    name: str
    mnemonics: str
    why: str
    is_fused: bool = False
    operands: str = ""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One forbidden instruction: its line (1-based), its function, and why it is forbidden."""

    rule: str
    line: int
    function: str
    text: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.function}: {self.text}: {self.why}"


_ESTIMATE = "an estimate, whose bits differ between processors"
_FUSED = "rounds a product and a sum once, where the source rounds twice"
_FLUSH = "flushes subnormals, or may, whatever the control register says"

_X86 = (
    AuditRule("fused", r"vf(n?m(add|sub)|maddsub|msubadd)(132|213|231)?[ps][sdh]", _FUSED, True),
    AuditRule("estimate", r"v?r(cp|sqrt)(14|28)?[ps][sdh]", _ESTIMATE),
    AuditRule("estimate", r"vexp2p[sd]", _ESTIMATE),
    AuditRule(
        "x87",
        r"f(i?(add|sub|mul|div)r?p?[slt]?|ld[a-z0-9]*|ild\w*|i?st(p|pp)?[slt]?|ist\w*|sqrt|sin"
        r"|cos|sincos|ptan|patan|prem1?|rndint|scale|yl2x(p1)?|2xm1|chs|abs|u?comi?p?p?i?|tst"
        r"|xch|cmov\w+)",
        "x87 arithmetic, which keeps 64 bits of significand",
    ),
    AuditRule("bf16", r"v(dpbf16ps|cvtne2?ps2bf16)\w*", "flushes subnormals whatever MXCSR says"),
)
_PPC = (
    AuditRule(
        "fused",
        r"fn?m(add|sub)s?|x[sv]n?m(add|sub)([am][sd]p|qpo?)|vmaddfp|vnmsubfp",
        _FUSED,
        True,
    ),
    AuditRule(
        "estimate", r"fr(es?|sqrtes?)|x[sv]r(e|sqrte)[sd]p|vr(e|sqrte)fp|v(expte|loge)fp", _ESTIMATE
    ),
    AuditRule("AltiVec", r"v((add|sub|max|min)fp|rfi[nzpm]|cf[us]x|ct[us]xs|cmp\w+fp)", _FLUSH),
    AuditRule("matrix", r"(pm)?xvb?f\w*ger\w*", "sums in an order and with roundings of its own"),
)

FORBIDDEN: dict[str, tuple[AuditRule, ...]] = {
    "x86_64": _X86,
    "i686": _X86,
    "aarch64": (
        AuditRule(
            "fused", r"f(n?m(add|sub|la|ls|lal2?|lsl2?)|n?m(ad|sb|la|ls)|cmla|mmla)", _FUSED, True
        ),
        AuditRule("estimate", r"fr(ecp[esx]|sqrt[es])", _ESTIMATE),
        AuditRule(
            "bf16", r"bf\w*(dot|mmla|mlalb|mlalt|mla|mls|cvt\w*)", "rounds in ways of its own"
        ),
    ),
    "armv7": (
        # `vmla` of VFP rounds twice, but there is no need to trust that.
        AuditRule("fused", r"v(fn?m[as]|n?ml[as])([a-z]{2})?\.f\d+", _FUSED, True),
        AuditRule("estimate", r"vr(ecp|sqrt)[es]([a-z]{2})?\.\w+", _ESTIMATE),
        AuditRule("NEON", r"v(?!cvt|mov|ldr|str|ldm|stm)\w+\.f(16|32)", _FLUSH, operands=r"[qd]\d"),
        AuditRule("NEON", r"vcvt\.([su]32\.f32|f32\.[su]32)", _FLUSH, operands=r"[qd]\d"),
    ),
    "riscv64": (
        AuditRule("fused", r"fn?m(add|sub)|vfw?n?m(acc|sac|add|sub)\w*", _FUSED, True),
        AuditRule("estimate", r"vfr(ec|sqrt)7", _ESTIMATE),
    ),
    "powerpc64le": _PPC,
    "powerpc64": _PPC,
    "s390x": (
        AuditRule("fused", r"m[as][ed]br?|[vw]fn?m[as]([sdx]b)?", _FUSED, True),
        AuditRule("hexadecimal", r"([asd]|sq|h)[de]r?|m(ee|de?|e)r?|ma[ed]r?|ms[ed]r?",
             "hexadecimal floats, which round in base 16"),
    ),
    "loongarch64": (
        AuditRule("fused", r"x?v?fn?m(add|sub)", _FUSED, True),
        AuditRule("estimate", r"x?v?fr(ecipe|sqrte?)", _ESTIMATE),
    ),
    "mips64el": (
        AuditRule(
            "fused", r"n?m(add|sub)\.(s|d|ps)|m(add|sub)f\.[sd]|fm(add|sub)\.[wd]", _FUSED, True
        ),
        AuditRule("estimate", r"(recip|rsqrt)[12]?\.\w+|fr(cp|sqrt)\.[wd]", _ESTIMATE),
    ),
    "wasm32": (
        AuditRule("fused", r"f\d+x\d+\.relaxed_n?madd", _FUSED, True),
        AuditRule("relaxed", r"[if]\d+x\d+\.relaxed_\w+", "may differ between engines"),
    ),
}  # fmt: skip
"""Forbidden instructions by architecture."""

ALLOWED_CALLS = frozenset({"memcpy", "memset", "memmove"})
"""Functions of the C library that code may call: they compute nothing."""

_OWN_CALLS = (
    ("arm", re.compile(r"__aeabi_mem(cpy|move|set|clr)[48]?")),
    ("-apple-", re.compile(r"_(bzero|memcpy|memset|memmove)")),
    ("-windows-", re.compile(r"___chkstk_ms")),
)
"""Further allowed calls by a part of the triple: Arm's ABI and Apple's C have other names, and
Windows probes large frames in a function of compiler-rt."""

_SYMBOL = r'("[^"]*"|[A-Za-z_][\w.$]*)(?=$|[\s@(),])'
_BRANCH_LINK = rf"bl?\s+(?:%plt\()?{_SYMBOL}"
_CALLS = {
    "x86_64": rf"(?:call|jmp)[ql]?\s+\*?{_SYMBOL}",
    "i686": rf"(?:call|jmp)[ql]?\s+\*?{_SYMBOL}",
    "aarch64": _BRANCH_LINK,
    "armv7": rf"b(?:l|lx|x)?(?:[a-z]{{2}})?\s+{_SYMBOL}",
    "riscv64": rf"(?:call|tail|jal|j)\s+{_SYMBOL}",
    "powerpc64le": _BRANCH_LINK,
    "powerpc64": _BRANCH_LINK,
    "s390x": rf"(?:brasl|brcl|jg)\s+(?:%?\w+,\s*)?{_SYMBOL}",
    "loongarch64": _BRANCH_LINK,
    "mips64el": rf".*%(?:call16|call_hi|got_disp|got_page)\({_SYMBOL}",
    "wasm32": rf"call\s+{_SYMBOL}",
}
"""Call instructions by architecture; the first group is the callee."""

COMMENTS = {
    **dict.fromkeys(_CALLS, "#"), "aarch64": "//", "armv7": "@",
}  # fmt: skip
"""Comment marks by architecture."""
APPLE_COMMENTS = {"x86_64": "##", "aarch64": ";"}
"""Comment marks on Apple's systems."""

_REGISTER = {"armv7": re.compile(r"lr|pc|r\d+|ip|sp"), "riscv64": re.compile(r"[ast]\d+|ra")}
_LABEL = re.compile(r'^("(?:[^"\\]|\\.)*"|[A-Za-z_$.][\w.$@:<>]*):')
_LOCAL_LABEL = re.compile(r"[.$]|L(BB|CPI|tmp|func|JTI|lo)")
_STATEMENT = re.compile(r"^\s+(?:(?:rep|lock|\{evex\}|\{vex\})\s+)?([a-z][\w.]*)(?:\s+(.*))?$")


def is_allowed_call(symbol: str, target: Target) -> bool:
    """Whether code for `target` may call the function `symbol` without defining it."""
    return symbol in ALLOWED_CALLS or any(
        part in target.triple and pattern.fullmatch(symbol) for part, pattern in _OWN_CALLS
    )


def called(mnemonic: str, operands: str, target: Target) -> str:
    """The symbol that an instruction calls; empty if it calls none."""
    symbol = _goes_to(mnemonic, operands, target)
    return "" if _LOCAL_LABEL.match(symbol) else symbol


def _goes_to(mnemonic: str, operands: str, target: Target) -> str:
    """As `called`, with labels inside a function."""
    found = re.match(_CALLS[target.architecture], f"{mnemonic} {operands.strip()}")
    symbol = found.group(1).strip('"') if found else ""
    register = _REGISTER.get(target.architecture)
    return "" if register is not None and register.fullmatch(symbol) else symbol


def audit(
    assembly_text: str, target: Target, allow_fma: bool = False, *, allow_fast: bool = False
) -> list[AuditFinding]:
    """Every forbidden instruction, and every call of a function that the text does not define.

    `allow_fma` is for code whose source uses fused multiply-add, `allow_fast` for modules with FAST
    functions, which may be inlined anywhere and may use fused operations and estimates. Raises
    KeyError for an architecture without a table.
    """
    rules = [
        (rule, re.compile(rule.mnemonics), re.compile(rule.operands))
        for rule in FORBIDDEN[target.architecture]
        if not (rule.is_fused and (allow_fma or allow_fast))
        and not (rule.why == _ESTIMATE and allow_fast)
    ]
    lines = assembly_text.splitlines()
    own = {label[1].strip('"') for label in map(_LABEL.match, lines) if label}
    findings: list[AuditFinding] = []
    function = "the beginning"
    for number, line in enumerate(lines, 1):
        label = _LABEL.match(line)
        if label:
            if not _LOCAL_LABEL.match(label.group(1)):
                function = label.group(1).strip('"')
            continue
        statement = _STATEMENT.match(line.split(" #", 1)[0].split("//", 1)[0].rstrip())
        if statement is None:
            continue
        mnemonic, operands = statement.group(1), statement.group(2) or ""
        # NEON writes the shape after a dot: `fmla.4s` in one of the two syntaxes.
        names = {mnemonic, mnemonic.split(".", 1)[0]}
        text = " ".join(line.split())
        for rule, pattern, wanted in rules:
            if any(map(pattern.fullmatch, names)) and wanted.match(operands):
                findings.append(AuditFinding(rule.name, number, function, text, rule.why))
        symbol = _goes_to(mnemonic, operands, target)
        if symbol and symbol not in own and not is_allowed_call(symbol, target):
            why = f"calls {symbol}, which is not part of the code"
            findings.append(AuditFinding("call", number, function, text, why))
    return findings


def is_local_label(line: str) -> bool:
    """Whether a line begins with a label that is local to a function."""
    return _LOCAL_LABEL.match(line) is not None
