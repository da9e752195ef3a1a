"""``penstock serve`` on the command line: what it takes, and one clear line for what it does not."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.cli import BAD_USE, main
from tests.kit.answers import head_of
from tests.kit.command_line import refused
from tests.kit.gateway import ODD, python
from tests.kit.processes import nothing_is_left_behind
from tests.kit.scale.serving import Serving, post, refusal, request, upstream

if TYPE_CHECKING:
    from pathlib import Path

left_nothing = nothing_is_left_behind
URL = ("--url", "http://127.0.0.1:9/mcp")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "no server is given; give its command: penstock serve COMMAND ARGS..., or its URL"),
        ((*URL, "--", "server"), "both a URL and a command are given"),
        (("--", "no-such-server"), "'no-such-server' cannot be started: there is no such program"),
        (("--url", "ftp://host/mcp"), "--url names no server; for example --url http://127.0.0.1:9000/mcp"),
        (("--url", "http://"), "--url names no server"),
        (("--url", "http://[::1"), "--url names no server"),
        (("--url", "http://host:99999/mcp"), "--url names no server"),
        ((*URL, "--host", "0.0.0.0"), "0.0.0.0 can be reached from other machines, but clients need no token"),
        ((*URL, "--host", "gateway.example"), "gateway.example can be reached from other machines"),
        ((*URL, "--port", "70000"), "--port: expected a whole number from 0 to 65,535, got '70000'"),
        ((*URL, "--port", "-1"), "--port: expected"),
        ((*URL, "--path", "mcp"), "'mcp' cannot be the path of the MCP endpoint"),
        ((*URL, "--path", "/metrics"), "'/metrics' cannot be the path of the MCP endpoint"),
        ((*URL, "--host", "127.0.0.256.1"), "127.0.0.256.1 can be reached from other machines"),
        ((*URL, "--max-tokens", "many"), "--max-tokens: expected a whole number"),
        ((*URL, "--store", "carrier-pigeon:"), "store"),
        ((*URL, "--config", "/nowhere/penstock.toml"), "/nowhere/penstock.toml"),
        ((*URL, "--max-requests", "0"), "--max-requests: expected a whole number from 1, got '0'"),
        (
            (*URL, "--trusted-proxy", "proxy.example"),
            "expected an address or a network, got 'proxy.example'; for",
        ),
        (("--idle-timeout=-5", "--", "server"), "--idle-timeout: expected a whole number from 1, got '-5'"),
        (
            (*URL, "--max-processes", "5"),
            "--max-processes has no effect with --url: it limits",
        ),
        ((*URL, "--token-file", "/nowhere/token"), "the token file /nowhere/token cannot be read: No such file"),
    ],
)
def test_a_wrong_option_is_one_line_and_starts_nothing(
    options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *options]) == BAD_USE
    said = capsys.readouterr().err
    assert words in said
    assert said.startswith("penstock: ")
    assert said.count("\n") == 1


def test_a_folder_for_exports_is_refused_because_clients_may_be_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PENSTOCK_EXPORT_FOLDER", "/exports")
    assert main(["serve", *URL, "--act", "export"]) == BAD_USE
    assert "export_folder has no effect over HTTP" in capsys.readouterr().err


@pytest.mark.parametrize("other", [URL, ("--", "server")])
def test_a_client_s_configuration_and_another_server_are_one_too_many(
    other: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    assert f"more than one server is given: {file} names servers too" in refused(
        ["serve", "--config", str(file), *other], capsys
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; put one long random word into it"),
        (b" \n\n", "is empty"),
        (b"two words\n", "has more than one word"),
        (b"caf\xc3\xa9", "is not plain text"),
        (b"\xff\xfe", "is not plain text"),
        (b"fifteen-letters", "has 15 characters, and may be guessed"),
    ],
)
def test_a_token_file_has_one_word(
    content: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    assert main(["serve", *URL, "--token-file", str(file)]) == BAD_USE
    assert words in capsys.readouterr().err


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", *URL, "--port", str(port)]) == BAD_USE
    said = capsys.readouterr().err
    assert said == (
        f"penstock: 127.0.0.1:{port} cannot be listened on: Address already in use; choose another --port or --host\n"
    )


@pytest.mark.parametrize("package", ["uvicorn", "aiohttp", "prometheus_client"])
def test_a_missing_package_is_one_line(package: str, tmp_path: Path) -> None:
    (tmp_path / f"{package}.py").write_text(f"raise ModuleNotFoundError('none', name={package!r})\n")
    code, said = refusal(URL, env={"PYTHONPATH": str(tmp_path)})
    assert code == BAD_USE
    assert said == f'penstock: the package {package} is needed to serve over HTTP; pip install "penstock-mcp[http]"\n'


def test_a_missing_package_of_the_store_is_said_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "redis.py").write_text("raise ImportError('none')\n")
    code, said = refusal((*URL, "--store", "redis://127.0.0.1:1/0"), env={"PYTHONPATH": str(tmp_path)})
    assert code == BAD_USE
    assert said == 'penstock: a redis store needs the redis package; install it: pip install "penstock-mcp[redis]"\n'


def test_a_token_is_asked_for_and_not_handed_on(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-long-random-word\n")
    token = ("--token-file", str(tmp_path / "token"))
    with upstream() as url, Serving("--url", url, "--store", "memory:", "--host", "0.0.0.0", *token) as gateway:
        assert post(gateway.url, "echo", {"text": "hi"})[0] == 401
        assert post(gateway.url, "echo", {"text": "hi"}, {"authorization": "Bearer another"})[0] == 401
        assert gateway.text("echo", text="hi", headers={"authorization": "Bearer a-long-random-word"}) == "hi"
        assert gateway.get("/metrics")[0] == 401
        assert gateway.get("/healthz")[0] == gateway.get("/readyz")[0] == 200
        assert "a-long-random-word" not in gateway.stderr


def test_what_a_token_holds_ends_with_the_token(tmp_path: Path) -> None:
    """A token that is taken out of the token file is let in no more, and opens for no other."""
    file, tool = tmp_path / "token", "fetch_cached_response"
    options = ("--store", f"sqlite://{tmp_path}/held.db", "--token-file", str(file))
    first, second = ({"authorization": f"Bearer {word}-random-word"} for word in ("first", "second"))
    with upstream() as url:
        file.write_text("first-random-word")
        with Serving("--url", url, *options) as gateway:
            notice = head_of(gateway.text("records", rows=3_000, seed=1, headers=first))
            read = {"action": "info", "cache_id": notice["cache_id"]}
            assert notice["cache_id"] in gateway.text(tool, **read, headers=first)
        file.write_text("second-random-word")
        with Serving("--url", url, *options) as gateway:
            assert post(gateway.url, tool, read, first)[0] == 401
            assert gateway.call(tool, **read, headers=second)["result"]["isError"]
            assert notice["cache_id"] not in gateway.text(tool, action="list", headers=second)


def test_a_token_file_that_others_can_read_is_used_with_a_word(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a-long-random-word\n")
    for mode, is_open in ((0o644, True), (0o600, False)):
        file.chmod(mode)
        with Serving("--url", "http://127.0.0.1:9/mcp", "--store", "memory:", "--token-file", str(file)) as gateway:
            assert gateway.says("serving http://127.0.0.1:9/mcp")
        assert (f"the token file {file} can be read by others (mode 0644)" in gateway.stderr) is is_open


def test_a_password_in_the_url_is_not_shown() -> None:
    with Serving("--url", "http://user:secret@127.0.0.1:9/mcp?key=secret", "--store", "memory:") as gateway:
        assert gateway.says("serving http://127.0.0.1:9/mcp at http://127.0.0.1:")
        assert "secret" not in gateway.stderr


def test_it_listens_on_the_other_kind_of_address_too() -> None:
    with Serving("--url", "http://[::1]:9/mcp", "--store", "memory:", "--host", "::1") as gateway:
        assert gateway.says("serving http://[::1]:9/mcp at http://[::1]:")


def test_another_path_and_another_name_can_be_chosen() -> None:
    options = ("--store", "memory:", "--path", "/tools/mcp", "--allow-host", "Gateway.example")
    with upstream() as url, Serving("--url", url, *options) as gateway:
        assert gateway.url.endswith("/tools/mcp")
        assert gateway.text("echo", text="hi", headers={"host": "gateway.example"}) == "hi"
        assert gateway.get("/mcp")[0] == 404


def test_the_limits_are_those_that_are_given() -> None:
    limits = ("--max-processes", "1", "--max-body-bytes", "5000", "--store", "memory:")
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    greeting = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    with Serving(*limits, "--", *python(ODD)) as gateway:
        assert request(gateway.url, "POST", "/mcp", greeting + b" " * 6_000)[0] == 413
        assert request(gateway.url, "POST", "/mcp", greeting)[0] == 200
        status, body = request(gateway.url, "POST", "/mcp", greeting)
        assert status == 503
        assert b"the limit of 1 processes is reached; retry in 5 seconds, or raise --max-processes" in body


def test_the_gateway_on_standard_input_and_output_imports_nothing_of_http() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "penstock", "run", "--store", "memory:", "--"]
    done = subprocess.run([*command, "true"], capture_output=True, text=True, check=False, input="")
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "penstock.gateway.stdio.connection" in modules
    heavy = {"asyncio", "aiohttp", "uvicorn", "prometheus_client", "opentelemetry", "httptools", "http"}
    assert not modules & heavy
    assert not [name for name in modules if name.startswith("penstock.gateway.http")]
