"""Twenty and more hostile SQL texts. Each ends in a short error or a short answer, the data is as it was, the next
question is answered, and we are as large as before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.query.sandbox.sandbox import JobLimits, Sandbox
from penstock.query.sql.query import run_sql
from tests.kit.harm import as_large_as_before, short_error
from tests.kit.held_results import held_value

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = {"held": held_value([{"id": number, "name": "x" * 40} for number in range(300)])}
GROWTH = 48_000_000  # bytes that we may grow by
PATIENT = JobLimits(
    seconds=60, output=8_000_000, rows=20_000
)  # for what is answered, however much else the machine does
HASTY = replace(PATIENT, seconds=0.15)

COUNTING = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
REFUSED = [
    "ATTACH DATABASE '/tmp/penstock-evil.db' AS e",
    "PRAGMA writable_schema = 1",
    "CREATE TABLE t (a)",
    "DROP TABLE items",
    "INSERT INTO items VALUES (1, 'x')",
    "WITH t AS (SELECT 1) UPDATE items SET id = 0",
    "WITH t AS (SELECT 1) INSERT INTO items (id) SELECT 1",
    "VACUUM INTO '/tmp/penstock-evil.db'",
    "BEGIN EXCLUSIVE",
    "SELECT load_extension('/tmp/evil.so')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/penstock-evil', 'x')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_table_info('items')",
    "SELECT 1; DROP TABLE items",
    "SELECT * FROM items WHERE name = 'unclosed",
    "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
    "SELECT 1 " + "UNION SELECT 1 " * 1_000,
    "SELECT zeroblob(1000000000)",
    "SELECT hex(randomblob(900000000))",
    "SELECT 'x' LIKE '" + "%a" * 5_000 + "'",
    "/* nothing but a comment",
    "",
    "SELECT '\x00'",
]
ENDLESS = [
    f"{COUNTING} SELECT count(*) FROM c",
    f"{COUNTING} SELECT x FROM c",
    f"{COUNTING} SELECT x, hex(zeroblob(1000000)) FROM c",
    f"{COUNTING} SELECT group_concat(x) FROM c",
    f"{COUNTING} SELECT x FROM c ORDER BY x DESC",
    f"{COUNTING} SELECT max(length(replace(hex(zeroblob(1000000 + x)), '0', 'ab'))) FROM c",
    "SELECT count(*) FROM items a, items b, items c, items d, items e",
    "SELECT printf('%.*c', 900000000, 'x') AS p",
    "SELECT a.name, b.name, c.name FROM items a, items b, items c",
]
HARMLESS = [
    ("SELECT sqlite_version() IS NOT NULL AS v", b'{"v":1}'),
    ("SELECT count(*) AS n FROM sqlite_master", b'{"n":0}'),
    ("SELECT count(*) AS n FROM items WHERE name LIKE '" + "%x" * 30 + "y'", b'{"n":0}'),
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1, limits=PATIENT) as pool:
        run_sql("SELECT 1 FROM items", SOURCES, pool)
        yield pool


@pytest.fixture(autouse=True)
def unharmed(sandbox: Sandbox) -> Iterator[None]:
    """After whatever happens, the next question is answered with the same data, and we have not grown."""
    with as_large_as_before(GROWTH):
        yield
        lines = run_sql("SELECT count(*) AS n, sum(id) AS s FROM items", SOURCES, sandbox).lines
        assert lines == b'{"n":300,"s":44850}'


def test_there_are_more_than_twenty_of_them() -> None:
    assert len(REFUSED) + len(ENDLESS) + len(HARMLESS) >= 20


@pytest.mark.parametrize("sql", REFUSED, ids=lambda sql: sql[:40].replace("\x00", "NUL"))
def test_what_is_not_a_plain_question_is_refused_and_the_worker_kept(sandbox: Sandbox, sql: str) -> None:
    workers = sandbox.idle
    assert "SQL" in short_error(lambda: run_sql(sql, SOURCES, sandbox))
    assert sandbox.idle == workers


@pytest.mark.parametrize("sql", ENDLESS)
def test_what_has_no_end_is_stopped(sandbox: Sandbox, sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "limits", HASTY)
    what = short_error(lambda: run_sql(sql, SOURCES, sandbox))
    assert "was stopped" in what or "more than 20,000 rows" in what or "too big" in what


@pytest.mark.parametrize(("sql", "answer"), HARMLESS, ids=lambda given: str(given)[:40])
def test_what_looks_dangerous_but_is_not_is_answered(sandbox: Sandbox, sql: str, answer: bytes) -> None:
    assert run_sql(sql, SOURCES, sandbox).lines == answer
