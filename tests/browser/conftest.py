"""One page server, one browser and one way in for all tests; each test has a tab of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.kit.ui_browser import Ui, running_browser, running_ui

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

ROWS = 300_000
expect.set_options(timeout=20_000)  # milliseconds: a busy machine is no failure


@pytest.fixture(scope="session")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ui]:
    with running_ui(tmp_path_factory.mktemp("ui"), rows=ROWS) as ui:
        yield ui


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def entered(chromium: Browser, ui: Ui) -> Iterator[BrowserContext]:
    """A browser that came in by the address that was printed. Its pages may be looked into in spite of their policy."""
    context = chromium.new_context(viewport={"width": 1280, "height": 860}, bypass_csp=False, accept_downloads=True)
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.goto(ui.address)
    ui.used()
    page.close()
    yield context
    context.close()


class Watched:
    """What a tab does that it should not: errors, broken rules of its policy, requests to others."""

    def __init__(self, page: Page, port: int) -> None:
        self.faults: list[str] = []
        self._own = f"http://127.0.0.1:{port}/"
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", self._said)
        page.on("request", self._asked)
        page.on("dialog", self._opened)

    def _said(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.faults.append(f"console: {said.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(self._own):
            self.faults.append(f"request: {request.url}")

    def _opened(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def page(entered: BrowserContext, ui: Ui) -> Iterator[Page]:
    """A tab on the first page; it ends without errors and without requests to others."""
    page = entered.new_page()
    watched = Watched(page, ui.port)
    page.goto(f"http://127.0.0.1:{ui.port}/")
    yield page
    page.close()
    assert watched.faults == []
