"""Only the page's own user gets in, by a token that is good once, and no other page can use it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.ui.guard import PageGuard
from tests.ui.conftest import Browser, browser_of

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.stores import Store

PATHS = ("/", "/app.js", "/api/overview", "/api/results", "/api/events", "/download/x", "/login.html")


def test_a_token_is_good_once_and_leaves_a_cookie_that_no_script_reads(store: Store, sandbox: Sandbox) -> None:
    guard = PageGuard.local(8807)
    browser = browser_of(store, sandbox, guard)
    token = guard.new_token()
    found = browser.ask("GET", f"/?token={token}")
    assert (found.status, found.headers["location"]) == (303, "/")
    cookie = found.headers["set-cookie"]
    assert cookie.startswith("penstock_ui_8807=")
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    again = browser.ask("GET", f"/?token={token}")
    assert again.status == 401
    assert "set-cookie" not in again.headers
    browser.cookie = cookie.partition(";")[0]
    assert browser.ask("GET", "/").status == 200
    assert browser.ask("GET", f"/?token={token}").status == 303  # the same address, reloaded
    assert browser.get("overview")["store"].endswith("held.db")


@pytest.mark.parametrize(
    "cookie", ["", "penstock_ui_8807=", "penstock_ui_8807=wrong", "other=1; penstock_ui_8807=\u00e9"]
)
def test_nothing_is_answered_without_the_cookie(store: Store, sandbox: Sandbox, cookie: str) -> None:
    browser = browser_of(store, sandbox)
    browser.cookie = cookie
    for path in ("/app.js", "/api/overview", "/api/results", "/api/events", "/download/x"):
        found = browser.ask("GET", path)
        assert found.status == 401, path
    shown = browser.ask("GET", "/")
    assert shown.status == 401
    assert b"A token is needed" in shown.body
    assert browser.ask("DELETE", "/api/results").status == 401
    assert browser.ask("GET", "/?token=wrong").status == 401
    assert browser.ask("POST", "/login", b"token=wrong").status == 401
    assert browser.ask("GET", "/style.css").status == 200  # the way in has a style


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8807", "127.0.0.1", "127.0.0.1:80", "localhost:9", None]
)
def test_another_host_is_refused_everywhere(browser: Browser, host: str | None) -> None:
    for path in PATHS:
        assert browser.ask("GET", path, host=host).status == 421, path


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1:8807", "http://127.0.0.1:8808", "null"])
def test_another_origin_is_refused_everywhere(browser: Browser, origin: str) -> None:
    for path in PATHS:
        assert browser.ask("GET", path, origin=origin).status == 403, path
    assert browser.ask("DELETE", "/api/results", origin=origin).status == 403


def test_other_names_of_this_machine_will_do(browser: Browser) -> None:
    assert browser.ask("GET", "/", host="localhost:8807", origin="http://localhost:8807").status == 200


def test_pages_of_other_sites_are_refused_where_a_browser_tells(browser: Browser) -> None:
    for site in ("cross-site", "same-site"):
        assert browser.ask("GET", "/api/overview", sec_fetch_site=site).status == 403
    assert browser.ask("GET", "/api/overview", sec_fetch_site="same-origin").status == 200


def test_the_api_demands_a_header_that_no_form_can_send(browser: Browser) -> None:
    for header in (None, "", "other"):
        found = browser.ask("GET", "/api/overview", x_penstock=header)
        assert (found.status, found.json["error"]["what"]) == (403, "the header X-Penstock: ui is missing")


def test_a_change_without_an_origin_is_refused(browser: Browser) -> None:
    assert browser.ask("DELETE", "/api/results", origin=None).status == 403


def test_every_answer_forbids_what_a_page_should_not_do(browser: Browser) -> None:
    for path in (*PATHS, "/absent"):
        found = browser.ask("GET", path) if path != "/api/events" else None
        if found is None:
            continue
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["x-frame-options"] == "DENY"
        assert found.headers["referrer-policy"] == "same-origin"


def test_the_page_has_no_inline_script_or_style_and_asks_no_other_host(browser: Browser) -> None:
    for name in ("/", "/login.html"):
        text = browser.ask("GET", name).body.decode()
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick=" not in text
        assert "<script>" not in text
        assert "http://" not in text
        assert "https://" not in text


def test_an_admin_token_opens_the_page_by_a_form_or_as_a_bearer_token(store: Store, sandbox: Sandbox) -> None:
    guard = PageGuard(cookie="penstock_ui", admin="a-long-admin-token")
    browser = browser_of(store, sandbox, guard, mount="/ui")
    assert browser.ask("GET", "/").status == 401
    assert browser.ask("POST", "/login", b"token=another").status == 401
    found = browser.ask("POST", "/login", b"token=a-long-admin-token")
    assert (found.status, found.headers["location"]) == (303, "/ui/")
    assert "Path=/ui;" in found.headers["set-cookie"]
    browser.cookie = found.headers["set-cookie"].partition(";")[0]
    assert browser.ask("GET", "/api/results").status == 200
    browser.cookie = ""
    assert browser.ask("GET", "/api/results", authorization="Bearer a-long-admin-token").status == 200
    assert browser.ask("GET", "/api/results", authorization="Bearer a-long").status == 401


def test_a_lifespan_is_answered_and_other_protocols_are_left_alone(store: Store, sandbox: Sandbox) -> None:
    sent: list[str] = []
    messages = ["lifespan.startup", "lifespan.shutdown"]

    async def run() -> None:
        async def receive() -> dict[str, str]:
            return {"type": messages.pop(0)}

        async def send(message: dict[str, str]) -> None:
            sent.append(message["type"])

        app = browser_of(store, sandbox).app
        await app({"type": "lifespan"}, receive, send)
        await app({"type": "websocket"}, receive, send)

    asyncio.run(run())
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
