"""Servers that are reached by URL: wrapped with their headers, unwrapped byte for byte, and never shown with a key."""

from __future__ import annotations

import json
import tomllib
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.cli import main
from penstock.cli.url_options import read_headers
from penstock.client_config.command_line import Gateway, url_of
from penstock.client_config.plan import unwrap, wrap
from penstock.client_config.remotes import display
from tests.kit.client_configs import changed

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "/opt/penstock"
SECRET = "s3cr3t-value"
put_in = partial(wrap, Gateway(program=(PROGRAM,), options=("--max-tokens", "8000")))
FRONT = ["run", "--max-tokens", "8000", "--url"]

names = st.text("abcXYZ-_09", min_size=1, max_size=6)
values = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8) | st.just("Bearer ${input:token}")
entries = st.fixed_dictionaries(
    {"url": st.sampled_from(["http://127.0.0.1:9/mcp", "https://example.com/mcp?key=1", "${BASE}/mcp"])},
    optional={
        "type": st.just("http"),
        "headers": st.dictionaries(names, values, max_size=3),
        "timeout": st.integers(),
        "disabled": st.booleans(),
    },
)
always = partial(put_in, named=("a", "b"))


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A file with servers whose members stand in any order, in some layout."""
    servers = {
        name: dict(draw(st.permutations(list(draw(entries).items())))) for name in draw(st.sets(st.sampled_from("ab")))
    }
    layout: dict[str, Any] = draw(st.sampled_from([{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}]))
    text = json.dumps({"inputs": [1], "mcpServers": servers}, ensure_ascii=draw(st.booleans()), **layout)
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text), servers


def meaning(entry: dict[str, Any]) -> dict[str, Any]:
    made = {**entry, "command": PROGRAM, "args": [*FRONT, entry["url"]]}
    del made["url"]
    if "type" in made:
        made["type"] = "stdio"
    if made.get("headers"):
        made["env"] = {f"PENSTOCK_HEADER_{name}": value for name, value in made.pop("headers").items()}
    return made


@given(texts())
def test_a_wrapped_url_says_what_is_meant_and_comes_back_byte_for_byte(case: tuple[str, dict[str, Any]]) -> None:
    text, servers = case
    wrapped = changed(text, always)
    assert json.loads(wrapped)["mcpServers"] == {name: meaning(entry) for name, entry in servers.items()}
    assert changed(wrapped, always) == wrapped
    assert changed(wrapped, unwrap) == text


@given(st.dictionaries(names, st.text(st.characters(min_codepoint=32, max_codepoint=126)), max_size=3))
def test_the_headers_of_a_wrapped_server_are_read_back_by_the_gateway(headers: dict[str, str]) -> None:
    text = json.dumps({"servers": {"a": {"url": "http://localhost/mcp", "headers": headers}}})
    env = json.loads(changed(text, put_in))["servers"]["a"].get("env", {})
    assert read_headers([], env) == [(name, value.strip()) for name, value in headers.items()]


def test_comments_and_layout_stay() -> None:
    before = """{
  "servers": {
    "a": { // ours
      "type": "http", /* t */
      "url": "http://localhost:1/mcp", // u
      "headers": { "Authorization": "Bearer ${input:token}", /* h */ },
    },
  },
}"""
    after = """{
  "servers": {
    "a": { // ours
      "type": "stdio", /* t */
      "command": "/opt/penstock",
      "args": ["run", "--max-tokens", "8000", "--url", "http://localhost:1/mcp"], // u
      "env": { "PENSTOCK_HEADER_Authorization": "Bearer ${input:token}", /* h */ },
    },
  },
}"""
    assert changed(before, put_in) == after
    assert changed(after, unwrap) == before


TOMLS = [
    "[mcp_servers.a]\nurl = 'http://localhost/mcp' # here\nhttp_headers = { X-Region = \"eu\", \"X-Key\"= '${K}' }\n",
    "[mcp_servers]\r\na.url = 'http://localhost/mcp'\r\na.enabled = true\r\n",
    '[mcp_servers]\na = { url = "http://localhost/mcp", "http_headers" = { "X" = "y" }, tool_timeout_sec = 5.5 }\n',
    '  [mcp_servers."a"]\n  url="http://localhost/mcp"\n  http_headers = {}\n\n[other]\nx = 1\n',
]


@pytest.mark.parametrize("before", TOMLS)
def test_codex_is_wrapped_with_its_headers_and_comes_back_byte_for_byte(before: str) -> None:
    given = tomllib.loads(before)["mcp_servers"]["a"]
    wrapped = changed(before, put_in, suffix=".toml")
    told = tomllib.loads(wrapped)["mcp_servers"]["a"]
    assert (told["command"], told["args"]) == (PROGRAM, [*FRONT, "http://localhost/mcp"])
    headers = {f"PENSTOCK_HEADER_{name}": value for name, value in given.get("http_headers", {}).items()}
    assert told.get("env", {}) == headers
    assert changed(wrapped, put_in, suffix=".toml") == wrapped
    assert changed(wrapped, unwrap, suffix=".toml") == before


LEFT = [
    ({"type": "sse", "url": "http://localhost/x"}, "is of type sse; only http can be wrapped"),
    ({"url": "http://localhost/x", "httpUrl": "http://localhost/x"}, "has two URLs"),
    ({"type": "http"}, "has no url"),
    ({"url": 7}, "has no url"),
    ({"url": "ftp://localhost"}, "has no url"),
    ({"httpUrl": "localhost"}, "has no url"),
    ({"url": "http://localhost/sse/"}, "has a url that ends in /sse"),
    ({"type": "http", "url": "http://localhost/x", "command": "x"}, "has a command and a type for URLs"),
    ({"url": "https://example.com", "oauth": {"clientId": "x"}}, "logs in by OAuth"),
    ({"url": "https://example.com", "auth": {"CLIENT_ID": "x"}, "headers": {"a": "b"}}, "logs in by OAuth"),
    ({"url": "https://example.com", "headersHelper": "x.sh"}, "gets its headers from a command"),
    ({"url": "http://localhost/x", "headers": {"a": 1}}, "has headers that are not text"),
    ({"url": "http://localhost/x", "headers": "a"}, "has headers that are not text"),
    ({"url": "http://localhost/x", "headers": {"a": "b"}, "env": {}}, "has headers and env"),
    ({"url": "https://example.com/mcp"}, "may need an OAuth login in the client"),
    ({"url": "https://[broken/mcp"}, "may need an OAuth login in the client"),
]


@pytest.mark.parametrize(("entry", "why"), LEFT)
def test_what_cannot_be_carried_over_is_left_alone_with_a_word_why(
    entry: dict[str, Any], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": entry}}))
    before = file.read_bytes()
    assert main(["wrap", "--yes", "--no-check", "--program", PROGRAM, "--client", str(file)]) == 0
    assert f"a is reached by URL and {why}" in capsys.readouterr().out
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bearer_token_env_var = 'T'", "takes headers from variables"),
        ("env_http_headers = { X = 'T' }", "takes headers from variables"),
        ("[mcp_servers.a.http_headers]\nX = 'y'", "has headers in a table of their own"),
        ("http_headers.X = 'y'", "has headers in a table of their own"),
    ],
)
def test_headers_of_codex_that_cannot_be_moved_are_left_where_they_are(
    text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[mcp_servers.a]\nurl = 'http://localhost/mcp'\n{text}\n")
    assert main(["wrap", "--yes", "--no-check", "--program", PROGRAM, "--client", str(file)]) == 0
    assert why in capsys.readouterr().out


ENTRY = {"command": "penstock", "args": ["run", "--url", "http://localhost/x"]}


@pytest.mark.parametrize(
    "entry",
    [
        {**ENTRY, "env": {"PENSTOCK_HEADER_X": "y", "DEBUG": "1"}},
        {"args": ENTRY["args"], "command": "penstock"},
        {**ENTRY, "args": ["run", "--url", "http://localhost/x", "--header", "X: y"]},
        {**ENTRY, "args": ["run", "--header=X: y", "--url", "http://localhost/x"]},
        {**ENTRY, "args": ["run", "--url", "http://localhost/x", "--max-tokens", "1000"]},
    ],
)
def test_what_wrap_does_not_write_is_not_unwrapped(
    entry: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": entry}}))
    before = file.read_bytes()
    assert main(["unwrap", "--yes", "--client", str(file)]) == 0
    assert "in a way that wrap does not write" in capsys.readouterr().out
    assert file.read_bytes() == before


def test_a_comment_that_would_be_lost_keeps_unwrap_away() -> None:
    text = '{"servers": {"a": {"command": "penstock", "args": ["run", /* ! */ "--url", "http://localhost/x"]}}}'
    assert changed(text, unwrap) == text
    laid_out = text.replace("/* ! */", "\n\n")
    assert json.loads(changed(laid_out, unwrap))["servers"]["a"] == {"url": "http://localhost/x"}


def test_what_else_a_wrapped_server_was_given_stays_when_it_is_unwrapped() -> None:
    text = json.dumps({"servers": {"a": {**ENTRY, "env": {"DEBUG": "1"}, "type": "stdio"}}})
    told = json.loads(changed(text, unwrap))["servers"]["a"]
    assert told == {"url": "http://localhost/x", "env": {"DEBUG": "1"}, "type": "http"}


def test_no_key_is_ever_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {
        "url": f"https://me:{SECRET}@example.com/{SECRET * 2}/mcp?key={SECRET}",
        "headers": {"Authorization": f"Bearer {SECRET}"},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": entry}}))
    before = file.read_bytes()
    assert main(["wrap", "--yes", "--no-check", "--program", PROGRAM, "--client", str(file)]) == 0
    assert main(["unwrap", "--yes", "--client", str(file)]) == 0
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err
    assert "    - https://example.com/***/mcp?***, Authorization: ***\n" in said.out
    assert f"    + {PROGRAM} run --url https://example.com/***/mcp?***\n" in said.out
    assert file.read_bytes() == before


def test_a_url_that_is_none_is_not_shown_either() -> None:
    assert display("https://[" + SECRET, []) == "***"


@pytest.mark.parametrize(
    ("words", "url"),
    [
        (("penstock", "run", "--url", "u"), "u"),
        (("python", "-m", "penstock", "run", "--ttl", "1h", "--url", "u"), "u"),
        (("penstock", "run", "--", "--url", "u"), ""),
        (("docker", "run", "penstock", "run", "--url", "u"), ""),
        (("penstock", "run", "--url"), ""),
        (("penstock", "run"), ""),
    ],
)
def test_the_url_behind_the_gateway_is_found_where_wrap_puts_it(words: tuple[str, ...], url: str) -> None:
    assert url_of(words) == url
