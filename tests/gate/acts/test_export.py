"""``export``: all of a held result, a table, a path or a query, as a file or as a resource; never elsewhere."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from penstock.config import Config
from penstock.core.fit import Call
from penstock.errors import CallerError
from penstock.gate import Gate
from penstock.gate.acts.request import ActTerms
from penstock.gate.owners import Owner
from penstock.gate.records import Origin
from penstock.query.sandbox.sandbox import JobLimits, Sandbox
from tests.gate.acts.conftest import ActingDesk
from tests.gate.conftest import OWNER
from tests.kit.answers import head_of

ROWS = [
    {"id": n, "user": {"name": f"=name {n}" if n % 400 == 0 else f"name {n}"}, "big": 2**53 + n} for n in range(1_200)
]
TEXT = "".join(f"line {n}: Ünïcode and words\n" for n in range(3_000))


def exported(acting: ActingDesk, handle: str, form: str, **given: Any) -> tuple[dict[str, Any], bytes]:
    """What was told of a file, and its bytes."""
    told = acting.act("export", handle, format=form, **given)
    data = Path(told["path"]).read_bytes()
    assert (told["bytes"], told["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert told["format"] == form
    return told, data


def table(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def test_all_rows_of_a_result_are_in_the_csv_with_columns_of_nested_objects(acting: ActingDesk) -> None:
    told, data = exported(acting, acting.hold(ROWS), "csv")
    head, *lines = table(data)
    assert head == ["id", "user.name", "big"]
    assert [line[0] for line in lines] == [str(n) for n in range(1_200)]
    assert lines[7] == ["7", "name 7", str(2**53 + 7)]
    assert lines[400][1] == "'=name 400"
    assert told["rows"] == 1_200
    assert told["note"].startswith("3 cells")


@pytest.mark.parametrize(
    ("form", "given", "rows", "whole"),
    [
        ("csv", {"sql": "SELECT count(*) AS n, max(id) AS last FROM items"}, 1, b"n,last\r\n1200,1199\r\n"),
        ("jsonl", {"sql": "SELECT id FROM items WHERE id < 2"}, 2, b'{"id":0}\n{"id":1}\n'),
        ("txt", {"jq_filter": "[.[].id] | add"}, None, b"719400"),
        ("json", {"jq_filter": "map(.id)[:3]"}, 3, b"[0,1,2]"),
        ("txt", {"path": ".[3].user.name"}, None, b"name 3"),
        ("json", {"path": ".[3].user"}, None, b'{"name": "name 3"}'),
        ("md", {"sql": "SELECT id FROM items LIMIT 1"}, 1, b"| id |\n| --- |\n| 0 |\n"),
    ],
)
def test_a_part_of_a_result_is_exported(
    acting: ActingDesk, form: str, given: dict[str, str], rows: int | None, whole: bytes
) -> None:
    told, data = exported(acting, acting.hold(ROWS), form, **given)
    assert (told.get("rows"), data) == (rows, whole)


def test_json_is_the_result_byte_for_byte_and_jsonl_its_items(acting: ActingDesk) -> None:
    raw = json.dumps({"rows": ROWS, "next": None}, indent=1)
    handle = acting.hold(raw)
    assert exported(acting, handle, "json")[1] == raw.encode()
    told, data = exported(acting, handle, "jsonl")
    assert [json.loads(line) for line in data.splitlines()] == ROWS
    assert told["rows"] == 1_200
    assert table(exported(acting, handle, "csv", table="items")[1])[1][0] == "0"


def test_a_text_is_exported_as_it_is_and_as_the_rows_that_queries_see(acting: ActingDesk) -> None:
    handle = acting.hold(TEXT)
    assert exported(acting, handle, "txt")[1] == exported(acting, handle, "md")[1] == TEXT.encode()
    assert exported(acting, handle, "csv", sql="SELECT text FROM lines WHERE n = 2")[1] == (
        "text\r\nline 1: Ünïcode and words\r\n".encode()
    )
    assert json.loads(exported(acting, handle, "json")[1]) == TEXT.splitlines()
    inside = acting.hold({"path": "a.txt", "content": TEXT})
    assert exported(acting, inside, "txt")[1] == TEXT.encode()
    records = acting.hold("".join(json.dumps(row) + "\n" for row in ROWS))
    assert json.loads(exported(acting, records, "json")[1]) == ROWS
    csv_text = acting.hold("id,name\n" + "".join(f"{n},name {n}\n" for n in range(3_000)))
    assert exported(acting, csv_text, "jsonl")[0]["rows"] == 3_000


def test_a_table_with_more_rows_than_one_answer_of_sql_has_is_exported_whole(acting: ActingDesk) -> None:
    with Sandbox(workers=1, limits=JobLimits(page=4_000)) as small:
        acting.gate._sandbox = small
        handle = acting.hold(ROWS)
        assert exported(acting, handle, "csv")[0]["rows"] == 1_200
        assert "fit into one answer of SQL" in acting.act_error(
            "export", handle, format="csv", sql="SELECT * FROM items"
        )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "format is missing"),
        ({"format": "xlsx"}, "there is no format 'xlsx'"),
        ({"format": "csv", "sql": "SELECT 1", "path": "."}, "sql and path are both given"),
        ({"format": "csv", "table": 'none"'}, "no such table"),
        ({"format": "csv", "sql": "SELECT nope FROM items"}, "no such column"),
        ({"format": "csv", "jq_filter": "map("}, "jq"),
        ({"format": "csv", "path": ".nope"}, "nope"),
        ({"format": "csv", "sql": ""}, "sql is ''"),
    ],
)
def test_a_wrong_call_writes_nothing(acting: ActingDesk, tmp_path: Path, given: dict[str, str], words: str) -> None:
    assert words in acting.act_error("export", acting.hold(ROWS), **given)
    assert not (tmp_path / "exports").exists()


def test_the_handle_of_another_owner_is_unknown(acting: ActingDesk, tmp_path: Path) -> None:
    other = acting.hold(ROWS, owner="bob")
    assert "there is no held result" in acting.act_error("export", other, format="csv")
    assert not (tmp_path / "exports").exists()


def test_a_picture_is_not_exported(acting: ActingDesk) -> None:
    picture = {"type": "image", "data": "iVBORw0KGgoA" * 500_000, "mimeType": "image/png"}
    told = json.loads(acting.gate.admit(Call(tool="draw", owner=OWNER), json.dumps({"content": [picture]}).encode()))
    handle = head_of(told)["cache_id"]
    assert "a block of type image" in acting.act_error("export", handle, format="txt")


# As a resource


@pytest.fixture
def linking(acting: ActingDesk, sandbox: Sandbox) -> ActingDesk:
    config = Config(max_tokens=3_000, act="export")
    gate = Gate(acting.store, config, now=acting.clock, sandbox=sandbox)
    return ActingDesk(gate=gate, store=acting.store, clock=acting.clock)


def read_all(gate: Gate, uri: str, owner: str = OWNER) -> tuple[str, int]:
    """The text of a resource by as many reads as it takes, and their number."""
    whole, reads = "", 0
    while True:
        contents = json.loads(gate.read_export(owner, uri))["contents"]
        whole += contents[0]["text"]
        reads += 1
        if len(contents) == 1:
            return whole, reads
        assert contents[1]["uri"] in contents[1]["text"]
        uri = contents[1]["uri"]


@pytest.mark.parametrize("data", [ROWS, TEXT, "ü" * 40_000])
def test_without_a_folder_an_export_is_a_resource_that_is_read_in_parts(linking: ActingDesk, data: Any) -> None:
    told = linking.act_raw("export", linking.hold(data), format="txt", name="my rows")
    facts, link = head_of(told), told["content"][1]
    assert link == {
        "type": "resource_link",
        "uri": facts["uri"],
        "name": "my rows.txt",
        "mimeType": "text/plain",
        "size": facts["bytes"],
    }
    assert facts["uri"].endswith("/my%20rows.txt")
    assert facts["expires_in_s"] == 1_800
    text, reads = read_all(linking.gate, facts["uri"])
    assert text == (data if isinstance(data, str) else json.dumps(data))
    assert (hashlib.sha256(text.encode()).hexdigest(), reads > 1) == (facts["sha256"], True)


def test_a_small_export_is_read_in_one(linking: ActingDesk) -> None:
    told = linking.act("export", linking.hold(ROWS), format="csv", sql="SELECT count(*) n FROM items")
    contents = json.loads(linking.gate.read_export(OWNER, told["uri"]))["contents"]
    assert contents == [{"uri": told["uri"], "mimeType": "text/csv", "text": "n\r\n1200\r\n"}]


def test_a_resource_is_its_owner_s_alone_and_only_an_export_is_one(linking: ActingDesk) -> None:
    handle = linking.hold(ROWS)
    uri = linking.act("export", handle, format="csv")["uri"]
    for owner, wrong in (
        ("bob", uri),
        (OWNER, uri.replace("search.csv", "other.csv")),
        (OWNER, f"penstock://export/{handle}/search.csv"),
        (OWNER, f"{uri}?from=999999999"),
        (OWNER, f"{uri}?to=5"),
        (OWNER, f"{uri}/.."),
        (OWNER, "penstock://export/r_x/a.csv"),
        (OWNER, "penstock://"),
    ):
        with pytest.raises(CallerError, match="there is no"):
            linking.gate.read_export(owner, wrong)


def test_over_http_a_folder_is_not_written_to(acting: ActingDesk, tmp_path: Path) -> None:
    given = {"action": "export", "cache_id": acting.hold(ROWS), "format": "csv"}
    told = json.loads(acting.gate.act(OWNER, given, terms=ActTerms(is_local=False)))
    assert told["content"][1]["type"] == "resource_link"
    assert not (tmp_path / "exports").exists()


def test_a_client_that_knows_no_links_gets_the_address_alone(linking: ActingDesk) -> None:
    given = {"action": "export", "cache_id": linking.hold(ROWS), "format": "csv"}
    told = json.loads(linking.gate.act(OWNER, given, terms=ActTerms(links=False)))
    assert [block["type"] for block in told["content"]] == ["text"]


def test_an_export_that_is_too_large_or_no_text_is_refused_as_a_resource(linking: ActingDesk, sandbox: Sandbox) -> None:
    odd = linking.gate._keeper.keep_document(b"\xff\xfe broken \xff" * 10, Origin(tool="t"), Owner(name=OWNER))
    assert "not valid UTF-8" in linking.act_error("export", odd.handle, format="txt")
    config = Config(max_tokens=3_000, act="export", max_result_bytes=1_048_576)
    small = Gate(linking.store, config, now=linking.clock, sandbox=sandbox)
    handle = linking.hold([{"a": "x" * 100} for _ in range(10_000)])
    told = small.act(OWNER, {"action": "export", "cache_id": handle, "format": "md"}).decode()
    assert "at most 1,048,576 are held" in told
