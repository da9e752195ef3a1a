"""detect-secrets: keys, tokens and passwords in any text file. What it finds never leaves its process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from security_server.engines.base import Engine, Read
from security_server.finding import Raw
from security_server.process import PYTHON

if TYPE_CHECKING:
    from security_server.finding import Severity

# The form alone says what the others open: an account, a registry, a server.
HIGH: Final = frozenset({"Basic Auth Credentials", "JSON Web Token"})
MEDIUM: Final = frozenset({"Secret Keyword"})  # a name such as password, whatever its value
LOW: Final = frozenset({"Base64 High Entropy String", "Hex High Entropy String", "Public IP (ipv4)"})  # often no secret
CONFIDENCE: Final = {"CRITICAL": "HIGH", "HIGH": "HIGH", "MEDIUM": "MEDIUM", "LOW": "LOW"}
HARDCODED: Final = 798  # the CWE of hard-coded credentials


def read(report: Any) -> Read:
    """Read the worker's report."""
    return Read(raws=[_raw(one) for one in report["secrets"]], unread=report["unread"])


def _raw(one: Any) -> Raw:
    kind = one["type"]
    severity = _severity(kind)
    return Raw(
        file=one["file"],
        line=one["line"],
        rule=kind,
        title=kind.lower().replace(" ", "-"),
        message=f"{kind} of {one['length']} characters (value masked)",
        severity=severity,
        confidence=CONFIDENCE[severity],
        cwe=HARDCODED,
    )


def _severity(kind: str) -> Severity:
    if kind in LOW:
        return "LOW"
    if kind in MEDIUM:
        return "MEDIUM"
    return "HIGH" if kind in HIGH else "CRITICAL"


SECRETS: Final = Engine(
    name="detect-secrets",
    package="detect-secrets",
    command=(*PYTHON, str(Path(__file__).with_name("secrets_worker.py"))),
    read=read,
    finds="secrets",
    piped=True,
)
