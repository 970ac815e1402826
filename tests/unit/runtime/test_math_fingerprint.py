"""The fingerprint is the same wherever the bits are, and distinguishes what differs."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from tests.support.work import calls_of

import samebits as sb
from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.table import TARGETS
from samebits.errors import ArgumentError
from samebits.frontend.compile import compile_kernel, link
from samebits.passes.pipeline import optimise
from samebits.runtime import fingerprint as math_fingerprint
from samebits.runtime.emulation.machines import EmulatedProgram, emulation_reason
from samebits.runtime.fingerprint import PROBE_BITS, Fingerprint
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.types import UINT32, UINT64, ArrayType

DOUBLES = np.array(math_fingerprint.DOUBLES, np.uint64)
SINGLES = np.array(math_fingerprint.SINGLES, np.uint32)


def test_the_probes_give_the_stated_bits_in_every_execution_here() -> None:
    assert math_fingerprint.probe_bits() == PROBE_BITS
    sb.assert_same_bits(math_fingerprint.probe, DOUBLES, SINGLES, np.zeros(2, np.uint64))


@pytest.mark.parametrize("name", ["i686", "aarch64", "s390x", "wasm32"])
def test_the_probes_give_the_stated_bits_on_other_machines(name: str) -> None:
    target = TARGETS[name]
    reason = emulation_reason(target)
    if reason is not None:
        pytest.skip(f"{name}: {reason}")
    types = (ArrayType(UINT64, 1, True), ArrayType(UINT32, 1, True), ArrayType(UINT64, 1))
    unit = compile_kernel(math_fingerprint.probe, types)
    entries = [unit.function.name]
    compiled = compile_module(optimise(link(unit), entries), entries, target, 3)
    remote = EmulatedProgram(compiled, 1, target).start(120)
    order = "<" if target.little_endian else ">"
    slots: list[int] = []
    for array in (DOUBLES, SINGLES, np.zeros(2, np.uint64)):
        data = array.astype(array.dtype.newbyteorder(order)).tobytes()
        place = remote.allocate(len(data))
        remote.write(place, data)
        slots += [place, len(array)]
    assert remote.call(0, slots)[0] == 0
    found = np.frombuffer(remote.read(slots[4], 16), f"{order}u8").astype("<u8")
    assert hashlib.sha256(found.tobytes()).hexdigest()[:16] == PROBE_BITS


def test_it_is_one_line_that_a_peer_reads_back() -> None:
    own = sb.math_fingerprint()
    assert own.sound
    assert Fingerprint.parse(f" {own}\n") == own
    assert own.difference(Fingerprint.parse(str(own))) is None
    with pytest.raises(ArgumentError, match="no math fingerprint: 'sb0-1'"):
        Fingerprint.parse("sb0-1")


def test_each_part_says_what_differs() -> None:
    own = Fingerprint("0" * 16, "0" * 8)
    assert "the hosts' own" in str(own.difference(Fingerprint("0" * 16, "1" * 8)))
    assert "samebits differs" in str(own.difference(Fingerprint("1" * 16, "0" * 8)))
    assert own.difference(str(own)) is None
    assert "samebits differs" in str(own.difference("sb1-1111111111111111-00000000"))
    with pytest.raises(ArgumentError, match="no math fingerprint: 'zz'"):
        own.difference("zz")


def test_a_foreign_environment_of_the_thread_changes_neither_part() -> None:
    own = sb.math_fingerprint()
    row, before = REGISTERS[fpenv.register_name()], fpenv.read()
    math_fingerprint._host_inputs.cache_clear()  # they are made of quotients, too
    fpenv.write(row.default | row.flush_results | 3 << row.rounding_shift)
    try:
        found = sb.math_fingerprint()
    finally:
        fpenv.write(before)
    assert found == own


def test_another_bit_in_a_probe_or_in_the_hosts_library_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = sb.math_fingerprint()
    monkeypatch.setattr(math_fingerprint, "probe_bits", lambda: "0" * 16)
    broken = sb.math_fingerprint()
    assert broken.strict != own.strict
    assert not broken.sound
    monkeypatch.undo()
    sine = np.sin
    monkeypatch.setattr(np, "sin", lambda x: np.nextafter(sine(x), np.float32(2)))
    assert sb.math_fingerprint().strict == own.strict
    assert sb.math_fingerprint().host != own.host


def test_little_is_done_once_it_is_loaded() -> None:
    sb.math_fingerprint()
    assert calls_of(sb.math_fingerprint) < 1000
