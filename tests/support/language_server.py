"""pyright's language server as an editor speaks to it: completion and hover at a place."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.limits import HANG_SECONDS

COMMAND = [sys.executable, "-m", "pyright.langserver", "--stdio"]


class LanguageServer:
    """A server for one folder; a context manager, which ends it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> LanguageServer:
        uri = self.folder.as_uri()
        folders = [{"uri": uri, "name": "user"}]
        hover = {"contentFormat": ["plaintext"]}
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "workspaceFolders": folders,
                "capabilities": {"textDocument": {"hover": hover}},
            },
        )
        self.tell("initialized", {})
        return self

    def __exit__(self, *raised: object) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.communicate(timeout=HANG_SECONDS)

    def open(self, path: Path) -> None:
        """Open a file of the folder."""
        document = {
            "uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text(),
        }  # fmt: skip
        self.tell("textDocument/didOpen", {"textDocument": document})

    def hover(self, path: Path, line: int, column: int) -> str:
        """What is shown at a place, counted from 0."""
        found = self.ask("textDocument/hover", _place(path, line, column))
        return str(found["contents"]["value"]) if found else ""

    def complete(self, path: Path, line: int, column: int) -> set[str]:
        """The names that are offered at a place, counted from 0."""
        found: Any = self.ask("textDocument/completion", _place(path, line, column)) or []
        items: list[Any] = found["items"] if isinstance(found, dict) else found
        return {str(item["label"]) for item in items}

    def ask(self, method: str, params: object) -> Any:
        """The result of a request; the server's own requests are answered with nothing."""
        self.count += 1
        self._send({"id": self.count, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self.count and "method" not in message:
                return message.get("result")
            if "id" in message and "method" in message:
                asked = message["method"] == "workspace/configuration"
                items = message["params"]["items"] if asked else []
                self._send({"id": message["id"], "result": [None for _ in items] or None})

    def tell(self, method: str, params: object) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        body = self.process.stdout.read(length)
        if not body:
            raise EOFError("the language server has ended")
        return dict(json.loads(body))


def _place(path: Path, line: int, column: int) -> dict[str, object]:
    return {
        "textDocument": {"uri": path.as_uri()},
        "position": {"line": line, "character": column},
    }
