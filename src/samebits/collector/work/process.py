"""A worker as a process: works while there is something to do, and ends with its server.

Its standard input is the server's end of a pipe: a byte says that something came, its end that the
server is gone, however that ended.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

from samebits.collector.database.engine import Database
from samebits.collector.intake.storage import Storage
from samebits.collector.operate.logs import Log
from samebits.collector.work.worker import Worker

IDLE = 2.0
"""Seconds after which a worker looks by itself: leases end, and other servers take files."""
DATABASE = "SAMEBITS_COLLECTOR_DATABASE"
"""The environment variable with the database's URL, which others must not see in a list of
processes."""


def main(folder: Path, seconds: int, memory: int) -> None:
    """Work until standard input ends."""
    wake, over = threading.Event(), threading.Event()

    def listen() -> None:
        while os.read(0, 4096):
            wake.set()
        over.set()
        wake.set()

    threading.Thread(target=listen, daemon=True).start()
    storage, log = Storage(folder), Log(sys.stderr)
    database = Database(folder, os.environ.get(DATABASE) or None)
    worker = Worker(database, storage, log, seconds, memory)
    try:
        while not over.is_set():
            wake.clear()
            if not worker.work():
                wake.wait(IDLE)
    finally:
        worker.close()
        database.close()


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    main(Path(given["folder"]), given["seconds"], given["memory"])
