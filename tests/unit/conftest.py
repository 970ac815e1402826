"""What all unit tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from samebits.diagnosis.driver import run_and_report, third_run


@pytest.fixture(scope="module", autouse=True)
def _builds_are_tried_where_they_are_tested(request: pytest.FixtureRequest) -> Iterator[None]:
    """Reports of hashes alone would each have half a minute of builds tried. Once a module: two
    fixtures for each of 16,000 tests took seconds."""
    with pytest.MonkeyPatch.context() as patch:
        if "builds" not in request.path.parts:
            for module in (run_and_report, third_run):
                patch.setattr(module, "SECONDS", 0.0)
        yield
