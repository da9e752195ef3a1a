"""Servers of a client's configuration, read as the client itself would start them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client_config.expand import RemoteServer, has_servers, servers_in
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "servers.json"
    path.write_text(json.dumps({"mcpServers": {name: {"command": name} for name in ("one", "two", "missing")}}))
    return path


def test_only_some_of_the_servers_can_be_chosen(file: Path) -> None:
    assert [server.name for server in servers_in(str(file), ["two"])] == ["two"]
    assert len(servers_in(str(file), [])) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not valid JSON: .*line 1"),
        ("[]", "is not a JSON object"),
        ("{}", "names no servers"),
        ('{"mcpServers": {}}', "names no servers"),
        ('{"mcpServers": {"a": {"command": "x", "disabled": true}}}', "names no servers"),
        ('{"mcpServers": []}', "has a mcpServers that is not an object"),
        ('{"mcpServers": {"a": 1}}', "a is a server with neither a command nor a URL"),
        ('{"mcpServers": {"a": {}}}', "a is a server with neither a command nor a URL"),
        ('{"mcpServers": {"a": {"type": "sse", "url": "http://127.0.0.1:9/sse"}}}', "a is of type sse"),
        ('{"mcpServers": {"a": {"command": "x", "cwd": 1}}}', "a.cwd"),
        ('{"mcpServers": {"a": {"command": "${NO_SUCH_VARIABLE}"}}}', "a needs the variable NO_SUCH_VARIABLE"),
        ('{"servers": {"a": {"command": "x", "env": {"K": "${input:key}"}}}}', r"a has \$\{input:key\}, which only a"),
        ('{"mcpServers": {"a": {"url": "nowhere"}}}', "a.url"),
        ('{"mcpServers": {"a": {"url": "http://127.0.0.1:9/mcp", "headers": ["x"]}}}', "a.headers"),
        ('{"servers": {"a": {"command": "x", "args": "y"}}}', "a.args"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"K": 1}}}}', "a.env"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_clear_line(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=words):
        servers_in(str(path), [])
    with pytest.raises(ConfigError, match="no such file"):
        servers_in(str(tmp_path / "none.json"), [])


def written(tmp_path: Path, name: str, content: str) -> list[Any]:
    path = tmp_path / name
    path.write_text(content)
    return servers_in(str(path), [])


def test_comments_and_trailing_commas_are_read_as_clients_read_them(tmp_path: Path) -> None:
    [server] = written(tmp_path, "mcp.json", '{"servers": { // mine\n "a": {"command": "x", "args": ["y",],},}}')
    assert (server.name, server.command) == ("a", ["x", "y"])


def test_variables_of_the_environment_are_put_in_as_clients_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", "/data")
    monkeypatch.setenv("KEY", "k3")
    monkeypatch.delenv("ABSENT", raising=False)
    entry = {"command": "${PLACE}/x", "args": ["${ABSENT:-none}", "$KEY", "${env:KEY}"], "env": {"K": "Bearer ${KEY}"}}
    far = {"httpUrl": "http://127.0.0.1:9/${KEY}", "headers": {"X-Key": "${KEY}"}}
    servers = {"near": {**entry, "cwd": "${PLACE}"}, "far": far}
    near, remote = written(tmp_path, "mcp.json", json.dumps({"mcpServers": servers}))
    assert near.command == ["/data/x", "none", "$KEY", "k3"]
    assert (near.environment, near.folder) == ({"K": "Bearer k3"}, "/data")
    assert remote == RemoteServer(name="far", url="http://127.0.0.1:9/k3", headers={"X-Key": "k3"})


def test_the_servers_of_codex_are_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "t0k")
    monkeypatch.setenv("MY_REGION", "eu")
    content = """
model = "o"
[mcp_servers.near]
command = "x"
args = ["y"]
[mcp_servers.off]
command = "z"
enabled = false
[mcp_servers.far]
url = "http://127.0.0.1:9/mcp"
bearer_token_env_var = "MY_TOKEN"
http_headers = { X-Fixed = "1" }
env_http_headers = { X-Region = "MY_REGION" }
"""
    near, far = written(tmp_path, "config.toml", content)
    assert near.command == ["x", "y"]
    assert far.headers == {"X-Fixed": "1", "X-Region": "eu", "Authorization": "Bearer t0k"}
    assert has_servers(str(tmp_path / "config.toml"))


def test_a_server_that_belongs_to_one_folder_only_is_none_of_them(tmp_path: Path) -> None:
    entry = {"command": "x"}
    content = {"projects": {"/some/folder": {"mcpServers": {"theirs": entry}}}, "mcpServers": {"mine": entry}}
    assert [server.name for server in written(tmp_path, ".claude.json", json.dumps(content))] == ["mine"]


def test_one_that_is_switched_off_can_still_be_named(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"a": {"command": "x", "disabled": true}, "b": {"command": "y"}}}')
    assert [server.name for server in servers_in(str(path), [])] == ["b"]
    assert [server.name for server in servers_in(str(path), ["a"])] == ["a"]


def test_a_server_that_is_not_in_the_file_is_named_with_those_that_are(file: Path) -> None:
    with pytest.raises(ConfigError, match="has no server 'three'; it has one, two, missing"):
        servers_in(str(file), ["three"])


def test_a_client_s_configuration_is_told_from_ours(file: Path, tmp_path: Path) -> None:
    assert has_servers(str(file))
    ours = tmp_path / "penstock.json"
    ours.write_text('{"max_tokens": 9000}')
    assert not has_servers(str(ours))
    with pytest.raises(ConfigError, match="no such file"):
        has_servers(str(tmp_path / "none.json"))
