"""Secrets are left out of recordings, and everything else stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.gateway.redact import Redactor

SECRET = "Zx81kQp0secretVALUE42"


def left(value: Any, **environment: str) -> str:
    return repr(Redactor(environment).message(value))


@pytest.mark.parametrize("name", ["password", "api_key", "apiKey", "API-KEY", "db_password", "Authorization", "token"])
@pytest.mark.parametrize("name_is", ["member", "json in a text", "pair in a text", "query of a URL"])
def test_values_under_telling_names_are_left_out(name: str, name_is: str) -> None:
    value: Any = {
        "member": {"arguments": {name: SECRET}},
        "json in a text": f'{{"{name}": "{SECRET}", "rest": 1}}',
        "pair in a text": f"{name}={SECRET}\nrest: 1",
        "query of a URL": f"https://example.com/x?{name}={SECRET}&rest=1",
    }[name_is]
    shown = left(value)
    assert SECRET not in shown
    assert "[left out: 21 characters]" in shown
    assert name_is == "member" or "rest" in shown


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "live-" + "0123456789abcdefghij",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_texts_that_look_like_keys_are_left_out(secret: str) -> None:
    assert secret not in left({"text": f"before {secret} behind"})
    assert left({"text": f"before {secret} behind"}).count("before [left out: ") == 1


def test_the_environments_own_secrets_are_left_out_wherever_they_stand() -> None:
    shown = left(
        {"text": f"x{SECRET}y 12", SECRET: 1, "path": "/home/me"}, GITHUB_TOKEN=SECRET, HOME="/home/me", PIN_TOKEN="12"
    )
    assert SECRET not in shown
    assert "/home/me" in shown
    assert "y 12" in shown  # too short to be told from other words


def test_a_password_in_a_url_and_a_bearer_are_left_out() -> None:
    shown = left({"a": "postgres://me:pass1234@host/db", "b": "Bearer abcdefgh12345678"})
    assert "pass1234" not in shown
    assert "abcdefgh12345678" not in shown
    assert "@host/db" in shown


@pytest.mark.parametrize(
    "value",
    [
        {"progressToken": "abc", "nextCursor": "def", "requestId": "x"},
        {"tokens": 500, "max_tokens": "many words", "tokenizer": "o200k", "keyboard": "us", "secretary": "Ann"},
        {"text": "a token of thanks: none; the key is under the mat"},
    ],
)
def test_what_is_no_secret_stays(value: Any) -> None:
    assert Redactor({}).message(value) == value


@pytest.mark.parametrize("name", ["password", "api_key", "db_password", "token", "credentials"])
@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        (8675309123, "number"),
        (0.25, "number"),
        (True, "boolean"),
        ([SECRET, 7], "list"),
        ({"user": "bob", "pass": SECRET, "deep": [{"x": SECRET}]}, "object"),
    ],
)
def test_whole_value_of_any_type_under_a_secret_name_is_left_out(name: str, secret: Any, kind: str) -> None:
    redactor = Redactor({})
    assert redactor.message([{"a": {name: secret}}]) == [{"a": {name: f"[left out: {kind}]"}}]
    assert redactor.count == 1


@pytest.mark.parametrize("empty", [None, "", [], {}])
def test_empty_values_under_a_secret_name_stay(empty: Any) -> None:
    assert Redactor({}).message({"password": empty}) == {"password": empty}


def test_text_that_only_begins_like_a_replacement_is_left_out() -> None:
    assert SECRET not in left({"password": f"[left out: 3 {SECRET}"})


@pytest.mark.parametrize("levels", [0, 1, 2])
@pytest.mark.parametrize("secret", [[SECRET], {"user": 'a ] " \\', "pass": SECRET + "\\"}, [["}"], [{"x": [SECRET]}]]])
def test_objects_and_arrays_under_a_secret_name_are_left_out_of_json_in_texts(levels: int, secret: Any) -> None:
    text = json.dumps({"first": 1, "api_key": secret, "rest": [2]})
    for _ in range(levels):
        text = json.dumps({"inner": text})
    shown = Redactor({}).text(text)
    assert SECRET not in shown
    for _ in range(levels):
        shown = json.loads(shown)["inner"]
    assert json.loads(shown) == {
        "first": 1,
        "api_key": f"[left out: {'list' if isinstance(secret, list) else 'object'}]",
        "rest": [2],
    }


def test_object_in_a_text_that_nothing_closes_is_left_out_to_the_end() -> None:
    assert Redactor({}).text('{"token": {"value": "abc", ["x"') == '{"token": "[left out: object]"'


def test_schemas_of_tools_stay_valid_without_the_values_in_them() -> None:
    schema = {
        "type": "object",
        "properties": {
            "password": {"type": "string", "default": SECRET, "enum": [SECRET, "other"]},
            "token": {"type": "object", "properties": {"value": {"type": "integer", "const": 12345}}},
            "size": {"type": "integer", "default": 3},
            "secret": True,
        },
        "required": ["password"],
    }
    tools = {"result": {"tools": [{"name": "login", "inputSchema": schema}]}}
    shown = Redactor({}).message(tools)["result"]["tools"][0]["inputSchema"]
    assert shown["properties"] == {
        "password": {
            "type": "string",
            "default": "[left out: 21 characters]",
            "enum": ["[left out: 21 characters]", "[left out: 5 characters]"],
        },
        "token": {"type": "object", "properties": {"value": {"type": "integer", "const": "[left out: number]"}}},
        "size": {"type": "integer", "default": 3},
        "secret": True,
    }
    assert shown["required"] == ["password"]


def test_argument_called_like_a_schema_is_redacted_as_a_value() -> None:
    value = {"params": {"arguments": {"inputSchema": {"password": {"type": SECRET}}}}}
    assert SECRET not in left(value)


SCALARS = st.none() | st.booleans() | st.integers() | st.text()
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


@given(JSON)
def test_a_message_without_secrets_is_found_the_same_twice(value: Any) -> None:
    redactor = Redactor({})
    once = redactor.message(value)
    before = redactor.count
    assert redactor.message(once) == once
    assert redactor.count == before or before > 0
