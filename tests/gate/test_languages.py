"""YAML, XML and HTML through the gate: asked as tables, searched and read as they came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config.model import Config
from penstock.core.fit import Call
from penstock.core.forms import converted as converting
from penstock.gate.actions import outline_rows
from penstock.gate.gate import Gate
from penstock.query.parse.convert import Converter
from penstock.stores import open_store
from tests.kit.answers import head_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator

XML = (
    "<r>\n"
    + "".join(f'<item id="{n}" kind="{"ab"[n % 2]}"><note>word {n}</note></item>\n' for n in range(400))
    + "</r>"
)
YAML = "".join(f"---\nkind: Pod\nmetadata:\n  name: p{n}\nspec:\n  replicas: {n}\n" for n in range(300))
HTML = "<h1>Guide</h1>" + "".join(f"<h2>Part {n}</h2><p>text &amp; more {n}</p>" for n in range(100))


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    converter = Converter(workers=1)
    with open_store("memory:") as store:
        made = Gate(store, Config(max_tokens=4_000, always_hold=True), converter=converter)
        yield made
        made.close()


def admit(gate: Gate, text: str) -> tuple[str, dict[str, Any]]:
    result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    notice = head_of(gate.admit(Call(tool="t", owner="o"), result))
    return notice["cache_id"], notice


def ask(gate: Gate, handle: str, **arguments: Any) -> Any:
    answer = json.loads(gate.fetch("o", {"cache_id": handle, **arguments}))
    assert not answer.get("isError"), answer
    return split(answer)


def rows(gate: Gate, handle: str, sql: str) -> Any:
    return ask(gate, handle, action="sql", sql=sql).head["result"]


def test_page_is_searched_as_the_text_that_a_reader_sees(gate: Gate) -> None:
    handle, _ = admit(gate, HTML)
    about, hits = ask(gate, handle, action="search", pattern="text & more 42")
    assert (about["total"], about["by_path"]) == (1, {".sections[].text": 1})
    assert hits.endswith("text & more 42")
    assert ask(gate, handle, action="search", pattern="h2")[1].startswith("1 ×200: ")
    assert ask(gate, handle, action="search", pattern="<h2>Part 7<").head["lines"] == 1


PAGE = (
    "<p>before</p><h1>Guide</h1><h2>One</h2><p>two words</p><h3>Deep</h3><h4>Deeper</h4>"
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    + "<a href='/x'>x</a>"
    + "<p>many more words here</p>" * 60
)


TOML = '[project]\nname = "shop"\n\n' + "".join(
    f'[[job]]\nid = {n}\nstate = "{"ab"[n % 2]}"\nwhen = 2026-01-0{n % 9 + 1}\n\n' for n in range(200)
)


def test_a_text_in_a_string_is_asked_and_searched_as_tables_and_read_as_it_came(gate: Gate) -> None:
    handle, notice = admit(gate, json.dumps({"path": "r.xml", "content": XML}))
    assert notice["shape"] == "{path: str, content: {r: {item: [{id: int, kind: str, note: str}]}}}"
    assert rows(gate, handle, "SELECT kind, count(*) AS n FROM items GROUP BY 1") == [
        {"kind": "a", "n": 200},
        {"kind": "b", "n": 200},
    ]
    assert rows(gate, handle, "SELECT text FROM lines WHERE n = 1") == [{"text": "<r>"}]
    assert ask(gate, handle, action="filter", jq_filter=".content.r.item[3].note") == ({"result": "word 3"}, "")
    assert ask(gate, handle, action="get", path=".content", start_line=1, lines=1)[1] == "<r>\n"
    about, hits = ask(gate, handle, action="search", pattern="word 399")
    assert about["by_path"] == {".content.r.item[].note": 1}
    assert hits == ".content.r.item[399].note (id 399 · kind b): word 399"
    about, hits = ask(gate, handle, action="search", pattern="word 399", path=".content")
    assert hits.startswith("401:")
    assert ask(gate, handle, action="search", pattern="r.xml")[1] == ".path: r.xml"
    found = ask(gate, handle, action="search", pattern="word 399", path=".content.r.item")
    assert found.head["total"] == 1


def test_a_page_in_a_string_has_the_outline_of_the_page(gate: Gate) -> None:
    handle, _ = admit(gate, json.dumps({"url": "/guide", "html": HTML}))
    assert ask(gate, handle, action="outline")[1].startswith("# Guide (0 words)\n## Part 0 (4 words)")


def test_rows_that_python_printed_are_a_table(gate: Gate) -> None:
    handle, notice = admit(gate, repr([(n, f"it's {n}", None if n % 2 else "x") for n in range(300)]))
    assert notice["message"].startswith("a Python literal: 300 rows (3 columns)")
    assert rows(gate, handle, "SELECT count(*) AS n, max(c1) AS most FROM items WHERE c3 = 'x'") == [
        {"n": 150, "most": 298}
    ]
    assert ask(gate, handle, action="search", pattern="it's 299")


def test_tables_of_toml_are_tables(gate: Gate) -> None:
    handle, notice = admit(gate, TOML)
    assert notice["message"].startswith("TOML: 200 records in .job (3 columns)")
    assert rows(gate, handle, "SELECT count(*) AS n FROM items WHERE state = 'b'") == [{"n": 100}]
    assert ask(gate, handle, action="outline")[1].splitlines() == [
        ".",
        "  project: name",
        "  job ×200: id, state, when",
    ]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("".join(f"[part{n}]\nkey = some words\nport = {n}\n" for n in range(90)), "settings"),
        ("".join(f"[part{n}]\nport = {n}\nsize = 5\n" for n in range(90)), "settings"),
        ("".join(f'[[package]]\nname = "p{n}"\nversion = "1.{n}"\n' for n in range(90)), "toml"),
    ],
)
def test_settings_are_not_read_as_toml(gate: Gate, text: str, form: str) -> None:
    handle, _ = admit(gate, text)
    assert form in ask(gate, handle, action="info").head["form"]


@pytest.mark.parametrize(
    ("text", "depth", "lines"),
    [
        (XML, 3, [".", "  r", "    item ×400: id, kind, note"]),
        (XML, 2, [".", "  r: below: item (1,200 values)"]),
        (YAML, 3, [". ×300: kind", "  metadata ×300: name", "  spec ×300: replicas"]),
        (
            PAGE,
            3,
            [
                "(before the first heading) (1 word)",
                "# Guide (0 words)",
                "## One (2 words)",
                "### Deep (0 words)",
                "table: 1 row of a, b",
                "1 link",
            ],
        ),
    ],
)
def test_the_outline_has_names_with_their_counts_or_headings(
    gate: Gate, text: str, depth: int, lines: list[str]
) -> None:
    handle, _ = admit(gate, text)
    about, shown = ask(gate, handle, action="outline", depth=depth)
    assert (about["total"], shown.splitlines()) == (len(lines), lines)


def test_an_outline_below_a_path_is_that_of_the_json(gate: Gate) -> None:
    handle, _ = admit(gate, XML)
    assert ask(gate, handle, action="outline", path=".r.item[1]")[1] == ".r.item[1]: id, kind, note"


def test_outline_of_large_data_is_that_of_the_first_items(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline_rows, "MOST_BYTES", 100)
    handle, _ = admit(gate, XML)
    about, lines = ask(gate, handle, action="outline")
    assert about["sample"] == "the counts are of the first items of long arrays"
    assert "item" in lines


@pytest.mark.parametrize(
    ("text", "sql", "answer", "program", "value"),
    [
        (
            XML,
            "SELECT kind, sum(id) AS n FROM items GROUP BY 1",
            [{"kind": "a", "n": 39800}, {"kind": "b", "n": 40000}],
            ".r.item[3].note",
            "word 3",
        ),
        (
            YAML,
            'SELECT "metadata.name" AS name FROM items WHERE "spec.replicas" = 7',
            [{"name": "p7"}],
            "map(.spec.replicas) | add",
            44850,
        ),
        (
            HTML,
            "SELECT text FROM items WHERE heading = 'Part 9'",
            [{"text": "text & more 9"}],
            ".sections | length",
            101,
        ),
    ],
    ids=["xml", "yaml", "html"],
)
def test_sql_and_jq_read_the_tables_and_windows_and_search_the_text(
    gate: Gate, text: str, sql: str, answer: Any, program: str, value: Any
) -> None:
    handle, notice = admit(gate, text)
    assert notice["shape"] not in ("[str]", "…")
    assert rows(gate, handle, sql) == answer
    assert ask(gate, handle, action="filter", jq_filter=program).head["result"] == value
    window = ask(gate, handle, action="get", start_index=0, max_length=100)[1]
    assert text.startswith(window)
    mark = text[10:30].split("\n", maxsplit=1)[0]
    assert ask(gate, handle, action="search", pattern=mark).head["total"] == text.count(mark)
    assert ask(gate, handle, action="get_page", page=1)
    assert ask(gate, handle, action="info")


def test_a_long_text_is_converted_at_the_first_question(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converting.converted, "__kwdefaults__", {"at_once": 2_000})
    handle, notice = admit(gate, XML)
    other, _ = admit(gate, YAML)
    assert "its tables are made at the first question" in notice["message"]
    assert rows(gate, handle, "SELECT count(*) AS n FROM items") == [{"n": 400}]
    assert rows(gate, handle, "SELECT max(id) AS n FROM items") == [{"n": 399}]
    assert rows(gate, other, "SELECT count(*) AS n FROM items") == [{"n": 300}]
    assert ask(gate, handle, action="filter", jq_filter=".r.item | length").head["result"] == 400
    assert "word 7" in ask(gate, handle, action="search", path=".r.item[7]", pattern="word")[1]
    assert ask(gate, handle, action="get_page", page=1)


def test_info_has_the_facts_of_a_text_that_is_converted_later(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = ask(gate, admit(gate, XML)[0], action="info").head
    monkeypatch.setattr(converting.converted, "__kwdefaults__", {"at_once": 2_000})
    later = ask(gate, admit(gate, XML)[0], action="info").head
    for name in ("form", "what", "item_count", "max_depth", "shape", "tables", "facts"):
        assert later[name] == at_once[name], name


def test_what_only_looked_like_a_language_is_lines_to_every_question(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = XML.replace("</item>\n</r>", "</r>")
    handle, notice = admit(gate, broken)
    assert notice["shape"] == "[str]"
    monkeypatch.setattr(converting.converted, "__kwdefaults__", {"at_once": 2_000})
    handle, notice = admit(gate, broken)
    assert rows(gate, handle, "SELECT count(*) AS n FROM items") == [{"n": 401}]


def test_a_gate_starts_its_own_process_when_the_first_such_text_comes() -> None:
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=4_000, always_hold=True))
        _, notice = admit(gate, XML)
        assert notice["message"].startswith("XML, root r: 400 ")
        gate.close()


@pytest.mark.parametrize("text", [XML, YAML, HTML.replace("<h2>", "\n<h2>")])
def test_the_lines_of_the_original_are_a_table_too(gate: Gate, text: str) -> None:
    handle, _ = admit(gate, text)
    number = len(text.splitlines())
    assert rows(gate, handle, "SELECT count(*) AS n, max(n) AS last FROM lines") == [{"n": number, "last": number}]
    assert rows(gate, handle, f"SELECT text FROM lines WHERE n = {number}") == [{"text": text.splitlines()[-1]}]
