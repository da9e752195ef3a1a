"""A handle opens for its owner only, names no file, and nothing that is asked harms the process that is asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, Running
from tests.kit.regressions.reading import fetch, notice

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "handle",
    ["../../secret", "/etc/passwd", "..\\..\\secret", "secret", "%2e%2e/secret", "file:///etc/passwd", "a\0b", ""],
)
def test_a_handle_is_no_path(tmp_path: Path, gateway: Running, handle: str) -> None:
    (tmp_path / "secret").write_text("do not read")
    for action in ("get", "info", "get_page"):
        result = gateway.call(FETCH, action=action, cache_id=handle)
        assert result["isError"]
        assert "do not read" not in json.dumps(result)
        assert "root:" not in json.dumps(result)


def test_a_handle_of_another_session_looks_like_one_that_never_was(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    alone = ("--owner", "run")
    with Running((), *alone, store=store) as ours, Running((), *alone, store=store) as theirs:
        handle = notice(ours.call("records", rows=3_000))["cache_id"]
        fetch(ours, handle, "info")
        foreign = theirs.call(FETCH, action="info", cache_id=handle)
        never = "r_" + "A" * (len(handle) - 2)
        unknown = theirs.call(FETCH, action="info", cache_id=never)
        assert foreign["isError"]
        assert json.dumps(foreign).replace(handle, never) == json.dumps(unknown)
        assert head_of(theirs.text(FETCH, action="list"))["total"] == 0


@pytest.mark.parametrize(
    "program",
    ["$ENV.PATH", "env.PATH", 'import "a" as a; 1', "input", "[range(1e12)]"],
)
def test_a_jq_program_cannot_harm_its_host(gateway: Running, program: str) -> None:
    """tests/hostile/test_jq.py has more of them."""
    handle = notice(gateway.call("records"))["cache_id"]
    result = gateway.call(FETCH, action="filter", cache_id=handle, jq_filter=program)
    told = result["content"][0]["text"]
    assert result.get("isError") or json.loads(told)["result"] is None
    assert "/bin" not in told
    assert fetch(gateway, handle, "filter", jq_filter="length")["result"] > 0


def test_a_pattern_that_explodes_elsewhere_is_answered(gateway: Running) -> None:
    handle = notice(gateway.call("text"))["cache_id"]
    for pattern in ("(a+)+$", "(a|aa)+$", "(.*)*x", "(?:a?){30}a{30}"):
        result = gateway.call(FETCH, action="search", cache_id=handle, pattern=pattern, regex=True)
        assert result["content"]
    assert fetch(gateway, handle, "search", pattern="ledger")["total"] > 0
