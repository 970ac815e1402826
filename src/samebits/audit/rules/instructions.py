"""The instructions that change bits, by architecture, as a disassembler names them.

Operations that samebits' own compiler must not emit are in `backend/targets/audit.py`. These rows
are for other people's binaries: loads and stores of x87, which compute nothing, are no finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InstructionRow:
    """Instructions of one rule: a pattern of the whole mnemonic or of its part before the first
    dot, and one of the beginning of the operands."""

    code: str
    mnemonics: str
    operands: str = ""


X86: tuple[InstructionRow, ...] = (
    InstructionRow("AU101", r"vf(n?m(add|sub)|maddsub|msubadd)(132|213|231)?[ps][sdh]"),
    InstructionRow("AU101", r"vf(c?madd|cmul)c[ps]h|v4f(n?madd)[ps]s"),
    InstructionRow(
        "AU102",
        r"fi?(add|sub|mul|div)r?p?|fsqrt|fsin|fcos|fsincos|fptan|fpatan|fyl2xp?1?|f2xm1|fscale",
    ),
    InstructionRow("AU103", r"v?r(cp|sqrt)(14|28)?[ps][sdh]|vexp2p[sd]|pfrsqrt\w*|pfrcp\w*"),
    InstructionRow("AU106", r"v(dpbf16ps|cvtne2?ps2bf16)|tdp\w+"),
    InstructionRow("AU201", r"v?ldmxcsr|fldcw|fldenv|frstor"),
    InstructionRow("AU304", r"rdrand|rdseed"),
    InstructionRow("AU305", r"rdtscp?"),
)  # fmt: skip
_PPC = (
    InstructionRow("AU101", r"fn?m(add|sub)s?|x[sv]n?m(add|sub)([am][sd]p|qpo?)|vmaddfp|vnmsubfp"),
    InstructionRow("AU103", r"fr(es?|sqrtes?)|x[sv]r(e|sqrte)[sd]p|vr(e|sqrte)fp|v(expte|loge)fp"),
    InstructionRow("AU104", r"v((add|sub|max|min)fp|rfi[nzpm]|cf[us]x|ct[us]xs|cmp\w+fp)"),
    InstructionRow("AU106", r"(pm)?xvb?f\w*ger\w*"),
    InstructionRow("AU201", r"mtfsf|mtfsfi|mtfsb[01]"),
)
_MIPS = (
    InstructionRow("AU101", r"n?m(add|sub)\.(s|d|ps)|m(add|sub)f\.[sd]|fm(add|sub)\.[wd]"),
    InstructionRow("AU103", r"(recip|rsqrt)[12]?\.\w+|fr(cp|sqrt)\.[wd]"),
    InstructionRow("AU201", r"ctc1", r"[^,]*, \$31"),
)
_RISCV = (
    InstructionRow("AU101", r"fn?m(add|sub)"),
    InstructionRow("AU101", r"vfw?n?m(acc|sac|add|sub)"),
    InstructionRow("AU103", r"vfr(ec|sqrt)7"),
    InstructionRow("AU201", r"fsrmi?|fscsr|csrrw", r"(?!.*\b(fflags|instret|cycle|time)\b)"),
    InstructionRow("AU305", r"rd(time|cycle)h?"),
)
INSTRUCTIONS: dict[str, tuple[InstructionRow, ...]] = {
    "x86_64": X86,
    "i686": X86,
    "aarch64": (
        InstructionRow("AU101", r"f(n?m(add|sub|la|ls|lal2?|lsl2?)|n?m(ad|sb|la|ls)|cmla|mmla)"),
        InstructionRow("AU103", r"fr(ecp[esx]|sqrt[es])|fexpa"),
        InstructionRow("AU106", r"bf\w*(dot|mmla|mlalb|mlalt|mla|mls|cvt\w*)"),
        InstructionRow("AU201", r"msr", "fpcr"),
        InstructionRow("AU304", r"mrs", r"\w+, rndrr?s?"),
        InstructionRow("AU305", r"mrs", r"\w+, cntv?ct_el0"),
    ),
    "armv7": (
        # `vmla` of VFP rounds twice, as the two instructions would; of NEON it flushes as well.
        InstructionRow("AU101", r"vfn?m[as]([a-z]{2})?\.f\d+"),
        InstructionRow("AU103", r"vr(ecp|sqrt)[es]([a-z]{2})?\.\w+"),
        InstructionRow("AU104", r"v(?!cvt|mov|ldr|str|ldm|stm|recp|rsqrt)\w+\.f(16|32)", r"[qd]\d"),
        InstructionRow("AU104", r"vcvt\.([su]32\.f32|f32\.[su]32)", r"[qd]\d"),
        InstructionRow("AU201", r"vmsr([a-z]{2})?", "fpscr"),
    ),
    "riscv64": _RISCV,
    "riscv32": _RISCV,
    "powerpc64le": _PPC,
    "powerpc64": _PPC,
    "powerpc": _PPC,
    "s390x": (
        InstructionRow("AU101", r"m[as][ed]br?|[vw]fn?m[as]([sdx]b)?"),
        InstructionRow("AU106", r"([asd]|sq)[de]r|m(ee|de?)r|ma[ed]r?|ms[ed]r?"),
        InstructionRow("AU201", r"sfpc|lfpc|lfas|sfasr|srnmb?t?"),
        InstructionRow("AU305", r"stckf?|stcke"),
    ),
    "loongarch64": (
        InstructionRow("AU101", r"x?v?fn?m(add|sub)"),
        InstructionRow("AU103", r"x?v?fr(ecipe|sqrte)"),
        InstructionRow("AU201", r"movgr2fcsr"),
    ),
    "mips64el": _MIPS,
    "mips64": _MIPS,
    "mipsel": _MIPS,
    "mips": _MIPS,
    "wasm32": (InstructionRow("AU105", r"\w+\.relaxed_\w+"),),
}
"""Rows by architecture, in the words of iced-x86, capstone, `decode/masks.py` and
`decode/wasm.py`."""


class Instructions:
    """The rows of one architecture, ready to be asked."""

    def __init__(self, architecture: str) -> None:
        """Raises KeyError for an architecture without rows."""
        self._rows = [
            (row.code, re.compile(row.mnemonics), re.compile(row.operands))
            for row in INSTRUCTIONS[architecture]
        ]

    def code(self, mnemonic: str, operands: str) -> str | None:
        """The rule that an instruction breaks, if any."""
        short = mnemonic.split(".", 1)[0]
        for code, pattern, wanted in self._rows:
            known = pattern.fullmatch(mnemonic) or pattern.fullmatch(short)
            if known and wanted.match(operands):
                return code
        return None


MIPS_MADD = re.compile(r"n?m(add|sub)\.(s|d|ps)")
"""They round twice by "MIPS64 Architecture for Programmers" (release 2), once on Loongson's
processors; LLVM makes them whatever -ffp-contract says."""

ALTERNATING = re.compile(r"vfm(addsub|subadd)\w*")
"""What GCC 12.0 to 12.2 makes of products beside sums in spite of -ffp-contract=off (GCC PR 107647,
https://gcc.gnu.org/PR107647)."""
