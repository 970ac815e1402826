"""What is shown of a kernel is the text that was compiled, whatever its file says by now."""

from __future__ import annotations

import importlib.util
import linecache
from pathlib import Path

import numpy as np
import pytest

import samebits as sb
from samebits.source_lines import remember_lines, written_number

TEXT = """\
import samebits as sb
from samebits import int32
@sb.kernel
def k(a: sb.Array[int32], i: int) -> int32:
    return a[i] + 1
"""


def test_an_edited_file_changes_nothing_of_what_was_compiled(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("edited", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text("# another line\nSAFE = 1\n" + TEXT)
    linecache.checkcache(str(path))  # as whatever prints a traceback does
    for call in (module.k, module.k.managed):
        with pytest.raises(sb.Trap) as trap:
            call(np.arange(3, dtype=np.int32), 9)
        assert f"{path}:5:12 in k\n  5 |     return a[i] + 1\n    |            ^^^^" in str(
            trap.value
        )
    shown = sb.inspect(module.k, target="x86-64-v1").source
    assert [(part.first, part.lines) for part in shown] == [(3, tuple(TEXT.splitlines()[2:]))]


def test_a_name_with_a_line_break_stays_on_its_line() -> None:
    span = sb.errors.Span("a\nb.py", "f", 1, 0, 1, 1)
    assert str(span) == "a\\nb.py:1:1"


def test_a_float32_number_has_the_digits_of_its_source(tmp_path: Path) -> None:
    file = str(tmp_path / "numbers.py")
    lines = ["TICK = 1.0 / 60.0", "HALF: float = -TICK * 0.5  # of it", "LOOP = LOOP + 0.1",
             "a = x * 6.2831853 + y * 0.1 + TICK + HALF + LOOP"]  # fmt: skip
    remember_lines(file, lines)

    def written(text: str, value: float) -> str | None:
        start = lines[3].index(text)
        return written_number(file, 4, (start, start + len(text)), value)

    near = float(np.float32(6.2831853))
    assert written("6.2831853", near) == "6.2831853"
    assert written("6.2831853", near + 1) is None, "another number"
    assert written("0.1", float(np.float32(0.1))) is None, "the shortest says the same"
    assert written("TICK", float(np.float32(1 / 60))) == repr(1 / 60)
    assert written("HALF", float(np.float32(-0.5 / 60))) == repr(-0.5 / 60)
    assert written("LOOP", 0.5) is None
    lines.append("y * 5.9604644775390625e-08")
    exact = file, 5, (4, len(lines[4])), 2.0**-24
    assert (written_number(*exact), written_number(*exact, exact=True)) == (None, repr(2.0**-24))
    assert written("x * 6.2831853", near) is None
