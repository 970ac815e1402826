"""Pictures of pages by Chromium: on a desk, 1280 pixels wide, and on a phone, 390."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from tests.support.machines.tabs import browser

FORMS = {"": (1280, 1.0, False), "-phone": (390, 2.0, True)}
"""Widths in pixels, how many of the screen each is, and whether fingers are meant."""
_HIGH, _HIGHEST = 300, 1600


def take(address: str, path: Path, form: str) -> None:
    """Write a picture of a page, as high as the page is."""
    asyncio.run(_take(address, path, form))


async def _take(address: str, path: Path, form: str) -> None:
    width, ratio, mobile = FORMS[form]
    with tempfile.TemporaryDirectory() as folder:
        async with browser(Path(folder)) as chromium:
            tab = await chromium.tab(address, width, _HIGH, ratio=ratio, mobile=mobile)
            await tab.until("document.readyState === 'complete'")
            high = await tab.run("document.documentElement.scrollHeight")
            wide = await tab.run("document.documentElement.scrollWidth")
            assert wide <= width, f"{path.name} is {wide} pixels wide, of {width}"
            await tab.form(width, min(int(high), _HIGHEST), ratio, mobile)
            await tab.picture(path)


def filled(address: str, folder: Path, port: int) -> str:
    """An address of the page with what stands for itself in files put in, at the port used."""
    text = re.sub(r"\$(\w+\.key)", lambda m: (folder / m[1]).read_text().strip(), address)
    text = text.replace(":8484", f":{port}")
    return text if "://" in text else (folder / text).as_uri()
