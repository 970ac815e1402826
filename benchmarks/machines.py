"""The machine that figures are from: its kind, by the processor, names a folder of `results/`."""

import datetime
import platform
import re
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).with_name("results")

VENDORS = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD", "0x41": "Arm", "0x61": "Apple"}
"""By what /proc/cpuinfo calls them."""


@cache
def _facts() -> dict[str, str]:
    """What /proc/cpuinfo says of the first processor; nothing where there is none."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return {}
    facts = dict(line.split(":", 1) for line in reversed(lines) if ":" in line)
    return {name.strip(): value.strip() for name, value in facts.items()}


def kind() -> str:
    """A name for folders that machines with the same processor share: `amd-family-26-model-2`."""
    facts = _facts()
    vendor = facts.get("vendor_id") or facts.get("CPU implementer") or platform.machine()
    words = [VENDORS.get(vendor, vendor)]
    for word, names in (("family", ("cpu family",)), ("model", ("model", "CPU part"))):
        words += [f"{word} {facts[name]}" for name in names if name in facts]
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def folder() -> Path:
    """Where this kind's pages are."""
    return RESULTS / kind()


def title() -> str:
    """The processor's name, for people."""
    name = _facts().get("model name") or platform.processor() or platform.machine()
    return re.sub(r"\((R|TM)\)| Processor", "", name)


def processor() -> str:
    """The processor's name, and which of the vector extensions that matter here it has."""
    facts = _facts()
    flags = facts.get("flags", "").split()
    extensions = [name for name in ("avx2", "avx512f") if name in flags]
    family, model = facts.get("cpu family", "?"), facts.get("model", "?")
    return f"{title()} (family {family}, model {model}; {', '.join(extensions) or 'no AVX2'})"


def machine() -> list[str]:
    """Lines that say what the figures were measured with."""
    import llvmlite.binding

    from benchmarks.peers import C_FAST_FLAGS, C_FLAGS, GNU, ZIG

    clang = subprocess.run([*ZIG, "--version"], capture_output=True, text=True).stdout.splitlines()
    gcc: list[str] = []
    if GNU.is_here:
        said = subprocess.run([*GNU.command, "-dumpfullversion"], capture_output=True, text=True)
        gcc = [f"- gcc: `{' '.join((*GNU.command, *GNU.flags))}`, version {said.stdout.strip()}"]
    return [
        f"- {datetime.date.today().isoformat()}, {platform.system()} {platform.machine()}",
        f"- {processor()}",
        f"- Python {platform.python_version()}, NumPy {version('numpy')}, "
        f"samebits {version('samebits')}",
        f"- llvmlite {version('llvmlite')} (LLVM "
        f"{'.'.join(map(str, llvmlite.binding.llvm_version_info))}), Numba {version('numba')}",
        f"- C: `zig cc {' '.join(C_FLAGS)}`, {clang[0] if clang else 'unknown clang'}",
        f"- C fast-math: `zig cc {' '.join(C_FAST_FLAGS)}`, what clang means by -Ofast; zig's "
        "driver reads -Ofast itself as -O2 without fast-math",
        *gcc,
    ]
