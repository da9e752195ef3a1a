"""The check for known advisories never passes where it could not look."""

from __future__ import annotations

import subprocess

import pytest
from scripts import audit


def ended(code: int, stdout: str = "", stderr: str = "") -> object:
    return lambda *_, **__: subprocess.CompletedProcess((), code, stdout, stderr)


def test_every_constraint_names_one_version() -> None:
    assert audit.unpinned(audit.CONSTRAINTS.read_text("utf-8")) == []
    assert audit.unpinned("a==1.0  # why\n\nb>=2\nc\nd==2; python_version < '3.12'") == ["b>=2", "c"]


@pytest.mark.parametrize(
    ("run", "code", "says"),
    [
        (ended(0, "No known vulnerabilities found\n"), 0, "No known"),
        (ended(1, "jq 1.8", "Found 1 known vulnerability in 1 package"), 1, "Found 1"),
        (ended(1, "", "Traceback\nConnectionError: no network"), 2, "not checked: pip-audit failed: ConnectionError"),
        (ended(1), 2, "it said nothing"),
        (ended(0, "jq  Dependency not found on PyPI and could not be audited: jq (1.13.0)"), 2, "not checked: the adv"),
        (ended(1, "", "ERROR: Dependency not found on PyPI and could not be audited: jq"), 2, "not checked: the adv"),
    ],
)
def test_only_an_answer_of_the_service_counts(
    run: object, code: int, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: "there")
    monkeypatch.setattr("subprocess.run", run)
    assert audit.main() == code
    assert says in capsys.readouterr().out


def test_without_the_tool_nothing_is_claimed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert audit.main() == audit.CANNOT
    assert "not checked: pip-audit is not installed" in capsys.readouterr().out
