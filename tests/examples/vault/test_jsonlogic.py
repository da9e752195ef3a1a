"""JsonLogic: each operator, the values as JavaScript compares them, and rules that ask for too much."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock import CallerError
from vault_server.jsonlogic import compiled

if TYPE_CHECKING:
    from tests.kit.examples.vault_client import Talk

NOTE: dict[str, Any] = {
    "path": "Projects/a.md",
    "frontmatter": {
        "status": "open",
        "priority": 4,
        "due": "2026-03-01",
        "list": [1, 2, 3],
        "zero": 0,
        "deep": {"x": [7]},
    },
    "tags": ["project", "drainage"],
    "stat": {"size": 120},
}


def asked(rule: Any, note: dict[str, Any] = NOTE) -> Any:
    return compiled(json.dumps(rule))(json.dumps(note).encode())


def var(name: str) -> dict[str, Any]:
    return {"var": f"frontmatter.{name}"}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"var": "path"}, "Projects/a.md"),
        ({"var": ["frontmatter.none", "default"]}, "default"),
        ({"var": "frontmatter.deep.x.0"}, 7),
        ({"var": "frontmatter.deep.x.9"}, None),
        ({"var": "tags.1"}, "drainage"),
        ({"var": {"cat": ["frontmatter.", "status"]}}, "open"),
        ({"var": ""}, NOTE),
        ({"==": [var("priority"), "4"]}, True),
        ({"===": [var("none"), 0]}, False),
        ({"==": [var("none"), None]}, True),
        ({"==": ["x", 1]}, False),
        ({"!=": [var("status"), "done"]}, True),
        ({"===": [var("priority"), "4"]}, False),
        ({"===": [1, True]}, False),
        ({"!==": [var("priority"), 4]}, False),
        ({"<": [3, var("priority"), 5]}, True),
        ({"<=": [4, var("priority"), 4]}, True),
        ({"<": [3, var("priority"), 4]}, False),
        ({">": [var("priority"), 3]}, True),
        ({">=": [var("due"), "2026-01-01"]}, True),
        ({"<": [var("none"), 5]}, False),
        ({"<": ["abc", 5]}, None),
        ({"!": [var("zero")]}, True),
        ({"!!": [[]]}, False),
        ({"!!": ["0"]}, True),
        ({"and": [True, var("status"), "last"]}, "last"),
        ({"and": [var("zero"), "last"]}, 0),
        ({"or": [var("none"), var("zero"), "last"]}, "last"),
        ({"or": []}, None),
        ({"if": [False, 1, var("status"), 2, 3]}, 2),
        ({"?:": [False, 1, 3]}, 3),
        ({"if": [False, 1]}, None),
        ({"in": ["drainage", {"var": "tags"}]}, True),
        ({"in": ["pen", var("status")]}, True),
        ({"in": ["x", var("priority")]}, False),
        ({"cat": ["a", 1, None, True]}, "a1true"),
        ({"substr": ["projects", -3]}, "cts"),
        ({"substr": ["projects", 1, 2]}, "ro"),
        ({"substr": ["projects", 1, -2]}, "rojec"),
        ({"+": [1, "2", 3]}, 6),
        ({"+": ["x"]}, None),
        ({"-": [5, 2]}, 3),
        ({"-": [5]}, -5),
        ({"*": [2, 3, 4]}, 24),
        ({"/": [7, 2]}, 3.5),
        ({"/": [7, 0]}, None),
        ({"%": [-7, 3]}, -1),
        ({"%": [7, -3]}, 1),
        ({"max": [1, 9, 3]}, 9),
        ({"min": [4, 2]}, 2),
        ({"merge": [[1], 2, [3]]}, [1, 2, 3]),
        ({"map": [var("list"), {"*": [{"var": ""}, 2]}]}, [2, 4, 6]),
        ({"filter": [var("list"), {">": [{"var": ""}, 1]}]}, [2, 3]),
        ({"reduce": [var("list"), {"+": [{"var": "current"}, {"var": "accumulator"}]}, 0]}, 6),
        ({"all": [var("list"), {">": [{"var": ""}, 0]}]}, True),
        ({"all": [[], {"var": ""}]}, False),
        ({"some": [{"var": "tags"}, {"==": [{"var": ""}, "project"]}]}, True),
        ({"none": [{"var": "tags"}, {"==": [{"var": ""}, "recipe"]}]}, True),
        ({"missing": ["path", "nothing"]}, ["nothing"]),
        ({"missing": [["nothing"]]}, ["nothing"]),
        ({"missing_some": [1, ["path", "nothing"]]}, []),
        ({"missing_some": [2, ["path", "nothing"]]}, ["nothing"]),
        ({"glob": ["Projects/*.md", {"var": "path"}]}, True),
        ({"glob": ["*.txt", {"var": "path"}]}, False),
        ({"regexp": ["^Proj", {"var": "path"}]}, True),
        ({"regexp": ["(a+)+$", {"cat": ["a" * 50, "!"]}]}, False),
    ],
    ids=lambda value: json.dumps(value)[:70],
)
def test_an_operator_gives_what_the_page_of_jsonlogic_says(rule: Any, expected: Any) -> None:
    assert asked(rule) == expected


@pytest.mark.parametrize(
    "rule",
    [
        {"log": "x"},
        {"==": [1]},
        {"map": [1]},
        {"glob": [1, 2]},
        {"glob": ["../*", "x"]},
        {"regexp": ["(", "x"]},
        {"==": [{"a": 1, "b": 2}, 1]},
        {},
        [1],
        "text",
    ],
    ids=json.dumps,
)
def test_a_rule_that_is_wrong_is_refused_with_an_example(rule: Any) -> None:
    with pytest.raises(CallerError, match=r"query: expected .* for example"):
        asked(rule)


def test_a_rule_that_is_too_long_or_too_deep_is_refused() -> None:
    deep = '{"!":' * 2_000 + "1" + "}" * 2_000
    for query in (deep, '{"==": [' + "1," * 20_000 + "1]}", "[" * 20_000, "{not json}"):
        with pytest.raises(CallerError, match="query"):
            compiled(query)(b"{}")


def test_a_rule_that_loops_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = {"map": [{"var": "n"}, {"map": [{"var": ["m", [0] * 500]}, {"+": [{"var": ""}, 1]}]}]}
    with pytest.raises(CallerError, match="more than 1,000,000 steps for one note"):
        asked(rule, {"n": list(range(3_000))})
    monkeypatch.setattr("vault_server.jsonlogic.MOST_SECONDS", -1.0)
    with pytest.raises(CallerError, match="takes more than -1 seconds"):
        asked({"var": "path"})


def test_a_rule_that_makes_an_endless_text_is_stopped() -> None:
    double = {"cat": [{"var": "accumulator"}, {"var": "accumulator"}]}
    with pytest.raises(CallerError, match="more than 1,000,000 steps"):
        asked({"reduce": [list(range(100)), double, "xx"]})


def test_a_rule_is_told_from_one_that_needs_the_text_of_notes() -> None:
    seen = {text: compiled(text).sees_content for text in (
        '{"in": ["x", {"var": "content"}]}',
        '{"glob": ["*.md", {"var": "path"}]}',
        '{"var": {"cat": ["con", "tent"]}}',
        '{"var": ""}',
    )}  # fmt: skip
    assert [*seen.values()] == [True, False, True, True]


def test_a_rule_can_look_at_the_content_of_notes(talk: Talk) -> None:
    rule = {"and": [{"in": ["stage two", {"var": "content"}]}, {"==": [{"var": "frontmatter.status"}, "active"]}]}
    assert talk.told("search_vault", queryType="jsonlogic", query=json.dumps(rule))["results"] == []
    rule["and"][0]["in"][0] = "Stage two"
    told = talk.told("search_vault", queryType="jsonlogic", query=json.dumps(rule))
    assert told["results"] == [{"filename": "Projects/Harbour/Overview.md", "result": True}]


def test_the_result_of_a_rule_is_given_with_each_note(talk: Talk) -> None:
    rule = {"if": [{">=": [var("priority"), 5]}, var("owner"), None]}
    told = talk.told("search_vault", queryType="jsonlogic", query=json.dumps(rule), limit=1)
    assert isinstance(told["results"][0]["result"], str)
    assert 0 < told["pagination"]["total"] < 2_000
