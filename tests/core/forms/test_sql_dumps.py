"""SQL dumps: every table with every row, as the three dump programs write them; scripts are none."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from penstock.core.forms.read_text import Parsed, sample_of, text_table
from penstock.core.forms.sql_dumps import FORM, ONE
from penstock.core.forms.sql_values import columns_of, copied, inserted
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as

TEXTS = (
    "it's",
    "a\nb",
    "); (1, 2",
    "-- no comment",
    "",
    None,
    "é ✓",
    "NULL",
    "a;b",
    "\\n",
    "'",
    "x',('",
    "/* no */",
    "$$",
)
USERS = [(n, TEXTS[n % len(TEXTS)], f"{n * 7:05}", n / 4, n % 2) for n in range(60)]
ORDERS = [(n, n % 60, ("open", "paid", "sent")[n % 3], f"2026-01-{n % 28 + 1:02}") for n in range(150)]


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def cells(found: Read, table: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in found.rows(table)]


def sqlite_dump() -> str:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(
            "CREATE TABLE users(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, zip TEXT, score REAL, ok BOOL);"
            'CREATE TABLE "or ders"(id integer, user_id integer references users(id), status text, made text);'
            "CREATE TABLE empty(a, b DEFAULT 'x, y', CHECK (a > 1));"
        )
        database.executemany("INSERT INTO users VALUES (?,?,?,?,?)", USERS)
        database.executemany('INSERT INTO "or ders" VALUES (?,?,?,?)', ORDERS)
        database.executescript(
            "CREATE TRIGGER t AFTER INSERT ON users BEGIN INSERT INTO empty VALUES (1, 2);\n  DELETE FROM empty;\nEND;"
            "CREATE TRIGGER u AFTER DELETE ON users BEGIN DELETE FROM empty; END;"
            "CREATE VIEW v AS SELECT * FROM users WHERE name = 'a;'"
        )
        return "\n".join(database.iterdump()) + "\n"


def mysql(value: Any) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def mysql_dump() -> str:
    def rows(some: list[Any]) -> str:
        return ",".join("(" + ",".join(map(mysql, row)) + ")" for row in some)

    return f"""-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `users`;
