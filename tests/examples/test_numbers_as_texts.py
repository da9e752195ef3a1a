"""Models write 2 as "2" and true as "true": every number and every truth that a tool of an example takes is taken so.

Which there are the servers say themselves, by the schemas of their tools; so a new argument is looked at, too.
"""

from __future__ import annotations

import copy
import json
import re
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import pytest
from fastmcp import Client
from tests.kit.examples.client import EXAMPLES, FETCH, Answer, Talk, piped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEEPS_DATA: Final = ("memory", "security", "vault")
PLAIN: Final = ("integer", "number", "boolean")
ENOUGH: Final = {"code": 4, "memory": 8, "security": 4, "unity": 4, "vault": 16}  # arguments that there are at least
HELD: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "code": ("search_text", {"query": "useState"}),
    "unity": ("manage_scene", {"action": "get_hierarchy"}),
    "vault": ("list_vault_files", {"limit": 5_000}),
}
# Arguments that the examples of a schema do not have, as they belong to one action or one file of the sample.
ALSO: Final[dict[str, dict[str, Any]]] = {
    "scan": {"path": "services/billing", "engines": ["bandit"]},
    "get_diagnostics": {"path": "services/events.py"},
    "get_references": {"path": "services/events.py", "symbol": "record_event"},
}
DISPATCHED: Final[list[tuple[str, dict[str, Any]]]] = [
    ("vault", {"operation": "list", "params": {"limit": "2", "offset": "1"}}),
    ("vault", {"operation": "read", "params": {"filename": "Reference/Field guide.md", "maxLength": "50"}}),
    ("vault", {"operation": "search", "params": {"query": "drainage", "contextLength": "20", "limit": "2"}}),
    ("vault", {"operation": "delete", "params": {"pattern": "Daily/**", "dryRun": "true"}}),
    ("active_file", {"params": {"maxLength": "50", "startIndex": "10"}}),
]


@pytest.fixture(scope="module", params=sorted(ENOUGH))
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Talk]]:
    """The server of an example on its sample."""
    name: str = request.param
    folder: Path = tmp_path_factory.mktemp(name)
    import_module(f"tests.kit.examples.samples.{name}").make_sample(folder / "sample")
    data = ["--data", str(folder)] if name in KEEPS_DATA else []
    with Talk(Client(piped(EXAMPLES / name, [str(folder / "sample"), *data], folder))) as talk:
        yield name, talk


def leaves(schema: dict[str, Any], way: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield the way to every plain value in a schema: names of members, and 0 for the items of an array."""
    for one in (schema, *schema.get("anyOf", ())):
        if one.get("type") in PLAIN:
            yield way, one
        for name, inner in one.get("properties", {}).items():
            yield from leaves(inner, (*way, name))
        if "items" in one:
            yield from leaves(one["items"], (*way, 0))


def value_of(schema: dict[str, Any]) -> Any:
    """A value that a schema allows."""
    if schema["type"] == "boolean":
        return True
    return 0.5 if schema["type"] == "number" else max(1, schema.get("minimum", 1))


def put(arguments: dict[str, Any], way: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return arguments with a value at the end of a way."""
    whole = place = copy.deepcopy(arguments)
    for step, after in pairwise(way):
        if isinstance(step, str) and not place.get(step):
            place[step] = [None] if after == 0 else {}
        place = place[step]
    place[way[-1]] = value
    return whole


def text_of(value: Any) -> str:
    return json.dumps(value)


def refuses(answer: Answer, name: str) -> bool:
    return answer.is_error and re.search(rf"\b{name}\b[\w.]*: (?:expected|must)", answer.texts[0]) is not None


def test_every_number_and_truth_of_every_tool_is_taken_as_a_text(example: tuple[str, Talk]) -> None:
    name, talk = example
    looked_at = 0
    for tool in talk.tools():
        if tool.name == FETCH:
            continue
        schema = tool.input_schema
        known = {key: one["examples"][0] for key, one in schema["properties"].items() if one.get("examples")}
        base = {key: known[key] for key in schema.get("required", ()) if key in known} | ALSO.get(tool.name, {})
        for way, leaf in leaves(schema):
            call = base if way[0] in base else {**base, **({way[0]: known[way[0]]} if way[0] in known else {})}
            value = known.get(way[0]) if len(way) == 1 and known.get(way[0]) is not None else value_of(leaf)
            argument = next(step for step in reversed(way) if isinstance(step, str))
            plain = talk.call(tool.name, **put(call, way, value))
            assert not refuses(plain, argument), (tool.name, way, plain.texts)
            text = talk.call(tool.name, **put(call, way, text_of(value)))
            assert not refuses(text, argument), (tool.name, way, text.texts)
            wrong = talk.call(tool.name, **put(call, way, "many"))
            assert refuses(wrong, argument), (tool.name, way, wrong.texts)
            looked_at += 1
    assert looked_at >= ENOUGH[name]


def test_so_are_those_of_the_tool_that_reads_on(example: tuple[str, Talk]) -> None:
    name, talk = example
    if name not in HELD:
        return  # no answer of the sample is held; the tool is the same
    tool, arguments = HELD[name]
    handle = talk.told(tool, **arguments)["cache_id"]
    for action, also in (
        ("get_page", {"page": "2"}),
        ("get", {"start_index": "5"}),
        ("outline", {"depth": "2"}),
        ("search", {"pattern": "a", "regex": "true", "context": "1"}),
        ("lines", {"start_line": "1", "lines": "2"}),
    ):
        answer = talk.call(FETCH, cache_id=handle, action=action, **also)
        assert not any(refuses(answer, one) for one in also), (action, answer.texts)


def test_so_are_those_of_operations_that_stand_for_tools(example: tuple[str, Talk]) -> None:
    name, talk = example
    for tool, arguments in DISPATCHED if name == "vault" else ():
        answer = talk.call(tool, **arguments)
        assert not answer.is_error, answer.texts
