"""Parallel ranges keep their promise under every option of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, math
from samebits.modes import DEFAULTS
from samebits.runtime.evaluate import evaluate_call
from samebits.runtime.threads.pool import set_workers

OPTIONS: list[dict[str, Any]] = [
    {"mode": sb.DETERMINISTIC},
    {"mode": sb.DETERMINISTIC, "contract": True},
    {"mode": sb.FAST},
    {"denormals": "flush"},
    {"bounds_check": False},
    {"optimize_for": "size"},
    {"optimize_for": "compile_time"},
    {"precision": sb.LOW},
]


@pytest.fixture(autouse=True)
def _own_number_of_workers() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    set_workers(None)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: " ".join(map(str, o.values())))
def test_workers_change_no_bit_under_any_option(options: dict[str, Any]) -> None:
    @sb.kernel(**options)
    def sums_of_rows(a: sb.ReadOnly[float32, 2], scale: float32, out: sb.Array[float32]):
        for i in sb.prange(a.shape[0], batch=7):
            total = float32(0)
            for j in range(a.shape[1]):
                total += a[i, j] * scale + math.sin(a[i, j])
            out[i] = total * float32(1e-38)

    a = np.random.default_rng(3).uniform(-3, 3, (50, 200)).astype(np.float32)
    found: set[bytes] = set()
    for workers in (1, 2, 3, 7):
        set_workers(workers)
        out = np.zeros(50, np.float32)
        sums_of_rows(a, np.float32(1.5), out)
        found.add(out.tobytes())
    assert len(found) == 1
    if options.get("mode") is not sb.FAST:
        out = np.zeros(50, np.float32)
        evaluate_call(sums_of_rows, (a, np.float32(1.5), out))
        assert {out.tobytes()} == found
    assert sums_of_rows.options == DEFAULTS.merged(options)
