"""`samebits collector compare` and `backup`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from samebits.cli.collector.serve import database_url, opened
from samebits.cli.exit_status import DIFFERS, SAME
from samebits.collector.problem import CollectorError, need_service


def compare(
    folder: str, database: str | None, simulation: str, a: str, b: str, as_json: bool
) -> int:
    """Print whether build `b` desyncs more often than `a`."""
    with opened(folder, database) as found:
        from samebits.collector.rollout.counts import compare as compare_builds
        from samebits.collector.rollout.sequential import ERROR

        answer, rates = compare_builds(found, simulation, a, b)
    if as_json:
        told = {"error": ERROR, **asdict(answer), "builds": [asdict(rate) for rate in rates]}
        print(json.dumps(told, indent=2))
    else:
        for rate in rates:
            print(
                f"{rate.build}: {rate.desyncs:,} desyncs of {rate.sessions:,} sessions, "
                f"{100 * rate.rate:.4g} % ({100 * rate.low:.4g} to {100 * rate.high:.4g} %)"
            )
        print(answer.words(a, b))
    return DIFFERS if answer.verdict == "worse" else SAME


def backup(folder: str, database: str | None, file: str) -> int:
    """Write an archive."""
    need_service()
    from samebits.collector.operate.backup import backup as write

    if not Path(folder).is_dir():
        raise CollectorError(
            f"there is no folder {folder} of a collector",
            fix="give --folder as for samebits collector serve",
        )
    is_sqlite = database_url(database) is None
    count = write(Path(folder), Path(file), is_sqlite)
    print(f"{file}: {count:,} files" + (" and the database" if is_sqlite else ""))
    return SAME