CREATE TABLE `users` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(20) DEFAULT NULL COMMENT 'it''s; a (name)',
  `zip` varchar(9) DEFAULT NULL,
  `score` double, -- how many
  `ok` tinyint(1) DEFAULT '1',
  PRIMARY KEY (`id`),
  KEY `by_name` (`name`,`zip`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
LOCK TABLES `users` WRITE;
INSERT INTO `users` VALUES {rows(USERS[:40])};
INSERT INTO `users` VALUES {rows(USERS[40:])};
UNLOCK TABLES;
DELIMITER ;;
CREATE TRIGGER `t` BEFORE INSERT ON `users` FOR EACH ROW BEGIN
  INSERT INTO `log` VALUES (1);
END ;;
DELIMITER ;
CREATE TABLE `orders` (`id` int, `user_id` int unsigned, `status` enum('open','paid'), `made` date);
INSERT IGNORE INTO `orders` (`id`, `user_id`, `status`, `made`) VALUES {rows(ORDERS)};
"""


def copied_text(value: Any) -> str:
    if value is None:
        return r"\N"
    return str(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def postgres_dump() -> str:
    def rows(some: list[Any]) -> str:
        return "\n".join("\t".join(map(copied_text, row)) for row in some)

    return f"""--
-- PostgreSQL database dump
--
\\restrict abc
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $_$
BEGIN
  INSERT INTO public.log VALUES ('it''s');
  RETURN NEW;
END; $_$;
CREATE TABLE public.users (
    id integer NOT NULL,
    name character varying(20),
    zip text,
    score double precision,
    ok boolean DEFAULT true,
    CONSTRAINT c CHECK ((id > 0))
);
CREATE UNLOGGED TABLE public.orders (id bigint, user_id bigint, status text, made date);
COPY public.users (id, name, zip, score, ok) FROM stdin;
{rows([(*row[:4], "t" if row[4] else "f") for row in USERS])}
\\.

COPY public.orders FROM stdin;
{rows(ORDERS)}
\\.

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
"""


def test_a_dump_of_sqlite_has_all_rows() -> None:
    found = read(sqlite_dump())
    assert cells(found, "users") == USERS
    assert cells(found, "or_ders") == ORDERS
    assert found.words.what == "an SQL dump: 4 tables, 211 rows"
    assert found.words.facts == (
        "rows by table: or_ders ×150 · users ×60 · sqlite_sequence ×1",
        "tables without rows: 1",
        "or_ders.status: open ×50 · paid ×50 · sent ×50",
        "or_ders.made: 2026-01-01 .. 2026-01-28",
        "users.ok: 0 ×30 · 1 ×30",
    )
    assert {row["table"]: row["columns"] for row in found.rows()}["empty"] == "a, b DEFAULT"
    assert [(table.name, table.count, table.noun) for table in found.tables.values()][:2] == [
        ("items", 4, "tables"),
        ("or_ders", 150, "rows"),
    ]


def test_a_dump_of_mysql_has_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.sql_dumps.BATCH", 16)
    found = read(mysql_dump())
    assert cells(found, "users") == USERS
    assert cells(found, "orders") == ORDERS
    columns = {row["table"]: row["columns"] for row in found.rows()}
    assert columns["users"] == "id int, name varchar(20), zip varchar(9), score double, ok tinyint(1)"


@pytest.mark.parametrize("batch", [7, 60, 4_096])
def test_a_dump_of_postgres_has_all_rows(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr("penstock.core.forms.sql_dumps.BATCH", batch)
    found = read(postgres_dump())
    assert cells(found, "users") == [(*row[:4], bool(row[4])) for row in USERS]
    assert cells(found, "orders") == ORDERS


def test_rows_may_stand_on_lines_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.sql_dumps.LINES", 3)

    def rows(some: list[Any]) -> str:
        names = ["NULL" if row[1] is None else "N'{}'".format(row[1].replace("'", "''")) for row in some]
        return ",\n  ".join(f"({row[0]}, {name})" for row, name in zip(some, names, strict=True))

    text = f"""
CREATE TABLE a.t (id int, name text);
CREATE TABLE b.t (id int, name text);
INSERT INTO a.t (id, name) VALUES
  {rows(USERS)};
INSERT INTO b.t
  (id, name)
VALUES
  {rows(USERS[:9])}
ON CONFLICT DO NOTHING; -- or so
"""
    found = read(text)
    assert cells(found, "t") == [row[:2] for row in USERS]
    assert cells(found, "b_t") == [row[:2] for row in USERS[:9]]


@pytest.mark.parametrize("after", ["", " ON CONFLICT DO NOTHING", " ON DUPLICATE KEY UPDATE a = (1)"])
def test_statements_that_begin_alike_are_read_together(monkeypatch: pytest.MonkeyPatch, after: str) -> None:
    monkeypatch.setattr("penstock.core.forms.sql_dumps.LINES", 3)
    rows = "".join(f"INSERT INTO t VALUES ({n}, 'it''s {n}', 'x'), (-{n}, '''', NULL){after};\n" for n in range(1, 9))
    found = read(f"CREATE TABLE t (a int, b text, c text);\n{rows}  INSERT INTO t VALUES (0, ';', '')\n;\n")
    pairs = [[(n, f"it's {n}", "x"), (-n, "'", None)] for n in range(1, 9)]
    assert cells(found, "t") == [*(row for pair in pairs for row in pair), (0, ";", "")]


def test_a_dump_of_one_table_is_that_table() -> None:
    text = "CREATE TABLE t (id int, state text);\n" + "".join(
        f"INSERT INTO t VALUES ({n}, '{'ab'[n % 2]}');\n" for n in range(50)
    )
    found = read_as(ONE, text)
    assert found is not None
    assert found.rows()[49] == {"id": 49, "state": "b"}
    assert found.words.what == "an SQL dump of the table t: 50 rows"
    assert reading_of(text).form == "sql_table"
    both = text + "-- a comment\n" * 900 + "INSERT INTO u VALUES (1, 2);\n"
    assert read_as(ONE, both) is None
    assert reading_of(both).form == "sql_dump"
    assert read_as(ONE, "CREATE TABLE t (id int);\n") is None
    assert read_as(ONE, "no dump\n") is None


def test_a_schema_has_tables_without_rows() -> None:
    found = read("CREATE TABLE a (id int);\nCREATE TABLE IF NOT EXISTS b\n(\n  id int\n);\n")
    assert found.words.what == "an SQL dump: 2 tables, no rows"
    assert found.column("columns") == ["id int", "id int"]


@pytest.mark.parametrize(
    ("written", "values"),
    [
        (["1", " 2", "NULL"], [1, 2, None]),
        (["1.50", "2"], ["1.50", "2"]),
        (["'1'", "2"], ["1", "2"]),
        (["'1'", "NULL"], ["1", None]),
        (["true", "FALSE", "null"], [True, False, None]),
        (["true", "1"], ["true", "1"]),
        (["'a'::text", "'it''s'"], ["a", "it's"]),
        (["E'a\\nb'", "'a\\nb'"], ["a\nb", "a\\nb"]),
        (["now()", "CAST('x' AS date)"], ["now()", "CAST('x' AS date)"]),
        (["X'00FF'", "_binary 'a'"], ["X'00FF'", "a"]),
    ],
)
def test_values_are_what_they_are_written_as(written: list[str], values: list[Any]) -> None:
    found = inserted(written, escaping=False, as_text=False)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_a_column_that_is_to_be_text_is_text() -> None:
    assert inserted(["1", "NULL"], escaping=False, as_text=True) == ["1", None]
    assert inserted(["'a\\'b'"], escaping=True, as_text=False) == ["a'b"]
    assert copied(["1", r"\N"], "integer", as_text=True) == ["1", None]
    assert copied(["10001"], "text", as_text=False) == ["10001"]
    assert copied(["1", "x"], "", as_text=False) == ["1", "x"]
    assert copied([r"a\tb\x41\101\.\\"], "text", as_text=False) == ["a\tbAA.\\"]


def test_columns_are_told_from_constraints() -> None:
    text = 'a int, "b c" numeric(10,2) /* x, y */, key(a), `key` text, Index int, [d] timestamp without time zone'
    text += ", unique (a), e"
    found = columns_of(text)
    assert found == {
        "a": "int",
        "b c": "numeric(10,2)",
        "key": "text",
        "Index": "int",
        "d": "timestamp without time zone",
        "e": "",
    }


def test_tables_beyond_the_most_are_only_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.sql_dumps.MOST_TABLES", 2)
    found = read("".join(f"INSERT INTO t{n} VALUES ({n}, 'x');\n" * (n + 1) for n in range(4)))
    assert list(found.tables) == ["items", "t0", "t1"]
    assert found.column("rows") == [1, 2, 3, 4]
    monkeypatch.setattr("penstock.core.forms.sql_dumps.BATCH", 3)
    copy = "".join(f"COPY t{n} (a) FROM stdin;\n5\n1\n2\n3\n\\.\n" for n in range(4))
    assert read(copy).column("rows") == [4, 4, 4, 4]
    monkeypatch.setattr("penstock.core.forms.sql_dumps.MOST_NAMES", 3)
    assert read_as(FORM, "".join(f"INSERT INTO t{n} VALUES ({n}, 'x');\n" for n in range(4))) is None


def test_a_text_late_in_a_column_makes_all_of_it_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.sql_dumps.BATCH", 4)
    found = read("INSERT INTO u VALUES (1);\n" + "".join(f"INSERT INTO t VALUES ({n});\n" for n in [*range(9), "'x'"]))
    assert found.column("c1", "t") == [*map(str, range(9)), "x"]


def test_a_dump_that_is_only_looked_at_in_parts_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.read_text.EXACT", 1_000)
    assert reading_of(postgres_dump()).form == "text"


def test_statements_that_change_rows_are_told_and_not_applied() -> None:
    rows = "".join(f"INSERT INTO t VALUES ({n}, 'x{n}');\n" for n in range(20))
    text = f"CREATE TABLE t (a int, b text);\nDELETE FROM t;\n{rows}UPDATE t SET b = 'y'\nWHERE a = 3;\n"
    text += "DELETE FROM t WHERE a = 1;\ndelete from sqlite_sequence;\n"
    single = reading_of(text)
    assert single.words == "an SQL dump of the table t: 20 rows as inserted (not applied: UPDATE ×1 · DELETE ×1)"
    assert single.main is not None
    assert single.main.count == 20
    two = read(text + "INSERT INTO u VALUES (1);\nUPDATE u SET c1 = 2;\n")
    assert two.words.what == "an SQL dump: 2 tables, 21 rows as inserted (not applied: UPDATE ×2 · DELETE ×1)"


GOOD = "CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (1, 'x');\n"
OTHERS = {
    "prose": "Insert the key.\nCreate table service.\n" * 30,
    "a query": "SELECT * FROM t;\n" * 30,
    "code": "import sql\n\n" + GOOD,
    "code late": GOOD + "print(1)\n",
    "rows of a query": GOOD + "INSERT INTO t SELECT * FROM u;\n",
    "no end": GOOD + "CREATE TABLE u (a int,\n b text\n",
    "no end of rows": GOOD + "INSERT INTO t VALUES (1, 'x'),\n(2, 'y'),\n",
    "a quote without an end": GOOD + "INSERT INTO t VALUES (1, 'x),\n(2, y);\n" * 3,
    "no row": GOOD + "INSERT INTO t VALUES (1, 'x') and so on;\n",
    "another number of values": GOOD + "INSERT INTO t VALUES (1, 'x', 2);\n",
    "other columns": GOOD + "INSERT INTO t (b, a) VALUES ('x', 1);\n",
    "too many columns": f"CREATE TABLE t ({','.join(f'c{n} int' for n in range(2_000))});\n",
    "more columns in rows": "INSERT INTO t VALUES (" + ",".join("1" * 2_000) + ");\n",
    "copied rows of different lengths": GOOD + "COPY t (a, b) FROM stdin;\n1\tx\n2\n\\.\n",
    "copied rows with another number of values": GOOD + "COPY t (a, b) FROM stdin;\n1\n2\n\\.\n",
    "a comment without an end": GOOD + "/* and so on\n" * 9,
    "rows without an end": GOOD + "COPY t (a, b) FROM stdin;\n1\tx\n",
    "a routine without an end": GOOD + "CREATE TRIGGER x AFTER INSERT ON t BEGIN\n UPDATE t SET a = 1;\n",
    "an update without an end": GOOD + "UPDATE t SET a = 1\n",
    "no table": "SET a = 1;\nINSERT\n",
    "empty": "",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize(
    "line",
    [
        "INSERT INTO t VALUES (1, '" + "x" * 1_000_000,
        "INSERT INTO t VALUES (1, '" + "''" * 500_000,
        "INSERT INTO t VALUES " + "(" * 200_000,
        "INSERT INTO t VALUES (" + "1," * 200_000 + ");",
        "INSERT INTO t VALUES (1, '\x00');",
        "INSERT INTO t VALUES\n" + "(1, 2, \n" * 20_000,
        "INSERT INTO t VALUES (1, '\n" + "it\n" * 150_000,
        "CREATE TABLE u (\n" + "a int,\n" * 50_000,
        "CREATE TABLE u (" + "(" * 200_000 + ");",
        "CREATE " + "a " * 200_000 + ";",
        "SELECT $a$\n" + "x\n" * 150_000,
        "SET x = '\n" + "y\n" * 150_000,
        "INSERT INTO " + "a." * 200_000 + " VALUES (1);",
    ],
)
def test_hostile_texts_are_read_or_refused(line: str) -> None:
    for form in (FORM, ONE):
        read_as(form, f"{GOOD}{line}\n")


def test_a_row_may_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.sql_dumps.LONGEST_ROW", 100)
    monkeypatch.setattr("penstock.core.forms.sql_dumps.LINES", 5)
    assert read_as(FORM, GOOD + "INSERT INTO t VALUES (\n" + "1,\n" * 100 + "2);\n") is None


def test_random_rows_are_read_alike_in_all_three_ways() -> None:
    choose = random.Random(4)
    pieces = ["a", "'", "\\", "\n", ")", "(", ",", ";", " ", "--", "é", "N", "\t"]
    rows = [(n, "".join(choose.choices(pieces, k=choose.randrange(9)))) for n in range(400)]
    table = "CREATE TABLE `t` (id int, note text);\nCREATE TABLE u (id int);\n"
    plain = "".join("INSERT INTO t VALUES ({}, '{}');\n".format(n, text.replace("'", "''")) for n, text in rows)
    escaped = f"INSERT INTO `t` VALUES {','.join(f'({n},{mysql(text)})' for n, text in rows)};\n"
    copy = "COPY t FROM stdin;\n" + "".join(f"{n}\t{copied_text(text)}\n" for n, text in rows) + "\\.\n"
    for text in (table.replace("`", "") + plain, "-- MySQL dump\n" + table + escaped, table + copy):
        assert cells(read(text), "t") == rows
    raw = plain.encode()
    parsed: Parsed = text_table(FORM, {"escaping": False}, raw, "strict")
    assert parsed.counts["t"] == len(rows)
    assert sample_of(raw, "strict", 9).head
