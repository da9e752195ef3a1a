"""``penstock ui``: it prints an address that is good once, and refuses what it cannot show in one line."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest

from penstock.stores import open_store
from tests.kit import ui_store
from tests.kit.command_line import refused
from tests.kit.scale.serving import Serving, request, upstream
from tests.kit.stores.support import Clock

if TYPE_CHECKING:
    from pathlib import Path

ADMIN = "an-admin-token-of-its-own"


def test_the_printed_address_opens_the_page_once_and_a_signal_ends_it(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    with open_store(store, now=Clock()) as made:
        ui_store.fill(made, Clock())
    command = [sys.executable, "-m", "penstock", "ui", "--no-open", "--port", "0", "--store", store]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.fullmatch(r"penstock: (\S+) is shown at http://127\.0\.0\.1:(\d+)(/\?token=[\w-]{43})\n", said)
        assert found is not None, said
        connection = HTTPConnection("127.0.0.1", int(found[2]))
        connection.request("GET", found[3])
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 303
        cookie = answer.headers["set-cookie"].partition(";")[0]
        again = process.stderr.readline()
        assert "once more, in another browser: http://127.0.0.1" in again
        assert found[3] not in again
        connection.request("GET", "/api/overview", headers={"cookie": cookie, "x-penstock": "ui"})
        told = json.loads(connection.getresponse().read())
        assert told["store"] == f"{tmp_path}/held.db"
        connection.request("GET", "/api/events", headers={"cookie": cookie, "x-penstock": "ui"})
        stream = connection.getresponse()
        assert stream.readline() == b": penstock\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""  # a page that listens is no reason for a word
        connection.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--store", "memory:"], "cannot look into a memory: store from another process"),
        (["--port", "70000"], "--port: expected a whole number from 0 to 65,535, got '70000'"),
        (["--store", "carrier-pigeon:"], "store"),
        (["--config", "/nowhere/penstock.toml"], "/nowhere/penstock.toml"),
    ],
)
def test_a_wrong_option_is_one_line(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in refused(["ui", "--no-open", *options], capsys)


def test_a_port_in_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = refused(["ui", "--no-open", "--store", f"sqlite://{tmp_path}/a.db", "--port", str(port)], capsys)
    assert said == (
        f"penstock: port {port} cannot be listened on: Address already in use; choose another --port, or 0 for any\n"
    )


def test_a_missing_package_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('none', name='uvicorn')\n")
    command = [sys.executable, "-m", "penstock", "ui", "--no-open", "--store", f"sqlite://{tmp_path}/a.db"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    said = 'penstock: the package uvicorn is needed for the page; pip install "penstock-mcp[http]"\n'
    assert (done.returncode, done.stderr) == (2, said)


def test_the_page_at_a_gateway_is_refused_without_an_admin_token_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["serve", "--url", "http://127.0.0.1:9/mcp", "--ui"]
    assert "no admin token protects it; give a file with a token: --ui-token-file FILE" in refused(base, capsys)
    token = tmp_path / "token"
    token.write_text(ADMIN)
    token.chmod(0o600)
    both = [*base, "--token-file", str(token), "--ui-token-file", str(token)]
    assert "the admin token of /ui is the token of the clients" in refused(both, capsys)
    without = ["serve", "--url", "http://127.0.0.1:9/mcp", "--ui-token-file", str(token)]
    assert "--ui-token-file needs --ui" in refused(without, capsys)
    assert "'/ui' cannot be the path of the MCP endpoint" in refused([*base[:3], "--path", "/ui"], capsys)


def test_the_page_at_a_gateway_shows_its_own_store_to_the_admin_alone(tmp_path: Path) -> None:
    (tmp_path / "admin").write_text(ADMIN)
    (tmp_path / "admin").chmod(0o600)
    options = ("--store", "memory:", "--max-tokens", "1000", "--ui", "--ui-token-file", str(tmp_path / "admin"))
    with upstream() as url, Serving("--url", url, *options) as gateway:
        gateway.text("records", rows=900, seed="a")
        local = {"host": f"127.0.0.1:{gateway.port}", "x-penstock": "ui"}
        assert gateway.get("/ui/", local)[0] == 401
        assert gateway.get("/ui/api/results", local)[0] == 401
        assert gateway.get("/ui/api/results", {**local, "authorization": "Bearer wrong"})[0] == 401
        assert gateway.get("/ui/api/results", {**local, "host": "evil.example"})[0] == 421
        status, body = gateway.get("/ui/api/results", {**local, "authorization": f"Bearer {ADMIN}"})
        assert status == 200
        [held] = json.loads(body)["results"]
        assert (held["tool"], held["rows"], held["owner"]) == ("records", 900, "anyone")
        origin = {**local, "origin": f"http://127.0.0.1:{gateway.port}", "content-type": "text/plain"}
        assert request(gateway.url, "POST", "/ui/login", f"token={ADMIN}".encode(), origin)[0] == 303
        assert gateway.get("/ui", local)[0] == 303
    with upstream() as url, Serving("--url", url, "--store", "memory:") as gateway:
        assert gateway.get("/ui/")[0] == 404
