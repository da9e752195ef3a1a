"""Secrets are left out of recordings, and everything else stays."""

from __future__ import annotations

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
