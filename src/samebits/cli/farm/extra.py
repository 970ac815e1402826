"""The check for what a farm needs besides samebits."""

from __future__ import annotations

from importlib.util import find_spec

from samebits.farm.errors import FarmError


def require_farm(*names: str) -> None:
    """Raise FarmError unless Dask and DuckDB are installed, or other modules of these names."""
    missing = [name for name in names or ("distributed", "duckdb") if find_spec(name) is None]
    if missing:
        raise FarmError(
            f"a farm needs {' and '.join(missing)}",
            fix='python -m pip install "samebits[farm]"; without it, `samebits verify SIM CORPUS '
            "--shard 1/4` runs a part of a corpus under any scheduler",
        )
