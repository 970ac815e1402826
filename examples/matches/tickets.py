"""A ticket service for several relays: who asks for a match is told its relay and given a ticket.

    RELAYS='a=ws://localhost:8443 b=ws://localhost:8444' SECRET=secret.key KEY=... \\
        python examples/matches/tickets.py --port 8080
    curl -H "Authorization: Bearer $KEY" -d '{"match": "m1", "slot": 0}' localhost:8080/tickets

A match is always at the same relay: the one whose name and the match's hash highest together
(rendezvous hashing), so that relays can be added and few matches move. Relays share nothing, and
this service keeps nothing. Put your own login, and your own idea of who may play which slot, in the
place of the one key.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import os
import sys
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from samebits.errors import SamebitsError
from samebits.net.tickets import Role, make_ticket

MOST_BYTES = 4096


def relay_of(match: str, relays: dict[str, str]) -> str:
    """The name of a match's relay."""
    return max(relays, key=lambda name: hashlib.sha256(f"{name}\0{match}".encode()).digest())


class Service(ThreadingHTTPServer):
    """Gives tickets signed with `secret` to those who have `key`."""

    def __init__(self, port: int, relays: dict[str, str], secret: bytes, key: str) -> None:
        super().__init__(("", port), Handler)
        self.relays, self.secret, self.key = relays, secret, key

    def ticket(self, given: dict[str, Any]) -> dict[str, str]:
        """What a request gets. Raises SamebitsError, KeyError, TypeError, ValueError."""
        match, slot = str(given["match"]), int(given.get("slot", 0))
        role: Role = "spectator" if given.get("spectator") else "player"
        name = relay_of(match, self.relays)
        text = make_ticket(self.secret, match, slot, now_ns=time.time_ns(), role=role, relay=name)
        return {"url": f"{self.relays[name]}/{match}", "ticket": text}


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    timeout = 10

    @property
    def service(self) -> Service:
        assert isinstance(self.server, Service)
        return self.server

    def do_GET(self) -> None:
        is_known = self.path == "/healthz"
        self._answer(HTTPStatus.OK if is_known else HTTPStatus.NOT_FOUND, {"ok": is_known})

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        shown = self.headers.get("Authorization", "").encode()
        if not hmac.compare_digest(shown, f"Bearer {self.service.key}".encode()):
            self._answer(HTTPStatus.UNAUTHORIZED, {"error": "give the key as a bearer token"})
        elif self.path != "/tickets":
            self._answer(HTTPStatus.NOT_FOUND, {"error": "POST to /tickets"})
        elif not size.isdecimal() or int(size) > MOST_BYTES:
            self._answer(HTTPStatus.BAD_REQUEST, {"error": f"give at most {MOST_BYTES} bytes"})
        else:
            try:
                found = self.service.ticket(json.loads(self.rfile.read(int(size))))
            except (SamebitsError, KeyError, TypeError, ValueError, RecursionError) as error:
                self._answer(
                    HTTPStatus.BAD_REQUEST, {"error": f"no ticket for that: {error}"[:300]}
                )
            else:
                self._answer(HTTPStatus.OK, found)

    def _answer(self, status: HTTPStatus, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Log paths alone: what is posted is nobody's business."""
        print(self.address_string(), format % args, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Give tickets for matches at several relays.")
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    try:
        relays = dict(part.split("=", 1) for part in os.environ["RELAYS"].split())
        secret, key = Path(os.environ["SECRET"]).read_bytes().strip(), os.environ["KEY"]
    except (KeyError, ValueError, OSError) as error:
        sys.exit(f"set RELAYS to NAME=ws://HOST:PORT ..., SECRET to a file, and KEY: {error}")
    if not relays or not key:
        sys.exit("set RELAYS to NAME=ws://HOST:PORT ..., SECRET to a file, and KEY")
    with Service(options.port, relays, secret, key) as service:
        print(f"tickets at port {service.server_address[1]} for {', '.join(relays)}", flush=True)
        service.serve_forever()


if __name__ == "__main__":
    main()
