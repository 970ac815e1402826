"""Registers are in C's fenv_t and the kernel's structs where each system's headers say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS

from samebits.doctor.watched import LAYOUTS
from samebits.runtime.fp_state import ptrace

FIELDS = {
    ("linux", "x86_64"): (("x86_64-linux-gnu", "x86_64-linux-musl"), "__mxcsr", "__control_word"),
    ("linux", "aarch64"): (("aarch64-linux-gnu", "aarch64-linux-musl"), "__fpcr", None),
    ("darwin", "x86_64"): (("x86_64-macos",), "__mxcsr", "__control"),
    ("darwin", "arm64"): (("aarch64-macos",), "__fpcr", None),
}
SIZES = {"<I": 4, "<Q": 8, "<H": 2}
KERNELS = {
    "x86_64": ("x86_64-linux-gnu", "<sys/user.h>", "struct user_fpregs_struct", "mxcsr", "cwd"),
    "aarch64": ("aarch64-linux-gnu", "<asm/ptrace.h>", "struct user_fpsimd_state", "fpcr", None),
}


def check(folder: Path, target: str, header: str, type_: str, rows: list[tuple[str, int]]) -> None:
    pytest.importorskip("ziglang", reason="ziglang is missing: pip install samebits[targets]")
    lines = [f"#include {header}", "#include <stddef.h>"]
    lines += [f'_Static_assert(offsetof({type_}, {f}) == {n}, "{f}");' for f, n in rows]
    (folder / "layout.c").write_text("\n".join([*lines, "int unused;"]))
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "-target", target, "-c", "layout.c", "-o", "l.o"],
        capture_output=True, text=True, cwd=folder, timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("system", LAYOUTS, ids="-".join)
def test_fenv_is_laid_out_as_the_systems_header_says(
    tmp_path: Path, system: tuple[str, str]
) -> None:
    form, offset, x87_form, x87_offset = LAYOUTS[system]
    targets, field, x87 = FIELDS[system]
    rows = [(field, offset)]
    if x87 is not None:
        rows.append((x87, x87_offset))
    assert bool(x87_form) == (x87 is not None)
    for target in targets:
        check(tmp_path, target, "<fenv.h>", "fenv_t", rows)
    assert SIZES[form] == (8 if system == ("darwin", "arm64") else 4)


@pytest.mark.parametrize("machine", ptrace.LAYOUTS)
def test_the_kernels_register_sets_are_laid_out_as_its_headers_say(
    tmp_path: Path, machine: str
) -> None:
    _, _, offset, _, x87_offset = ptrace.LAYOUTS[machine]
    target, header, type_, field, x87 = KERNELS[machine]
    rows = [(field, offset)] + ([(x87, x87_offset)] if x87 else [])
    check(tmp_path, target, header, type_, rows)


@pytest.mark.parametrize("machine", ptrace.POINTERS)
def test_the_stack_pointer_is_where_the_kernels_headers_say(tmp_path: Path, machine: str) -> None:
    rows = [(name, offset) for offset, name in filter(None, ptrace.POINTERS[machine])]
    target, header, *_ = KERNELS[machine]
    type_ = "struct user_regs_struct" if machine == "x86_64" else "struct user_pt_regs"
    check(tmp_path, target, header, type_, rows)
