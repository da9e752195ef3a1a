"""Bandit: patterns of dangerous calls in Python's syntax tree. It parses, it does not import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from security_server.engines.base import Engine, Read
from security_server.finding import Raw
from security_server.process import PYTHON

if TYPE_CHECKING:
    from security_server.finding import Severity

# An attacker who reaches such a line from outside runs commands on the server: a shell, or Flask's debugger.
CRITICAL: Final = frozenset({"B201", "B602", "B605"})
# Their message repeats the password.
PASSWORDS: Final = frozenset({"B105", "B106", "B107"})


def read(report: Any) -> Read:
    """Read Bandit's JSON report."""
    raws = [
        Raw(
            file=one["filename"],
            line=one["line_number"],
            rule=one["test_id"],
            title=_title(one),
            message="Possible hardcoded password (value masked)" if one["test_id"] in PASSWORDS else one["issue_text"],
            severity=_severity(one),
            confidence=one["issue_confidence"],
            cwe=one.get("issue_cwe", {}).get("id"),
        )
        for one in report["results"]
    ]
    return Read(raws=raws, unread=[one["filename"] for one in report["errors"]])


def _title(one: Any) -> str:
    # Rules of a list of names are all called "blacklist"; their address ends with what they are.
    end = str(one.get("more_info", "")).rpartition("#")[2]
    name = one["test_name"] if one["test_name"] != "blacklist" else end.partition("-")[2]
    return str(name).replace("_", "-")


def _severity(one: Any) -> Severity:
    severity: Severity = one["issue_severity"] if one["issue_severity"] in ("HIGH", "MEDIUM") else "LOW"
    return "CRITICAL" if severity == "HIGH" and one["test_id"] in CRITICAL else severity


BANDIT: Final = Engine(
    name="bandit",
    package="bandit",
    # No excluded paths: bandit compares them with all of a path, so that a project below a folder "CVS" has no files.
    command=(*PYTHON, "-m", "bandit", "--format", "json", "--quiet", "--exit-zero", "--exclude", ""),
    read=read,
    suffixes=(".py",),
)
