"""HTTP messages: every one with its headers and the size of its body, with and without the signs of curl."""

from __future__ import annotations

import pytest

from penstock.core.forms.http_dumps import FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as

RAW = "".join(
    f"GET /items/{n}?q=1 HTTP/1.1\nHost: example.org\nAccept: */*\n\n"
    f"HTTP/1.1 {(200, 404)[n % 2]} {('OK', 'Not Found')[n % 2]}\ncontent-type: text/html\nX-Empty:\n\n"
    f"<p>{n}</p>\nGET it\n\n"
    for n in range(6)
)
CURL = """* Trying 10.0.0.1:443...
* Connected
> POST /a HTTP/2
> Host: example.org
>
} [12 bytes data]
< HTTP/2 201
< server: x
<
{ [5 bytes data]
HTTP/1.1 200 OK in a body
more
* Connection left
"""


CURL = CURL.replace("\n>\n", "\n> \n").replace("201\n", "201 \n")  # with the spaces that curl prints


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


@pytest.mark.parametrize("batch", [2, 4_096])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_message_and_every_header_is_a_row(monkeypatch: pytest.MonkeyPatch, batch: int, end: str) -> None:
    monkeypatch.setattr("penstock.core.forms.text_form.BATCH", batch)
    found = read(RAW.replace("\n", end))
    rows = found.rows()
    assert [row["url"] for row in rows[::2]] == [f"/items/{n}?q=1" for n in range(6)]
    assert [row["status"] for row in rows[1::2]] == [200, 404] * 3
    assert rows[3] == {
        "line": 16,
        "kind": "response",
        "method": None,
        "url": None,
        "status": 404,
        "reason": "Not Found",
        "version": "HTTP/1.1",
        "type": "text/html",
        "headers": 2,
        "body": 17,
    }
    assert found.tables["headers"].count == 24
    assert found.rows("headers")[3] == {"message": 5, "name": "x-empty", "value": None}
    assert found.words.what == "HTTP: 6 requests and 6 responses"
    assert found.words.facts == ("status: 200 ×3 · 404 ×3",)
    assert reading_of(RAW).form == "http"


BODY = "<p>ü</p>\nHTTP/1.1 200 OK\n"  # 26 bytes


@pytest.mark.parametrize(
    ("body", "length", "messages"),
    [
        (BODY + "\n", None, None),  # no length: a message, or a line of the body?
        ("<p>\n\n", None, 2),
        ("", "9000", 2),  # the body was left out
        (BODY, "26", None),  # by its length a line of the body, but then nothing tells the next from it
        ("<p>ü</p>\n", "9", 2),
        ("<p>ü</p>\n", "eleven", None),
        ("<p>ü</p>\n", "9000", None),  # it is cut, or goes on: who knows
    ],
)
def test_a_message_begins_only_where_the_one_before_can_end(
    body: str, length: str | None, messages: int | None
) -> None:
    stated = "" if length is None else f"Content-Length: {length}\n"
    found = read_as(FORM, f"HTTP/1.1 200 OK\nA: b\n{stated}\n{body}HTTP/1.1 404 Not Found\nA: b\n\n")
    assert (None if found is None else len(found.rows())) == messages


def test_what_curl_says_itself_is_left_out() -> None:
    found = read(CURL)
    assert found.words.what == "HTTP: 1 request and 1 response"
    assert [row["body"] for row in found.rows()] == [0, 31]
    assert found.column("reason") == [None, None]
    assert read("\nGET / HTTP/1.1\nA: b\n\n").words.facts == ()


OTHERS = {
    "prose": "GET the book.\nHTTP is old.\n" * 9,
    "a log": 'x "GET / HTTP/1.1" 200\n' * 9,
    "no header": "HTTP/1.1 200 OK\nwords and more\n",
    "only signs": "* Trying\n* Failed\n",
    "empty": "",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_text_without_a_message_is_refused() -> None:
    with pytest.raises(Exception, match="no message"):
        list(FORM.parser({"curl": False}).parse(["words"]))


@pytest.mark.parametrize(
    "line",
    ["x" * 1_000_000, "A: " + "b" * 1_000_000, "GET " + "/" * 500_000 + " HTTP/1.1", "A: b\n" * 5_000, "A\x00: b"],
)
def test_hostile_texts_are_read_or_refused(line: str) -> None:
    read_as(FORM, f"GET / HTTP/1.1\n{line}\n\n{line}\n")
    read_as(FORM, f"{line}\n")
