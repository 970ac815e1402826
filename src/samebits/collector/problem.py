"""The error of the collector and of what sends to it."""

from __future__ import annotations

from importlib.util import find_spec

from samebits.errors import SamebitsError


class CollectorError(SamebitsError):
    """A request, a setting or a folder that the collector cannot use."""


def need_service() -> None:
    """Raise CollectorError unless the extra is installed that the service needs."""
    for name in ("starlette", "uvicorn", "sqlalchemy", "alembic"):
        if find_spec(name) is None:
            raise CollectorError(
                f"the collector needs {name}", fix="python -m pip install 'samebits[collector]'"
            )
