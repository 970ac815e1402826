"""Chromium without a screen, driven over its own protocol: tabs, keys, scripts and pictures."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.support.limits import HANG_SECONDS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_AS_ROOT = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
_OPTIONS = (
    "--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
    "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling", "--hide-scrollbars",
)  # fmt: skip
_AGAIN = 0.05
_LEFT = "Inspected target navigated or closed"


class PageLeftError(Exception):
    """A page was left, or loaded anew, before it answered."""


class Browser:
    """A running browser; made by `browser`."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.said: list[str] = []
        """Errors of pages, and what they wrote to their consoles."""

    async def tab(self, url: str, width: int = 1280, height: int = 720, **form: Any) -> Tab:
        """A new tab that shows a page on a screen of that form: `ratio`, `mobile`."""
        target = (await self.call("Target.createTarget", url="about:blank"))["targetId"]
        found = await self.call("Target.attachToTarget", targetId=target, flatten=True)
        tab = Tab(self, found["sessionId"])
        await tab.call("Page.enable")
        await tab.call("Runtime.enable")
        await tab.form(width, height, **form)
        await tab.go(url)
        return tab

    async def call(self, method: str, session: str | None = None, **given: Any) -> dict[str, Any]:
        """The result of a method of the protocol."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        message: dict[str, Any] = {"id": number, "method": method, "params": given}
        if session is not None:
            message["sessionId"] = session
        await self._socket.send(json.dumps(message))
        async with asyncio.timeout(HANG_SECONDS):
            found = await answer
        if found.get("error", {}).get("message") == _LEFT:
            raise PageLeftError(method)
        assert "error" not in found, f"{method}: {found['error']}"
        return found["result"]

    async def listen(self) -> None:
        """Take what comes, until the browser is gone."""
        async for text in self._socket:
            message = json.loads(text)
            answer = self._answers.pop(message.get("id"), None)
            if answer is not None and not answer.done():
                answer.set_result(message)
            elif message.get("method") == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.said.append(details.get("exception", {}).get("description", str(details)))
            elif message.get("method") == "Runtime.consoleAPICalled":
                parts = [str(a.get("value", a)) for a in message["params"]["args"]]
                self.said.append(" ".join(parts))


class Tab:
    """One page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self._session = browser, session

    async def call(self, method: str, **given: Any) -> dict[str, Any]:
        return await self.browser.call(method, self._session, **given)

    async def go(self, url: str) -> None:
        await self.call("Page.navigate", url=url)

    async def form(self, width: int, height: int, ratio: float = 1, mobile: bool = False) -> None:
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=ratio, mobile=mobile,
        )  # fmt: skip
        await self.call("Emulation.setTouchEmulationEnabled", enabled=mobile)

    async def run(self, script: str) -> Any:
        """The value of an expression, or of what its promise gives."""
        found = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def until(self, script: str) -> Any:
        """The value of an expression once it is true."""
        try:
            async with asyncio.timeout(HANG_SECONDS):
                while True:
                    found = None
                    with suppress(PageLeftError):  # the next page is asked
                        found = await self.run(
                            f"(() => {{ try {{ return {script} }} catch {{}} }})()"
                        )
                    if found:
                        return found
                    await asyncio.sleep(_AGAIN)
        except TimeoutError:
            shown = await self.run("document.body?.innerText")
            raise AssertionError(f"never: {script}\n{shown}\n{self.browser.said}") from None

    async def key(self, code: str, down: bool) -> None:
        """Press a key, or let it go."""
        kind = "keyDown" if down else "keyUp"
        name = " " if code == "Space" else code.removeprefix("Key").lower()
        await self.call("Input.dispatchKeyEvent", type=kind, code=code, key=name)

    async def picture(self, path: Path) -> None:
        """Write what the tab shows as a PNG."""
        await self.call("Page.bringToFront")
        found = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))


@asynccontextmanager
async def browser(profile: Path) -> AsyncGenerator[Browser]:
    """A browser of a new profile, which ends with the block."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM, *_OPTIONS, *_AS_ROOT, f"--user-data-dir={profile}", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    errors = process.stderr
    drain: asyncio.Task[bytes] | None = None
    try:
        address = None
        async with asyncio.timeout(HANG_SECONDS):
            while address is None:
                line = (await errors.readline()).decode(errors="replace")
                assert line, "chromium ended"
                address = re.search(r"ws://\S+", line)
        drain = asyncio.create_task(errors.read())
        async with connect(
            address[0], max_size=None, proxy=None, ping_interval=None, open_timeout=HANG_SECONDS
        ) as socket:
            found = Browser(socket)
            listener = asyncio.create_task(found.listen())
            try:
                yield found
            finally:
                listener.cancel()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        if drain is not None:
            await drain
