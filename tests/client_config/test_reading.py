"""Both formats: what is read of a file, and what is said of one that cannot be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.client_config.jsonc import JSONC, MAX_DEPTH
from penstock.client_config.toml import TOML
from penstock.errors import CallerError
from tests.kit.strategies import json_bytes

if TYPE_CHECKING:
    from penstock.client_config.servers import Dialect


def clear_line(dialect: Dialect, text: str) -> str:
    """What is said of a text that cannot be read: one line, with a remedy."""
    with pytest.raises(CallerError) as caught:
        dialect.read(text)
    assert "\n" not in str(caught.value)
    assert caught.value.do
    return str(caught.value)


def found(text: str) -> list[tuple[tuple[str, ...], str]]:
    return [(one.section, one.name) for one in JSONC.read(text)]


def test_servers_are_found_wherever_a_client_keeps_them() -> None:
    text = """{
        "mcpServers": {"a": {}}, "servers": {"b": {}}, "inputs": [],
        "projects": {"/x": {"mcpServers": {"a": {}}, "history": []}, "/y": {"mcpServers": {}}, "/z": null}
    }"""
    assert found(text) == [
        (("mcpServers",), "a"),
        (("servers",), "b"),
        (("projects", "/x", "mcpServers"), "a"),
    ]
    assert found('{"other": {"mcpServers": {"a": {}}}}') == []
    assert TOML.read("model = 'x'") == []


def test_values_are_read_as_they_are_meant() -> None:
    text = (
        r'{"servers": {"a": {"t": true, "f": false, "n": null, "i": -1.5e3, "s": "\u00e4\ud83d\ude00\"", "l": [[]]}}}'
    )
    (server,) = JSONC.read(text)
    assert server.value == json.loads(text)["servers"]["a"]
    assert server.keys.command not in server.entries


@given(json_bytes(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.integers())))
def test_whatever_json_is_taken_is_taken_here(data: bytes) -> None:
    text = data.decode()
    if not {"mcpServers", "servers", "projects"} & set(json.loads(text)):
        assert JSONC.read(text) == []


@given(st.text(st.sampled_from('{}[]",:/*\\ \n1ea-.tru'), max_size=20))
@example("[1,]")
@example("[,]")
@example("{,}")
@example('{"a":1,,}')
def test_what_is_not_json_is_refused_in_one_line_and_what_is_json_is_not(text: str) -> None:
    for whole in (f'{{"x": {text}}}', f'{{"servers": {{"a": {{"x": {text}}}}}}}'):
        problem = refusal(whole)
        assert "\n" not in problem
        try:
            json.loads(whole)
        except ValueError:
            # What is taken beyond JSON has a comment or a trailing comma in it.
            assert problem or "/" in text or "," in text
        else:
            assert not problem or "a second time" in problem


def refusal(text: str) -> str:
    try:
        JSONC.read(text)
    except CallerError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n // nothing\n", "is empty"),
        ("[]", "is not a JSON object"),
        ('"text"', "is not a JSON object"),
        ("{", "expected text in double quotes, found the end (at line 1, column 2)"),
        ('{\n  "a": 1\n  "b": 2}', "expected a comma or }, found '\"' (at line 3, column 3)"),
        ('{"a" 1}', "expected a colon"),
        ('{"a": x}', "expected a value, found 'x'"),
        ('{"a": "b}', "expected text in double quotes"),
        ('{"a": "\t"}', "expected text in double quotes"),
        ('{"a": 1} {', "expected nothing more"),
        ('{"a": 1 /* }', "expected a comma or }, found '/'"),
        ("{'a': 1}", 'expected text in double quotes, found "\'"'),
        ('{"mcpServers": []}', "has a mcpServers that is not an object"),
        ('{"projects": {"/x": {"mcpServers": 1}}}', "has a mcpServers that is not an object"),
        ('{"mcpServers": {},\n "mcpServers": {}}', 'has "mcpServers" a second time in line 2'),
        ('{"servers": {"a": {"command": "x", "command": "y"}}}', 'has "command" a second time'),
        ('{"servers": {"x": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}}", f"at most {MAX_DEPTH} levels"),
        ('{"x": ' + "[" * 100_000, f"at most {MAX_DEPTH} levels"),
        ('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}", f"at most {MAX_DEPTH} levels"),
        ('{"x": NaN}', "expected a value, found 'N'"),
        ('{"x": [Infinity]}', "expected a value, found 'I'"),
    ],
)
def test_json_that_cannot_be_read_is_one_clear_line(text: str, words: str) -> None:
    assert words in clear_line(JSONC, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[mcp_servers.a]\ncommand = ", "is not valid TOML"),
        ("a = 1\na = 2\n", "is not valid TOML"),
        ("[[mcp_servers]]\ncommand = 'x'\n", "has an mcp_servers that is not a table"),
        ("mcp_servers = 1\n", "has an mcp_servers that is not a table"),
        ("x = " + "[" * 100_000 + "]" * 100_000, "is nested too deeply"),
    ],
)
def test_toml_that_cannot_be_read_is_one_clear_line(text: str, words: str) -> None:
    assert words in clear_line(TOML, text)


def test_a_number_that_is_none_does_not_get_in_the_way_of_toml() -> None:
    text = "[mcp_servers.a]\ncommand = 'x'\nt = nan\n"
    assert TOML.read(text) == TOML.read(text)
