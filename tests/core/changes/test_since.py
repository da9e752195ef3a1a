"""What a notice says of an earlier result of the same call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.changes import since as module
from penstock.core.changes.compare import UNCHANGED
from penstock.core.changes.since import CHANGED, Earlier, Since, since, version_of
from penstock.core.forms.document import Document, Kind, read
from penstock.core.forms.recognise import read_form
from penstock.core.json.index import reader


def told(old: Any, new: Any) -> Since:
    was, now = (read(one if isinstance(one, bytes) else json.dumps(one).encode()) for one in (old, new))
    main = read_form(now).main
    earlier = Earlier(
        handle="r_X7qZ0kW9vJ3bN5mT1yR8cL",
        seconds=1_234,
        size=len(was.raw),
        part=reader(was.raw),
        is_same=lambda _: False,
        read=lambda: version_of(was, read_form(was).main),
    )
    return since(earlier, now, main)


ROWS = [{"id": number, "state": "open", "user": {"name": f"n{number}"}} for number in range(50)]


def test_the_sentence_names_the_earlier_result_and_its_age() -> None:
    found = told(ROWS, [*ROWS[1:], {"id": 99, "state": "new", "user": {"name": "x"}}])
    assert str(found) == ("since r_X7qZ0kW9vJ3bN5mT1yR8cL, 1,234 s ago: +1 -1 rows, 49 unchanged")
    assert found.is_worth_asking


def test_the_same_bytes_are_unchanged_and_worth_no_question() -> None:
    assert told(ROWS, ROWS).words == UNCHANGED
    assert not told(ROWS, ROWS).is_worth_asking
    rewritten = told(ROWS, json.dumps(ROWS, indent=1).encode())
    assert not rewritten.is_worth_asking


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_COMPARED", 100)


@pytest.mark.usefixtures("small_limit")
def test_above_the_limit_only_bytes_are_compared() -> None:
    log = b"".join(b"line %d of a log\n" % number for number in range(20))
    assert told(log, log).words == UNCHANGED
    assert told(log, log + b"one\ntwo").words == "+2 lines at the end, all before them unchanged"
    assert told(log, log + b"one\n").words == "+1 line at the end, all before them unchanged"
    assert told(log[:-1], log).words == CHANGED
    assert told(log, log[:-1]).words == CHANGED
    assert told(log, b"x" + log).words == CHANGED
    assert told(ROWS, [*ROWS, 1]).words == CHANGED


@pytest.mark.usefixtures("small_limit")
def test_bytes_that_are_known_to_be_the_same_are_not_read() -> None:
    def unread(*_: int) -> bytes:
        raise AssertionError

    now = read(json.dumps(ROWS).encode())
    earlier = Earlier(
        handle="r_X7qZ0kW9vJ3bN5mT1yR8cL",
        seconds=1,
        size=len(now.raw),
        part=unread,
        is_same=lambda one: one is now,
        read=lambda: version_of(now, None),
    )
    assert since(earlier, now).words == UNCHANGED


@pytest.mark.usefixtures("small_limit")
def test_large_json_is_only_said_to_have_changed() -> None:
    lines = b"".join(b'{"id":%d,"text":"words"}\n' % number for number in range(20))
    assert told(lines, lines + b'{"id":21}\n').words == CHANGED


def test_what_is_no_table_has_no_rows_to_compare() -> None:
    assert version_of(read(b'{"a": 1}'), None).rows is None
    assert version_of(read(b"words"), None).kind == "text"
    assert version_of(read(b"\x00\x01\x02" * 99), None).kind == "binary"


def test_another_language_is_compared_as_the_text_it_came_as() -> None:
    yaml = Document(raw=b"a: 1\n", kind=Kind.JSON, body=b'{"a":1}', language="yaml")
    assert version_of(yaml, None).kind == "text"
    inside = Document(raw=b'{"text":"a: 1"}', kind=Kind.JSON, body=b'{"a":1}', language="yaml", within=("text",))
    found = version_of(inside, None)
    assert (found.kind, found.body) == ("json", inside.raw)
