"""Ruff's S rules. Ruff has no severities, so each rule has bandit's for the same pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from security_server.engines.base import Engine, Read
from security_server.finding import Raw
from security_server.process import PYTHON

if TYPE_CHECKING:
    from security_server.finding import Severity

CRITICAL: Final = frozenset({"S201", "S602", "S605"})  # as for bandit
HIGH: Final = frozenset(
    {"S202", "S304", "S305", "S312", "S321", "S324", "S401", "S402", "S411", "S412", "S413", "S415",
     "S501", "S502", "S505", "S507", "S601", "S609", "S701"}
)  # fmt: skip
LOW: Final = frozenset(
    {"S101", "S105", "S106", "S107", "S110", "S112", "S311", "S403", "S404", "S405", "S406", "S407", "S408", "S409",
     "S410", "S504", "S603", "S604", "S606", "S607"}
)  # fmt: skip


def read(report: Any) -> Read:
    """Read Ruff's JSON report. A file that is not Python is an entry of it that has no S rule."""
    raws = [
        Raw(
            file=one["filename"],
            line=one["location"]["row"],
            rule=one["code"],
            title=one["name"],
            message=one["message"],
            severity=_severity(one["code"], one["message"]),
        )
        for one in report
        if _is_rule(one)
    ]
    return Read(raws=raws, unread=[one["filename"] for one in report if not _is_rule(one)])


def _is_rule(one: Any) -> bool:
    code = one["code"]
    return isinstance(code, str) and code[:1] == "S" and code[1:].isdigit()


def _severity(rule: str, message: str) -> Severity:
    if "seems safe" in message:  # a command that is written down as it is; bandit has LOW for it
        return "LOW"
    if rule in CRITICAL:
        return "CRITICAL"
    if rule in HIGH:
        return "HIGH"
    return "LOW" if rule in LOW else "MEDIUM"


RUFF: Final = Engine(
    name="ruff",
    package="ruff",
    command=(
        *(*PYTHON, "-m", "ruff", "check", "--isolated", "--no-cache", "--no-fix", "--exit-zero"),
        *("--select", "S", "--output-format", "json", "--quiet", "--"),
    ),
    read=read,
    suffixes=(".py", ".pyi"),
)
