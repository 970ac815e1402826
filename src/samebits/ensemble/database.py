"""Tables in memory and Parquet files, by DuckDB, the extra `farm`: its SQL is the whole query.

Queries run in a thread of their own. In the thread that takes signals DuckDB looks for these
itself, and loses what their handlers raise: a KeyboardInterrupt came out as a RuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import Any, TypeVar, cast

import duckdb

_R = TypeVar("_R")

Error = duckdb.Error


class Database:
    """Tables in memory, for one thread at a time. What a signal handler raises ends a query."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:")
        self.execute("SET enable_progress_bar = false")

    def execute(self, sql: str, given: Sequence[Any] = ()) -> Database:
        """Run SQL with its parameters. Raises Error."""
        self._within(partial(self._connection.execute, sql, list(given)))
        return self

    def fetchone(self) -> Any:
        """The next row of the latest query, or None."""
        return self._within(self._connection.fetchone)

    def fetchall(self) -> list[Any]:
        """All rows of the latest query, as tuples."""
        return self._within(self._connection.fetchall)

    def fetchnumpy(self) -> dict[str, Any]:
        """All rows of the latest query, a column each."""
        fetch: Callable[[], dict[str, Any]] = cast(Any, self._connection).fetchnumpy
        return self._within(fetch)

    def close(self) -> None:
        """Let go of the tables."""
        self._connection.close()

    def _within(self, work: Callable[[], _R]) -> _R:
        found: Future[_R] = Future()

        def run() -> None:
            try:
                found.set_result(work())
            except BaseException as error:
                found.set_exception(error)

        thread = Thread(target=run, name="samebits database", daemon=True)
        thread.start()
        try:
            return found.result()
        except BaseException:
            if not found.done():
                self._connection.interrupt()
            raise
        finally:
            thread.join()
