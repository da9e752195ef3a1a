"""Answers, figures and files as the page gets them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from penstock.stores import Counts
from penstock.ui.display import display_answer
from penstock.ui.downloads import MOST, Download, Tickets, file_name
from penstock.ui.overview import overview_of
from penstock.ui.request import encoded
from tests.kit.stores.support import START

if TYPE_CHECKING:
    from tests.ui.conftest import Browser


def test_an_answer_has_its_texts_and_other_blocks_by_their_type() -> None:
    assert display_answer(b"") is None
    blocks = [{"type": "text", "text": "a\ud800b"}, {"type": "image", "mimeType": "image/png", "data": "AAAA"}, "odd"]
    told = display_answer(json.dumps({"content": blocks, "isError": True}).encode())
    assert told is not None
    text, image = told["blocks"]
    assert text == {"type": "text", "text": "a?b"}
    assert (image["type"], image["mime"], "data" in image) == ("image", "image/png", False)
    assert told["is_error"] is True


def test_many_tools_are_added_up_behind_those_that_saved_most() -> None:
    counts = {f"tool{n:02d}": Counts(calls=n, held=1, tokens_saved=1_000 * n) for n in range(1, 31)}
    told = overview_of(counts, {}, [], now=START, place="here", days=7)
    assert [one["name"] for one in told["tools"]][:2] == ["tool30", "tool29"]
    assert told["tools"][-1]["name"] == "18 others"
    assert sum(one["calls"] for one in told["tools"]) == told["total"]["calls"] == sum(range(1, 31))
    assert len(told["days"]) == 7


def test_what_no_browser_could_read_is_written_so_that_it_can() -> None:
    assert json.loads(encoded({"a": "\ud800", "b": 2**70})) == {"a": "\ud800", "b": 2**70}


def test_files_are_packed_and_sent_once(browser: Browser) -> None:
    plain = browser.ask("GET", "/app.js")
    packed = browser.ask("GET", "/app.js", accept_encoding="gzip, br")
    assert (packed.headers["content-encoding"], gzip.decompress(packed.body)) == ("gzip", plain.body)
    again = browser.ask("GET", "/app.js", if_none_match=plain.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert browser.ask("HEAD", "/app.js").body == b""
    for path in ("/absent.js", "/app.py", "/../guard.py", "/page/app.js", "/%2e%2e/app.py"):
        assert browser.ask("GET", path).status == 404, path
    assert browser.ask("POST", "/app.js").status == 405


def test_only_so_many_downloads_wait() -> None:
    tickets = Tickets()
    download = Download(name="a.csv", kind="text/csv", pieces=lambda: iter(()))
    made = [tickets.add(download) for _ in range(MOST + 1)]
    assert tickets.take(made[0]) is None
    assert tickets.take(made[-1]) is download


def test_names_of_files_are_plain() -> None:
    assert file_name('../"evil"\r\nx', "", "csv") == "evil-x.csv"
    assert file_name("", "", "json") == "result.json"
    assert len(file_name("x" * 500, "y" * 500, "csv")) < 100
