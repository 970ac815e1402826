"""An i686 entry runs under the x87 control word of its ABI, and gives the caller's back."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.machines.other_machines import link_bare, missing

from samebits.backend.llvm import engine
from samebits.backend.targets import fp_control
from samebits.backend.targets.table import TARGETS

I686 = TARGETS["i686"]

# A body that returns the control word that it runs under.
_BODY = """\
define internal i32 @body(ptr %args) noinline {
  %word = call i32 @sb_x87_read()
  %low = and i32 %word, 65535
  ret i32 %low
}
"""
_DRIVER = """\
#include "linux.h"
extern int32_t sb_entry_0(uint64_t *);
__attribute__((used)) _Noreturn void ask(void *stack) {
    static const uint16_t words[] = {0x037F, 0x027F, 0x0F7F, 0x007F, 0x0C7F, 0x077F, 0x0372};
    (void)stack;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        uint16_t word = words[i], after;
        uint64_t none = 0;
        __asm__ volatile("fnclex; fldcw %0" : : "m"(word));
        int32_t inside = sb_entry_0(&none);
        __asm__ volatile("fnstcw %0" : "=m"(after));
        uint16_t usual = 0x037F;
        __asm__ volatile("fldcw %0" : : "m"(usual));
        uint16_t said[] = {word, (uint16_t)inside, after & 0xF7F};
        if (system_call(SYS_WRITE, 1, (long)said, sizeof said) != sizeof said) leave(1);
    }
    leave(0);
}
START(ask)
"""


@pytest.mark.skipif(missing(I686) is not None, reason=missing(I686) or "")
@pytest.mark.parametrize("opt", [0, 3])
def test_an_entry_pins_precision_rounding_and_masks_and_restores_them(
    tmp_path: Path, opt: int
) -> None:
    pin = fp_control.pinned_call(I686.fp_control, "@body")
    text = "\n".join([
        f'target triple = "{I686.triple}"', fp_control.definitions(I686.fp_control), _BODY,
        f"define i32 @sb_entry_0(ptr %args) {{\n{pin}}}",
        '!0 = !{!"branch_weights", i32 1, i32 2000}',
    ])  # fmt: skip
    (tmp_path / "driver.c").write_text(_DRIVER)
    program = link_bare(
        tmp_path,
        I686.zig,
        I686.zig_cpu,
        tmp_path / "driver.c",
        engine.compile_text(text, I686, opt),
    )
    said = subprocess.run(
        [I686.qemu, str(program)], check=True, capture_output=True, timeout=HANG_SECONDS
    ).stdout
    rows = list(struct.iter_unpack("<3H", said))
    assert len(rows) == 7
    for given, inside, after in rows:
        assert inside & 0xF3F == 0x33F, hex(given)
        assert after == given & 0xF7F
