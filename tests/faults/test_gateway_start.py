"""A server that cannot be started, or ends before it was asked anything: the client hears why, and so does the user."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.kit import processes as hygiene
from tests.kit.gateway import HASTY, ODD, Running, python
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

left_nothing = hygiene.nothing_is_left_behind

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}


def test_a_server_that_is_missing_is_named_to_client_and_user() -> None:
    with Running(["no-such-program-anywhere"]) as gateway:
        words = gateway.error(gateway.ask("initialize", HELLO))
        assert "'no-such-program-anywhere' cannot be started: there is no such program" in words
        assert "check the spelling" in words
        assert gateway.wait() == 127
        assert "'no-such-program-anywhere' cannot be started" in gateway.stderr


@pytest.mark.parametrize("what", ["a file", "a folder", "a file in a file"])
def test_a_server_that_cannot_be_executed_is_named_to_client_and_user(tmp_path: Path, what: str) -> None:
    file = tmp_path / "server"
    file.write_text("#!/bin/sh\nexit 0\n")
    command = {"a file": file, "a folder": tmp_path, "a file in a file": file / "server"}[what]
    with Running([str(command)]) as gateway:
        assert "cannot be started" in gateway.error(gateway.ask("initialize", HELLO))
        assert gateway.wait() == (127 if what == "a file in a file" else 126)
        assert str(command) in gateway.stderr


def test_a_server_with_no_name_at_all_cannot_be_started() -> None:
    with Running([""]) as gateway:
        assert "'' cannot be started" in gateway.error(gateway.ask("initialize", HELLO))
        assert gateway.wait() == 126


def test_a_server_that_exits_at_once_is_told_of_when_the_client_has_asked_already() -> None:
    with Running(python(ODD, "reads after", "3")) as gateway:
        key = gateway.ask("initialize", HELLO)
        assert gateway.error(key) == "the server exited with code 3"
        assert gateway.wait() == 3


def test_a_server_that_exits_at_once_is_told_of_when_the_client_asks_late() -> None:
    with Running(python(ODD, "exit", "3")) as gateway:
        assert gateway.says("the server exited with code 3")
        assert gateway.error(gateway.ask("initialize", HELLO)) == "the server exited with code 3"
        assert gateway.wait() == 3


def test_a_gateway_without_server_or_client_ends_by_itself() -> None:
    with Running(python(ODD, "exit", "0")) as gateway:
        assert gateway.process.wait(PATIENCE) == 0


def test_a_gateway_without_a_server_ends_by_itself_when_nobody_asks() -> None:
    with Running(["no-such-program-anywhere"], entry=HASTY) as gateway:
        assert gateway.process.wait(PATIENCE) == 127


def test_a_wrong_option_counts_more_than_a_missing_server() -> None:
    with Running(["no-such-program-anywhere"], "--max-tokens", "3") as gateway:
        assert gateway.wait() == 2
        assert "--max-tokens: expected" in gateway.stderr


def test_every_request_that_came_with_the_first_is_answered_too() -> None:
    with Running(["no-such-program-anywhere"]) as gateway:
        keys = [gateway.ask("ping") for _ in range(20)]
        assert all("no such program" in gateway.error(key) for key in keys)


def test_a_client_that_leaves_a_gateway_without_server_gets_its_code() -> None:
    with Running(["no-such-program-anywhere"]) as gateway:
        gateway.close()
        assert gateway.wait() == 127


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--max-tokens", "3"], "--max-tokens: expected"),
        (["--no-such-option"], "--no-such-option"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["--ttl"], "--ttl"),
    ],
)
def test_a_wrong_option_ends_all_in_one_message_even_while_the_client_talks(options: list[str], words: str) -> None:
    with Running(python(ODD), *options) as gateway:
        for request in (
            gateway.ask_tool("echo", text="x"),
            gateway.ask("tools/list"),
            gateway.ask("initialize", HELLO),
        ):
            gateway.cancelled.add(request)
        assert gateway.wait() == 2
        assert words in gateway.stderr
        assert gateway.stderr.count(words.split(":", maxsplit=1)[0]) <= 2  # argparse repeats the usage


@pytest.mark.parametrize("words", [["run"], ["run", "--"], ["run", "--ttl", "5m"]])
def test_a_command_line_without_a_server_is_bad_use(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "COMMAND" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_a_gateway_that_was_given_no_descriptors_ends(closed: str) -> None:
    command = shlex.join([sys.executable, "-m", "penstock", "run", "--store", "memory:", "--", *python(ODD)])
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} {closed}"], stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0


def test_help_is_given_without_starting_a_server() -> None:
    done = run("run", "--help", "--", "no-such-program-anywhere")
    assert (done.returncode, done.stderr) == (0, "")
    assert "penstock run [options] COMMAND ARGS..." in done.stdout


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "penstock", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
