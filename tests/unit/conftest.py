"""What all unit tests share."""

from __future__ import annotations

import pytest

from samebits.diagnosis.driver import run_and_report, third_run


@pytest.fixture(autouse=True)
def _builds_are_tried_where_they_are_tested(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports of hashes alone would each have half a minute of builds tried."""
    if "builds" not in request.path.parts:
        for module in (run_and_report, third_run):
            monkeypatch.setattr(module, "SECONDS", 0.0)
