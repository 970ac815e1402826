"""`print` and `trace`: the number of the site and the words of its values, in the output buffer."""

from __future__ import annotations

from samebits.backend.objects import TrapSite
from samebits.backend.text.output_buffer import CLAIMS, KEEP
from samebits.backend.text.trap_records import word
from samebits.backend.text.writer import FunctionWriter, Lowering
from samebits.ir.grammar import Op
from samebits.printed import OUTPUT
from samebits.types import ScalarType


def _output(f: FunctionWriter, op: Op) -> None:
    f.module.has_output = True
    site = f.module.trap_status(TrapSite(op.opcode, op.span, None, str(op.attr)))
    words = [str(site)]
    for value in op.args:
        assert isinstance(value.type, ScalarType)
        lines, name = word(f.seen(value), value.type, f.name())
        for line in lines:
            f.do(line)
        words.append(name)
    place = f.emit(f"call ptr {CLAIMS[op.opcode]}(i64 {len(words)})")
    for k, name in enumerate(words):
        at = f.emit(f"getelementptr i64, ptr {place}, i64 {k}")
        f.do(f"store i64 {name}, ptr {at}, align 8")
    f.do(f"call void {KEEP}(ptr {place}, i64 {len(words)})")


OUTPUT_LOWERINGS: dict[str, Lowering] = dict.fromkeys(sorted(OUTPUT), _output)
