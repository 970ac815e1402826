"""The benchmark of exported arenas: each way out of Python is timed, and leaves the same hash."""

from __future__ import annotations

import pytest
from benchmarks import export_speed


def test_every_way_out_of_python_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_speed, "FRAMES", 60)
    rows = export_speed.measure(rounds=1)
    names = [row.name for row in rows]
    assert names[:3] == [export_speed.NATIVE, export_speed.SCALAR, "C library"]
    assert {"wasm32 in wasmtime", "wasm32-simd in wasmtime"} <= set(names)
    assert all(row.same and row.frame > 0 for row in rows)
