"""A narrowed call of the tool itself is made against a function that filters; its answer fits and costs about that."""

from __future__ import annotations

import json
from contextlib import closing
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import pytest
from bench.facts_parts.judge import envelope

from penstock import Call, Config, Gate, count, open_store
from tests.kit.answers import head_of
from tests.kit.facts.made_json import findings, search_matches, tickets

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 13_000
TOLERANCE = 0.25


def _schema(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def list_tickets(arguments: dict[str, Any]) -> str:
    rows = tickets(31)
    if "status" in arguments:
        rows = [row for row in rows if row["status"] == arguments["status"]]
    return json.dumps({"tickets": rows})


def list_by_state(arguments: dict[str, Any]) -> str:
    rows = [row for row in tickets(32) if row["status"] in arguments.get("statuses", [row["status"]])]
    return json.dumps(rows)


def newest_tickets(arguments: dict[str, Any]) -> str:
    rows = [{"id": row["id"], "created_at": row["created_at"], "text": row["subject"] * 3} for row in tickets(33)]
    return json.dumps([row for row in rows if row["created_at"] >= arguments.get("since", "")])


def search_code(arguments: dict[str, Any]) -> str:
    rows = json.loads(search_matches(34).text)["matches"]
    glob = arguments.get("include", "**")
    return json.dumps({"matches": [row for row in rows if fnmatchcase(row["path"], glob.replace("**", "*"))]})


def list_findings(arguments: dict[str, Any]) -> str:
    rows = json.loads(findings(35).text)["results"]
    wanted = arguments.get("severity")
    return json.dumps({"results": [row for row in rows if wanted in (None, row["severity"])]})


def grep_text(arguments: dict[str, Any]) -> str:
    rows = sorted((row["path"], row["line"], row["text"]) for row in json.loads(search_matches(36).text)["matches"])
    glob = arguments.get("include", "**").replace("**", "*")
    return "\n".join(f"{path}:{line}:{text}" for path, line, text in rows if fnmatchcase(path, glob))


CASES = (
    (list_tickets, _schema(status={"type": "string", "enum": ["open", "pending", "solved", "on hold"]})),
    (list_by_state, _schema(statuses={"type": "array", "items": {"type": "string"}})),
    (newest_tickets, _schema(since={"type": "string", "description": "ISO 8601 date-time of creation"})),
    (search_code, _schema(query={"type": "string"}, include={"type": "string", "description": "glob of files"})),
    (list_findings, _schema(severity={"type": "string"})),
    (grep_text, _schema(include={"type": "string", "description": "glob of files to search"})),
)


@pytest.mark.parametrize(("tool", "schema"), CASES, ids=[tool.__name__ for tool, _ in CASES])
def test_a_narrowed_call_runs_fits_and_costs_about_what_it_says(
    tool: Callable[[dict[str, Any]], str], schema: dict[str, Any]
) -> None:
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=LIMIT))) as gate:
        call = Call(tool=tool.__name__, owner="reader", arguments={}, schema=schema)
        notice = head_of(gate.admit(call, envelope(tool({}))))
        narrowed = [one for one in notice["suggestions"] if one["tool"] == tool.__name__]
        assert narrowed
        for one in narrowed:
            assert set(one["arguments"]) <= set(schema["properties"])
            text = tool(one["arguments"])
            again = Call(tool=tool.__name__, owner="reader", arguments=one["arguments"], schema=schema)
            assert gate.admit(again, envelope(text)) == envelope(text), "a narrowed answer that is held again"
            cost = count(text, "claude").tokens
            assert abs(cost - one["about_tokens"]) <= TOLERANCE * one["about_tokens"]


@pytest.mark.parametrize(("tool", "schema"), CASES, ids=[tool.__name__ for tool, _ in CASES])
def test_what_a_narrowed_call_is_said_to_give_it_gives(
    tool: Callable[[dict[str, Any]], str], schema: dict[str, Any]
) -> None:
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=LIMIT))) as gate:
        call = Call(tool=tool.__name__, owner="reader", arguments={}, schema=schema)
        notice = head_of(gate.admit(call, envelope(tool({}))))
        whole, total = _amount(tool({})), notice["metadata"]["item_count"]
        assert total == whole
        for one in notice["suggestions"]:
            if one["tool"] == tool.__name__:
                amount = _amount(tool(one["arguments"]))
                left_out = "leaves them out" in one["why"]
                assert one["why"].startswith(f"{whole - amount if left_out else amount:,} of {whole:,} ")


def _amount(text: str) -> int:
    if text[:1] not in "[{":
        return len(text.split("\n"))
    data = json.loads(text)
    return len(data if isinstance(data, list) else next(iter(data.values())))
