"""Secrets on the command line do not stay in the process title."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from penstock.cli.process_title import without_secrets
from tests.kit.waiting import until


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux lets a process change its title.")
@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--port", "0", "--url", "http://user:hunter2@127.0.0.1:9/mcp", "--store", "memory:"],
        ["serve", "--port", "0", "--url", "http://127.0.0.1:9/mcp", "--store", "redis://:hunter2@127.0.0.1:1/0"],
        ["run", "--url", "http://user:hunter2@127.0.0.1:9/mcp", "--store", "memory:"],
        ["run", "--url", "http://127.0.0.1:9/mcp", "--header", "Authorization: Bearer hunter2", "--store=memory:"],
        ["run", "--store=redis://:hunter2@127.0.0.1:1/0", "--", sys.executable, "-c", "input()"],
    ],
)
def test_secrets_of_options_are_not_in_the_process_title(words: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "penstock", *words], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        title = Path(f"/proc/{process.pid}/cmdline")
        try:
            assert until(lambda: b"*******" in title.read_bytes())
            assert b"hunter2" not in title.read_bytes()
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        (["--url", "https://me:a:b@host/x@y"], [b"--url", b"https://me:***@host/x@y"]),
        (["--url", "https://token@host/mcp?key=1"], [b"--url", b"https://*****@host/mcp?*****"]),
        (["--store=redis+sentinel://a,b/m?sentinel_password=x"], [b"--store=redis+sentinel://a,b/m?" + b"*" * 19]),
        (["--store", "sqlite:///held.db"], [b"--store", b"sqlite:///held.db"]),
        (["--header", "X-Key: k", "--header=X-Key:k"], [b"--header", b"X-Key:**", b"--header=X-Key:*"]),
        (["--header", "secret"], [b"--header", b"******"]),
        (["--max-tokens", "X-Key: k"], [b"--max-tokens", b"X-Key: k"]),
    ],
)
def test_only_secrets_of_options_are_hidden_and_lengths_stay(words: list[str], hidden: list[bytes]) -> None:
    assert without_secrets(words) == hidden
