"""The page's application on a real store, asked as a server asks it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.config.origins import Origins
from penstock.gate.looking import Looking
from penstock.query.sandbox.sandbox import Sandbox
from penstock.stores import open_store
from penstock.ui.api import Api
from penstock.ui.app import UiApp
from penstock.ui.guard import PageGuard
from tests.kit import ui_store
from tests.kit.stores.support import START, Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.stores import Store

HOST = "127.0.0.1:8807"
ORIGIN = f"http://{HOST}"


@dataclass(slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Browser:
    """Sends requests as the page's own browser does. Headers that are None are left out."""

    app: UiApp
    cookie: str = ""
    mount: str = ""

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str | None) -> Reply:
        return asyncio.run(self._ask(method, path, body, headers))

    def get(self, path: str) -> Any:
        """What the API answers."""
        found = self.ask("GET", f"/api/{path}")
        assert found.status == 200, found.body
        return found.json

    def post(self, path: str, **given: Any) -> Any:
        found = self.ask("POST", f"/api/{path}", json.dumps(given).encode())
        assert found.status == 200, found.body
        return found.json

    async def _ask(self, method: str, path: str, body: bytes, headers: dict[str, str | None]) -> Reply:
        given = {"host": HOST, "x_penstock": "ui", "cookie": self.cookie, **headers}
        if method not in ("GET", "HEAD"):
            given.setdefault("origin", ORIGIN)
        place, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": self.mount + place,
            "query_string": query.encode(),
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items() if v is not None],
        }
        sent: list[dict[str, Any]] = []
        parts = [{"type": "http.request", "body": body}]

        async def receive() -> dict[str, Any]:
            return parts.pop() if parts else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        told = {bytes(name).decode(): bytes(value).decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], told, b"".join(one.get("body", b"") for one in sent[1:]))


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A store that tests only look at, and the handles in it."""
    file = tmp_path_factory.mktemp("ui") / "held.db"
    with open_store(f"sqlite://{file}", now=Clock()) as store:
        return file, ui_store.fill(store, Clock())


@pytest.fixture
def handles(made: tuple[Path, dict[str, str]]) -> dict[str, str]:
    return made[1]


@pytest.fixture
def store(made: tuple[Path, dict[str, str]]) -> Iterator[Store]:
    with open_store(f"sqlite://{made[0]}", now=Clock(now=START + 60)) as store:
        yield store


def browser_of(store: Store, sandbox: Sandbox, guard: PageGuard | None = None, mount: str = "") -> Browser:
    config, now = Config(max_tokens=8_000), Clock(now=START + 60)
    guard = guard or PageGuard.local(8807)

    def make_api() -> Api:
        looking = Looking(store, config, now=now, sandbox=sandbox)
        return Api(looking, Origins(settings={}))

    return Browser(app=UiApp(make_api, guard, mount=mount), mount=mount)


@pytest.fixture
def browser(store: Store, sandbox: Sandbox) -> Browser:
    """A browser that has come in."""
    return come_in(browser_of(store, sandbox))


def come_in(browser: Browser) -> Browser:
    found = browser.ask("GET", f"/?token={browser.app._guard.new_token()}")
    browser.cookie = found.headers["set-cookie"].partition(";")[0]
    return browser
