"""A real browser before a real ``penstock ui``."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from playwright.sync_api import sync_playwright
from scripts.browser_parts import chromium

from penstock.stores import open_store
from tests.kit import ui_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-lcd-text",  # pictures without colours at the edges of letters
    "--host-resolver-rules=MAP *.example 127.0.0.1",
)


@dataclass(slots=True)
class Ui:
    """A running ``penstock ui``. Each address that it prints is good once."""

    process: subprocess.Popen[str]
    file: Path
    handles: dict[str, str]
    address: str

    @property
    def port(self) -> int:
        found = re.search(r":(\d+)/", self.address)
        assert found is not None
        return int(found[1])

    def used(self) -> None:
        """Take the next address: the one before was used."""
        self.address = printed_address(self.process)


def printed_address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if (found := re.search(r"http://\S+", line)) is not None:
            return found[0]
    raise AssertionError("penstock ui ended before it printed an address")


@contextmanager
def running_ui(folder: Path, *, rows: int) -> Iterator[Ui]:
    """Fill a store and start the page over it."""
    file = folder / "held.db"
    with open_store(f"sqlite://{file}") as store:
        handles = ui_store.fill(store, time.time, rows=rows)
    command = [sys.executable, "-m", "penstock", "ui", "--no-open", "--port", "0", "--store", f"sqlite://{file}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield Ui(process, file, handles, printed_address(process))
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start Chromium, without a profile and without any request of its own."""
    program = chromium()
    assert program is not None, "no Chromium: python scripts/browser_parts.py installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
