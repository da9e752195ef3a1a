"""YAML of Goose and Continue is wrapped without losing a comment or a blank, and comes back byte for byte."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from penstock.client_config.plan import unwrap, wrap
from penstock.client_config.yaml import read
from penstock.errors import CallerError
from tests.kit.client_configs import FRONT, GATEWAY, changed

put_in = partial(wrap, GATEWAY)
back = partial(changed, suffix=".yaml")

GOOSE = """\
GOOSE_PROVIDER: openai   # mine
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  files: # the folder
    args:
    - -y
    - "@modelcontextprotocol/server-filesystem"
    - .
    cmd: npx
    enabled: true
    envs: {}
    name: files
    type: stdio
  bare:
    cmd: 'bare server'
    args: []
    enabled: true
    type: stdio
  shop:
    enabled: true
    headers: {}
    type: streamable_http
    uri: http://127.0.0.1:9000/mcp
"""
words = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=["Cc", "Cs", "Zl", "Zp"]))
entries = st.fixed_dictionaries(
    {"cmd": words.filter(lambda word: word not in ("", "penstock")), "args": st.lists(words, min_size=1, max_size=4)},
    optional={"envs": st.dictionaries(words, words, max_size=2), "enabled": st.booleans()},
)


def test_goose_is_wrapped_in_its_own_layout() -> None:
    wrapped = back(GOOSE, put_in)
    says = yaml.safe_load(wrapped)["extensions"]
    files = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
    assert [says["files"]["cmd"], *says["files"]["args"]] == [*FRONT, *files]
    assert [says["bare"]["cmd"], *says["bare"]["args"]] == [*FRONT, "bare server"]
    assert says["shop"]["type"] == "stdio"
    assert says["shop"]["args"][-2:] == ["--url", "http://127.0.0.1:9000/mcp"]
    assert says["developer"] == yaml.safe_load(GOOSE)["extensions"]["developer"]
    assert "# mine" in wrapped
    assert "# the folder" in wrapped
    assert back(wrapped, put_in) == wrapped
    assert back(wrapped, unwrap) == GOOSE


@given(
    st.dictionaries(words, entries, min_size=1, max_size=3),
    st.sampled_from([{}, {"indent": 4}, {"default_flow_style": True}, {"allow_unicode": True}, {"width": 9999}]),
)
def test_what_is_written_says_what_is_meant_and_comes_back(
    servers: dict[str, dict[str, Any]], layout: dict[str, Any]
) -> None:
    text = yaml.safe_dump({"a": 1, "extensions": servers, "z": [2]}, **layout)
    try:
        wrapped = back(text, put_in)
    except CallerError:  # a word over two lines, or one that is plain here and would not be there: nothing is written
        return
    says = yaml.safe_load(wrapped)
    assert (says["a"], says["z"]) == (1, [2])
    for name, entry in servers.items():
        assert [says["extensions"][name]["cmd"], *says["extensions"][name]["args"]] == [
            *FRONT,
            entry["cmd"],
            *entry["args"],
        ]
    assert back(wrapped, unwrap) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("- a\n", "is not a YAML mapping"),
        ("a: [\n", r"is not valid YAML: .* \(at line 2, column 1\)"),
        ("extensions:\n  a: {cmd: x}\n  a: {cmd: y}\n", 'has "a" a second time in line 3'),
        ("a: 2020-99-99\n", "cannot be read as YAML"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(text: str, why: str) -> None:
    with pytest.raises(CallerError, match=why):
        read(text)


CONTINUE = """\
name: Mine
version: 0.0.1
models: []
mcpServers:   # two of them
  - name: files
    command: npx
    args:
      - "-y"
      - fs   # the server
  - command: 'bare server'
    name: bare
    env: {A: "1"}
  - name: far
    type: streamable-http
    url: http://127.0.0.1:9000/mcp
rules: []
"""


@pytest.mark.parametrize("text", [CONTINUE, CONTINUE.replace("\n  ", "\n")])
def test_the_list_of_continue_is_wrapped_in_its_own_layout(text: str) -> None:
    wrapped = back(text, put_in)
    files, bare, far = yaml.safe_load(wrapped)["mcpServers"]
    assert [files["command"], *files["args"]] == [*FRONT, "npx", "-y", "fs"]
    assert [bare["command"], *bare["args"]] == [*FRONT, "bare server"]
    assert (far["name"], far["type"], far["args"][-1]) == ("far", "stdio", "http://127.0.0.1:9000/mcp")
    assert "# the server" in wrapped
    assert back(wrapped, unwrap) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mcpServers:\n- command: x\n", "has a server without a name"),
        ("mcpServers:\n- {name: a}\n- {name: a}\n", 'has "a" a second time in line 3'),
    ],
)
def test_a_list_whose_servers_have_no_names_of_their_own_is_an_error(text: str, why: str) -> None:
    with pytest.raises(CallerError, match=why):
        read(text)


def test_other_files_have_no_servers() -> None:
    assert read("max_tokens: 8000\ntools:\n  a: {max_tokens: 1}\n") == []
    assert [one.name for one in read("mcpServers:\n  a:\n    command: x\n")] == ["a"]
