"""Small binaries with planted hazards, built for other machines by the compiler of ziglang."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from samebits.audit.model import AuditedBinary, Finding
from samebits.audit.scan import scan
from samebits.runtime.zig import zig_command

needs_zig = pytest.mark.skipif(
    find_spec("ziglang") is None, reason="ziglang is missing: pip install samebits[targets]"
)
needs_libraries = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("lief", "capstone", "iced_x86", "elftools")),
    reason="pip install samebits[foreign]",
)

PLANTS = """\
extern float sinf(float);
extern int rand(void);
float fused(float a, float b, float c) {
  return a * b + c;
}
float clean(float a, float b) {
  return a + b;
}
float library(float a) {
  return sinf(a) + (float)rand();
}
double table(int i, double x) {
  switch (i) {
  case 0: return x * 2;
  case 1: return x - 3;
  case 2: return x / 4;
  case 3: return x * 5;
  case 4: return x / 6;
  case 5: return x * x;
  default: return 0;
  }
}
"""


def zig(folder: Path, source: str, output: str, *options: str, language: str = "c") -> Path:
    """A binary from a source by `zig cc`."""
    file = folder / f"{output}.{language}"
    file.write_text(source)
    compiler = [*zig_command(), "c++" if language == "cpp" else "cc"]
    return built([*compiler, *options, file.name, "-o", output], folder, output)


def built(command: Sequence[str], folder: Path, output: str) -> Path:
    """What a compiler makes in a folder."""
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder / output


def audited(path: Path) -> AuditedBinary:
    """The one binary in a file."""
    (binary,) = scan(str(path), path.read_bytes())
    return binary


def of_rule(binary: AuditedBinary, code: str) -> dict[str, Finding]:
    """The findings of a rule, by function."""
    return {f.function or f.message: f for f in binary.findings if f.code == code}
