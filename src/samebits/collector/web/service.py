"""One running collector: its database, files, keys and limits, for all that answers requests."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass

from samebits.collector.database.engine import Database
from samebits.collector.intake.keys import Keyring
from samebits.collector.intake.ledger import Ledger
from samebits.collector.intake.rates import Rates
from samebits.collector.intake.storage import Storage
from samebits.collector.operate.logs import Log
from samebits.collector.settings import Settings
from samebits.collector.work.crew import Crew


@dataclass(eq=False)
class Service:
    """What requests share. Made by `Service.open`, which is the one server of its folder; `close`
    returns when all that was taken is durable."""

    settings: Settings
    database: Database
    storage: Storage
    ledger: Ledger
    keyring: Keyring
    rates: Rates
    log: Log
    answered: Counter[tuple[str, str, int]]
    """Requests by method, route and status, since the start."""
    started: float
    crew: Crew
    """The workers, which are told when files arrive."""

    @classmethod
    def open(cls, settings: Settings, log: Log | None = None) -> Service:
        """Raises CollectorError where folder or database cannot be used."""
        storage = Storage(settings.folder)
        storage.own()
        try:
            database = Database(settings.folder, settings.database)
        except BaseException:
            storage.close()
            raise
        log = log or Log(sys.stderr)
        return cls(
            settings, database, storage, Ledger(database, storage), Keyring(database),
            Rates(settings.rate, settings.burst), log, Counter(), time.time(), Crew(settings, log),
        )  # fmt: skip

    def close(self) -> None:
        self.ledger.close()
        self.database.close()
        self.storage.close()
